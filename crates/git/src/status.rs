//! What in a worktree is not committed.

use std::path::Path;

use model::display_safe;

use crate::error::GitError;
use crate::git::Git;
use crate::settings::Mode;

/// As many as fit a question to a person.
pub(crate) const MOST_PATHS: usize = 5;

/// Changes that no commit has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) staged: usize,
    pub(crate) unstaged: usize,
    pub(crate) untracked: usize,
    pub(crate) conflicts: usize,
    /// Files with any of these.
    pub(crate) changed: usize,
    /// Whether there are more than were counted.
    pub(crate) more: bool,
    /// The first of them, safe to show.
    pub(crate) paths: Vec<String>,
}

impl Git {
    /// Compares the files of a worktree with its commit. Filters are off, so a file that only a filter could
    /// find unchanged counts as changed; that errs on the side of keeping. Of submodules only their commits count: git
    /// would look into them by the terms of their own configuration.
    pub(crate) fn status(&self, top: &Path) -> Result<Status, GitError> {
        let args = [
            "status",
            "--porcelain=v2",
            "-z",
            "--no-renames",
            "--untracked-files=normal",
            "--ignore-submodules=dirty",
        ];
        let overruled = self.overruled(Mode::Compare, top)?;
        let answer = self.call(Mode::Compare, top).args(args).overruling(overruled).beginning()?;
        Ok(Status { more: answer.cut, ..parse(answer.stdout()) })
    }
}

fn parse(list: &[u8]) -> Status {
    let mut status = Status::default();
    for entry in list.split(|&byte| byte == 0) {
        // Kind, state and path; how many words are between them depends on the kind.
        let words = match entry.first() {
            Some(b'1') => 9,
            Some(b'u') => 11,
            Some(b'?') => 2,
            _ => continue,
        };
        let mut fields = entry.splitn(words, |&byte| byte == b' ');
        let state = fields.nth(1).unwrap_or_default();
        let path = fields.last().unwrap_or(state);
        match entry[0] {
            b'1' => {
                status.staged += usize::from(state.first().is_some_and(|&x| x != b'.'));
                status.unstaged += usize::from(state.get(1).is_some_and(|&y| y != b'.'));
            }
            b'u' => status.conflicts += 1,
            _ => status.untracked += 1,
        }
        status.changed += 1;
        if status.paths.len() < MOST_PATHS {
            status.paths.push(display_safe(&String::from_utf8_lossy(path)));
        }
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_are_read() {
        let mut random = testkit::Random::new(7);
        for _ in 0..2000 {
            let length = random.below(60);
            let bytes: Vec<u8> = (0..length).map(|_| random.pick(b"12u?! .MU\0\xffab")).collect();
            assert!(parse(&bytes).changed <= length);
        }
    }

    #[test]
    fn every_kind_of_change_is_counted() {
        let list = "1 M. N... 100644 100644 100644 a b staged file\x001 .M N... 100644 100644 100644 a b c\0\
                    1 AM N... 0 1 2 a b both\0u UU N... 1 2 3 4 a b c in conflict\0? new \u{1b}dir/\0! ignored\0";
        let expected = Status {
            staged: 2,
            unstaged: 2,
            untracked: 1,
            conflicts: 1,
            changed: 5,
            more: false,
            paths: ["staged file", "c", "both", "in conflict", "new \u{fffd}dir/"]
                .map(str::to_owned)
                .to_vec(),
        };
        assert_eq!(parse(list.as_bytes()), expected);
    }
}
