//! What can go wrong with git.

use std::io;
use std::path::{Path, PathBuf};

use model::display_safe;
use thiserror::Error;

use crate::version::Version;

/// Why git did not do what the caller asked.
///
/// Its sentences are safe to show. Its fields are as git has them: what is shown of them goes through
/// [`display_safe`].
#[derive(Debug, Error)]
pub enum GitError {
    /// There is no git program.
    #[error("git is not installed, or not on the PATH")]
    NotFound,
    /// There is one, but we need a newer one.
    #[error("git {found} is too old; {} or newer is needed", Version::OLDEST)]
    TooOld {
        /// The one that is there.
        found: Version,
    },
    /// There is no repository here.
    #[error("`{}` is not in a git repository", shown(path))]
    NotARepository {
        /// Where.
        path: PathBuf,
    },
    /// There is one without a worktree of its own, where one is needed.
    #[error("`{}` is a bare repository and has no files of its own", shown(path))]
    Bare {
        /// Where.
        path: PathBuf,
    },
    /// There is one without commits, so there is nothing to begin a branch at.
    #[error("the repository `{}` has no commits yet; make a first one", shown(path))]
    Empty {
        /// Where.
        path: PathBuf,
    },
    /// There is one that git cannot read.
    #[error("git cannot read the repository: {reason}")]
    Broken {
        /// What git says, safe to show.
        reason: String,
    },
    /// Objects are missing that git would have to fetch.
    #[error("the repository is a partial clone, and files of this commit were never fetched")]
    Partial,
    /// A directory is gone: of a worktree, or of the repository that it belongs to.
    #[error("`{}` no longer exists", shown(path))]
    Missing {
        /// What is gone.
        path: PathBuf,
    },
    /// Another program has locked what has to be changed, and did not let go of it.
    #[error("another git process holds the lock `{}`; if no git runs, remove that file", shown(path))]
    Locked {
        /// The lock's file.
        path: PathBuf,
    },
    /// Another change of ours to this repository takes its time.
    #[error("another process changes the repository `{}`; try again later", shown(repository))]
    Busy {
        /// The directory that all its worktrees share.
        repository: PathBuf,
    },
    /// It was asked to stop, and what it had begun is undone.
    #[error("the server stopped git")]
    Stopped,
    /// The branch is checked out in another worktree, and a branch is in one only.
    #[error("branch `{}` is checked out at `{}`", display_safe(branch), shown(path))]
    BranchElsewhere {
        /// Which branch.
        branch: String,
        /// Where it is checked out.
        path: PathBuf,
    },
    /// There is a branch of this name, or one that leaves no room for it.
    #[error("there is a branch `{}` already", display_safe(branch))]
    BranchExists {
        /// The branch that is there.
        branch: String,
    },
    /// There is no branch of this name.
    #[error("there is no branch `{}`", display_safe(branch))]
    NoSuchBranch {
        /// The name.
        branch: String,
    },
    /// Nothing in the repository has this name.
    #[error("`{}` is not a branch, tag or commit of this repository", display_safe(name))]
    NoSuchRevision {
        /// The name.
        name: String,
    },
    /// This cannot be a name.
    #[error("`{}` cannot be used: {reason}", display_safe(name))]
    BadName {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// Something is there already.
    #[error("`{}` exists already", shown(path))]
    PathTaken {
        /// Where.
        path: PathBuf,
    },
    /// This is not one of the repository's linked worktrees.
    #[error("`{}` is not a linked worktree of this repository", shown(path))]
    NotAWorktree {
        /// Where.
        path: PathBuf,
    },
    /// This is a worktree that is not in the trash.
    #[error("`{}` is not in the trash", shown(path))]
    NotInTrash {
        /// Where.
        path: PathBuf,
    },
    /// The worktree is locked in git.
    #[error("the worktree `{}` is locked in git: {}", shown(path), display_safe(reason))]
    KeptByUser {
        /// Which worktree.
        path: PathBuf,
        /// The reason given, if any.
        reason: String,
    },
    /// There is another worktree inside this one, which would be moved along.
    #[error("there is another worktree inside it, at `{}`", shown(inside))]
    HasWorktrees {
        /// The one inside.
        inside: PathBuf,
    },
    /// Git did not end in time, and was ended.
    #[error("`git {command}` took too long and was stopped")]
    Deadline {
        /// Git's command, safe to show.
        command: String,
    },
    /// Git printed more than we read.
    #[error("`git {command}` printed too much")]
    TooMuchOutput {
        /// Git's command, safe to show.
        command: String,
    },
    /// A directory cannot be moved to another file system without copying it.
    #[error("`{}` and `{}` are on different file systems", shown(from), shown(to))]
    CrossDevice {
        /// Where it is.
        from: PathBuf,
        /// Where it should go.
        to: PathBuf,
    },
    /// The repository belongs to another user, and git does not trust it.
    #[error("`{}` belongs to another user; tell git that it is safe, with `safe.directory`", shown(path))]
    UnsafeOwner {
        /// Which one.
        path: PathBuf,
    },
    /// The file that says what to run in new worktrees cannot be used.
    #[error("`.abide.toml`{}: {reason}", line.map(|line| format!(", line {line}")).unwrap_or_default())]
    BadProvisioning {
        /// The line, if one is to blame.
        line: Option<usize>,
        /// What is wrong and what to do, safe to show.
        reason: String,
    },
    /// Git refused for a reason that we do not know.
    #[error("`git {command}` failed: {stderr}")]
    Failed {
        /// Git's command, safe to show.
        command: String,
        /// What it said, safe to show.
        stderr: String,
    },
    /// The system refused.
    #[error("cannot {doing}")]
    Io {
        /// What we were about to do, safe to show.
        doing: String,
        /// Why not.
        source: io::Error,
    },
}

impl GitError {
    /// For `map_err`: the system refused while we were `doing` something at `path`.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> GitError {
        move |source| GitError::Io { doing: format!("{doing} `{}`", shown(path)), source }
    }
}

/// A path, safe to show.
pub(crate) fn shown(path: &Path) -> String {
    display_safe(&path.to_string_lossy())
}
