//! The worktrees that a repository knows of.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::error::GitError;
use crate::git::Git;
use crate::paths::existing;
use crate::trash::NOTE;
use crate::version::Version;

/// A worktree in git's list. The directory may be gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedWorktree {
    /// Where it is, or was.
    pub path: PathBuf,
    /// The commit it stands at; none before the first one.
    pub head: Option<String>,
    /// The branch it is on; none if it is detached, or its name is no text.
    pub branch: Option<String>,
    /// Whether it is a bare repository, which is listed too.
    pub bare: bool,
    /// Why git must keep it, if it is locked; the reason may be empty.
    pub locked: Option<String>,
    /// Why git would forget it, if it would: its directory is gone.
    pub prunable: Option<String>,
}

impl ListedWorktree {
    /// Whether it is in the trash, or was there when the trash was emptied.
    pub fn is_in_trash(&self) -> bool {
        self.locked.as_ref().is_some_and(|reason| reason.contains(NOTE))
    }
}

/// A worktree beside the first one, and the repository that it is one of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedWorktree {
    /// The repository's first worktree, or the repository itself if it is bare.
    pub repository: PathBuf,
    /// The worktree, as the repository lists it.
    pub worktree: ListedWorktree,
}

impl Git {
    /// The worktree at this path, as its repository has it.
    ///
    /// # Errors
    ///
    /// When it is gone, or no repository lists it beside its first one.
    pub fn linked_worktree(&self, path: &Path) -> Result<LinkedWorktree, GitError> {
        let path = existing(path)?;
        let place = self.place(&path)?;
        let mut listed = self.worktrees(&path)?.into_iter();
        let first = listed.next().filter(|first| !first.bare).map(|first| first.path);
        let worktree = listed.find(|listed| listed.path == path);
        let worktree = worktree.ok_or(GitError::NotAWorktree { path })?;
        Ok(LinkedWorktree { repository: first.unwrap_or(place.common_dir), worktree })
    }

    /// The worktrees of a repository, its first one in front.
    ///
    /// # Errors
    ///
    /// When git cannot read the repository.
    pub fn worktrees(&self, repo: &Path) -> Result<Vec<ListedWorktree>, GitError> {
        let list = self.look(repo).args(["worktree", "list", "--porcelain"]);
        if self.version()? >= Version::LISTS_WITH_NUL {
            Ok(parse(&list.args(["-z"]).bytes()?, 0))
        } else {
            Ok(parse(&list.bytes()?, b'\n'))
        }
    }
}

/// A list whose fields end in `end`, and whose entries end in another one.
fn parse(list: &[u8], end: u8) -> Vec<ListedWorktree> {
    let mut worktrees: Vec<ListedWorktree> = Vec::new();
    for field in list.split(|&byte| byte == end) {
        let (name, value) = match field.iter().position(|&byte| byte == b' ') {
            Some(at) => (&field[..at], &field[at + 1..]),
            None => (field, &b""[..]),
        };
        if name == b"worktree" {
            let path = OsStr::from_bytes(value).into();
            worktrees.push(ListedWorktree { path, ..ListedWorktree::default() });
        }
        let Some(worktree) = worktrees.last_mut() else { continue };
        let text = || String::from_utf8_lossy(value).into_owned();
        match name {
            b"HEAD" => worktree.head = Some(text()).filter(|head| head.bytes().any(|digit| digit != b'0')),
            b"branch" => {
                let branch =
                    std::str::from_utf8(value).ok().and_then(|full| full.strip_prefix("refs/heads/"));
                worktree.branch = branch.map(str::to_owned);
            }
            b"bare" => worktree.bare = true,
            b"locked" => worktree.locked = Some(text()),
            b"prunable" => worktree.prunable = Some(text()),
            _ => {}
        }
    }
    worktrees
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_list_are_read() {
        let lines = "worktree /a b\nHEAD 12ab\nbranch refs/heads/x/y\n\nworktree /c\nHEAD 34cd\ndetached\nlocked\n\
                     prunable gitdir file points to non-existing location\n\nworktree /d\nbare\n\n\
                     worktree /e\nHEAD 0000\nbranch refs/heads/new\nlocked why not\n\n";
        let expected = [
            ListedWorktree {
                path: "/a b".into(),
                head: Some("12ab".into()),
                branch: Some("x/y".into()),
                ..ListedWorktree::default()
            },
            ListedWorktree {
                path: "/c".into(),
                head: Some("34cd".into()),
                locked: Some(String::new()),
                prunable: Some("gitdir file points to non-existing location".into()),
                ..ListedWorktree::default()
            },
            ListedWorktree { path: "/d".into(), bare: true, ..ListedWorktree::default() },
            ListedWorktree {
                path: "/e".into(),
                branch: Some("new".into()),
                locked: Some("why not".into()),
                ..ListedWorktree::default()
            },
        ];
        assert_eq!(parse(lines.as_bytes(), b'\n'), expected);
        assert_eq!(parse(lines.replace('\n', "\0").as_bytes(), 0), expected);
        assert_eq!(parse(b"worktree /line\nbreak\0\0", 0)[0].path, Path::new("/line\nbreak"));
    }
}
