//! Errors of git and of hosts, as problems of the API.

use api::{ErrorCode, Problem};
use git::GitError;
use home::{StartError, StartFailure};
use reading::Exit;
use serde_json::json;

/// The problem for an error of git.
pub(super) fn of_git(error: &GitError, exit: &Exit) -> Problem {
    let words = exit.show(&error.to_string());
    let code = match error {
        GitError::NotFound | GitError::TooOld { .. } => ErrorCode::NoGit,
        GitError::NotARepository { .. } | GitError::Bare { .. } | GitError::Empty { .. } => {
            ErrorCode::NotARepository
        }
        GitError::Missing { .. } => ErrorCode::Missing,
        GitError::Locked { .. } => ErrorCode::RepositoryLocked,
        GitError::BranchElsewhere { .. } => ErrorCode::BranchElsewhere,
        GitError::BranchExists { .. } => ErrorCode::BranchExists,
        GitError::BadName { .. } => ErrorCode::BadText,
        GitError::PathTaken { .. } => ErrorCode::PathTaken,
        GitError::Deadline { .. } => ErrorCode::GitTooSlow,
        _ => ErrorCode::GitRefused,
    };
    let problem = Problem::new(code, words);
    match error {
        GitError::BranchElsewhere { path, .. } => problem.detail(json!({ "path": path })),
        GitError::Partial => problem.hint(
            "abide fetches nothing, because a repository's settings decide which programs do that; \
             run `git fetch --refetch --no-filter` in the repository, and try again",
        ),
        GitError::Locked { path } => problem
            .detail(json!({ "path": path }))
            .hint("wait until the other git program has finished; if none is running, remove that file"),
        _ => problem,
    }
}

/// The problem for a worker that could not be started.
pub(super) fn of_start(error: &StartError, exit: &Exit) -> Problem {
    let words = exit.show(&error.to_string());
    match error {
        StartError::Failed(StartFailure::CommandNotFound { .. }) => {
            Problem::new(ErrorCode::CannotStart, words)
                .hint("check that it is installed and in the PATH of your login shell")
        }
        StartError::Failed(StartFailure::Directory { .. }) => Problem::new(ErrorCode::BadPath, words),
        StartError::Disk(_) | StartError::Home(_) | StartError::Private(_) => {
            Problem::new(ErrorCode::Unavailable, words).hint("`abide doctor` checks the data directory")
        }
        _ => Problem::new(ErrorCode::CannotStart, words).hint("`abide doctor` checks what hosts need"),
    }
}
