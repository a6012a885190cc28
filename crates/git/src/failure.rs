//! The meaning of git's error messages.
//!
//! Git has few exit statuses, so we read what it says, in English because that is how we run it. Words we do not know
//! are passed on as they are.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use model::display_safe;

use crate::error::GitError;

/// Words by which git says that it cannot read what is there.
const BROKEN: &[&str] = &[
    "bad config line",
    "bad config value",
    "bad numeric config value",
    "bad object",
    "bad ref for",
    "bad signature",
    "bad tree object",
    "corrupt",
    "could not parse",
    "expected git repo version",
    "index file smaller than expected",
    "invalid gitfile format",
    "is broken",
    "loose object",
    "missing blob",
    "missing object",
    "missing tree",
    "object file",
    "unable to read tree",
    "unable to read sha1",
    "unknown index entry format",
    "unknown repository extension",
];

/// Words by which git says that it would have to fetch an object, which we do not permit.
const PARTIAL: &[&str] = &["lazy fetching disabled", "from promisor remote"];

/// The failure that git reports with these words, from a run in this directory.
pub(crate) fn of(command: &str, dir: &Path, stderr: &[u8]) -> GitError {
    let has = |words: &str| find(stderr, words).is_some();
    // Git names some files from where it runs.
    let path = |bytes: &[u8]| dir.join(OsStr::from_bytes(bytes));

    if has("detected dubious ownership") || has("unsafe repository") {
        let path = between(stderr, "in repository at '", "'").map_or_else(|| dir.to_owned(), path);
        return GitError::UnsafeOwner { path };
    }
    if has("not a git repository: ") {
        let gone = between(stderr, "not a git repository: ", "\n").unwrap_or_default();
        return GitError::Missing { path: path(unquoted(gone)) };
    }
    if has("not a git repository") {
        return GitError::NotARepository { path: dir.to_owned() };
    }
    if has("cannot use bare repository") || has("must be run in a work tree") {
        return GitError::Bare { path: dir.to_owned() };
    }
    if has("File exists") {
        if let Some(lock) = between(stderr, "Unable to create '", "': File exists") {
            return GitError::Locked { path: path(lock) };
        }
        if let Some(file) = between(stderr, "could not lock config file ", ": File exists") {
            return GitError::Locked { path: path(&[file, b".lock"].concat()) };
        }
    }
    for words in ["' is already checked out at '", "' is already used by worktree at '"] {
        if let Some(place) = between(stderr, words, "'\n").or_else(|| between(stderr, words, "'")) {
            let branch = find(stderr, words).map_or(&b""[..], |at| last_word(&stderr[..at], b'\''));
            let branch = String::from_utf8_lossy(branch).into_owned();
            return GitError::BranchElsewhere { branch, path: path(place) };
        }
    }
    if PARTIAL.iter().any(|words| has(words)) {
        return GitError::Partial;
    }
    if BROKEN.iter().any(|words| has(words)) {
        return GitError::Broken { reason: words(stderr) };
    }
    GitError::Failed { command: command.to_owned(), stderr: words(stderr) }
}

/// Whether git met a worktree that another git is just writing down: its files are there a moment before what is in them.
pub(crate) fn is_half_written(stderr: &[u8]) -> bool {
    between(stderr, "failed to read ", "/commondir").is_some_and(|path| find(path, "worktrees/").is_some())
}

/// Git's own words on one line, safe to show. Hints are advice for a person at a command line.
fn words(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("hint:"));
    display_safe(&lines.collect::<Vec<_>>().join("; "))
}

fn find(text: &[u8], words: &str) -> Option<usize> {
    text.windows(words.len()).position(|window| window == words.as_bytes())
}

fn between<'a>(text: &'a [u8], before: &str, after: &str) -> Option<&'a [u8]> {
    let rest = &text[find(text, before)? + before.len()..];
    find(rest, after).map(|end| &rest[..end])
}

fn last_word(text: &[u8], quote: u8) -> &[u8] {
    text.rsplit(|&byte| byte == quote).next().unwrap_or(text)
}

fn unquoted(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"'").and_then(|text| text.strip_suffix(b"'")).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(stderr: &str) -> GitError {
        super::of("status", Path::new("/r"), stderr.as_bytes())
    }

    #[test]
    fn w3_the_place_of_a_branch_is_read_in_both_of_gits_wordings() {
        for words in ["is already checked out at", "is already used by worktree at"] {
            let error = of(&format!("Preparing worktree\nfatal: 'a/b' {words} '/some where'\n"));
            assert!(
                matches!(&error, GitError::BranchElsewhere { branch, path }
                    if branch == "a/b" && path == Path::new("/some where")),
                "{error:?}"
            );
        }
    }

    #[test]
    fn w2_every_kind_of_lock_is_named() {
        let index = of("fatal: Unable to create '/r/.git/index.lock': File exists.\n\nAnother git process …");
        assert!(matches!(index, GitError::Locked { path } if path == Path::new("/r/.git/index.lock")));
        let config = of("error: could not lock config file .git/config: File exists\n");
        assert!(matches!(config, GitError::Locked { path } if path == Path::new("/r/.git/config.lock")));
    }

    #[test]
    fn w7_missing_broken_and_foreign_repositories_have_different_errors() {
        assert!(matches!(of("fatal: not a git repository (or any of the parent directories): .git"),
            GitError::NotARepository { path } if path == Path::new("/r")));
        assert!(matches!(of("fatal: not a git repository: /gone/.git/worktrees/x\n"),
            GitError::Missing { path } if path == Path::new("/gone/.git/worktrees/x")));
        assert!(matches!(of("fatal: detected dubious ownership in repository at '/x'\nTo add …"),
            GitError::UnsafeOwner { path } if path == Path::new("/x")));
        assert!(matches!(of("fatal: bad config line 1 in file .git/config\n"), GitError::Broken { .. }));
    }

    #[test]
    fn any_message_of_git_is_read_without_a_panic() {
        let parts = [
            "fatal: ",
            "'",
            "' is already checked out at '",
            "Unable to create '",
            "': File exists",
            "\n",
            "x",
            "not a git repository: ",
            "could not lock config file ",
            ": File exists",
            "\u{1b}",
        ];
        let mut random = testkit::Random::new(11);
        for _ in 0..2000 {
            let text: String = (0..random.below(8)).map(|_| random.pick(&parts)).collect();
            assert!(!of(&text).to_string().contains('\u{1b}'), "{text:?}");
        }
    }

    #[test]
    fn s24_unknown_messages_of_git_are_shown_safely() {
        let error = of("fatal: \u{1b}[31mred\nhint: do this\nsecond\n");
        assert_eq!(error.to_string(), "`git status` failed: fatal: \u{fffd}[31mred; second");
    }
}
