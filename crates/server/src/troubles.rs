//! What other rooms refuse, in the API's words.

use api::{ErrorCode, Problem};
use git::GitError;
use home::{StartError, StartFailure};
use serde_json::json;
use store::{Conflict, StoreError, Trouble};

/// What the database refuses.
pub(crate) fn of_store(error: &StoreError) -> Problem {
    let words = error.to_string();
    match error {
        StoreError::NotFound { what } => Problem::new(ErrorCode::NotFound, format!("there is no {what}")),
        StoreError::Conflict { what } => of_conflict(*what, words),
        StoreError::WrongState { .. } => Problem::new(ErrorCode::WrongState, words),
        StoreError::Unavailable { reason } => {
            let hint = format!("nothing was changed; try again when {}", better(*reason));
            Problem::new(ErrorCode::Unavailable, words).hint(hint)
        }
        StoreError::Corrupt { .. } | StoreError::Sql(_) => {
            tracing::error!(%error, "the database failed");
            Problem::new(ErrorCode::Internal, "the database failed; the server's log has more")
        }
    }
}

/// When a database can be used again.
fn better(reason: Trouble) -> &'static str {
    match reason {
        Trouble::Full => "the disk has room",
        Trouble::Locked => "the other program is done with it",
        Trouble::ReadOnly | Trouble::Io | Trouble::OutOfReach | Trouble::NoLog => {
            "the data directory can be written to; `abide doctor` looks at it"
        }
        Trouble::Memory => "there is memory",
    }
}

fn of_conflict(what: Conflict, words: String) -> Problem {
    match what {
        Conflict::RepositoryKnown(id) => {
            Problem::new(ErrorCode::KnownRepository, words).detail(json!({ "repositoryId": id }))
        }
        Conflict::HasSession(id) => Problem::new(ErrorCode::HasSession, words)
            .detail(json!({ "sessionId": id }))
            .hint("start over with `session/retry`, or complete the task"),
        Conflict::WorktreeKnown(id) => {
            Problem::new(ErrorCode::PathTaken, words).detail(json!({ "worktreeId": id }))
        }
        Conflict::SessionOfTask(id) => Problem::new(ErrorCode::InUse, words)
            .detail(json!({ "taskId": id }))
            .hint("complete the task, or start its session over"),
        Conflict::RepositoryHasTasks => {
            Problem::new(ErrorCode::InUse, words).hint("with `?tasks=true` they go with it")
        }
        Conflict::RepositoryHasWorktrees => {
            Problem::new(ErrorCode::InUse, words).hint("remove its worktrees first")
        }
        Conflict::RepositoryHasSessions => {
            Problem::new(ErrorCode::InUse, words).hint("complete its tasks first")
        }
        Conflict::OtherWorkers => {
            Problem::new(ErrorCode::InvalidBody, words).hint("name each worker of the session once")
        }
        _ => Problem::new(ErrorCode::InUse, words),
    }
}

/// What git refuses.
pub(crate) fn of_git(error: &GitError) -> Problem {
    let words = model::display_safe(&error.to_string());
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
        GitError::Locked { path } => problem
            .detail(json!({ "path": path }))
            .hint("wait for the other program; if none runs, look at that file"),
        _ => problem,
    }
}

/// Why a worker could not be started, in a sentence.
pub(crate) fn of_start(error: &StartError) -> Problem {
    let words = model::display_safe(&error.to_string());
    match error {
        StartError::Failed(StartFailure::CommandNotFound { .. }) => {
            Problem::new(ErrorCode::CannotStart, words)
                .hint("see that it is installed and in the PATH of your login shell")
        }
        StartError::Failed(StartFailure::Directory { .. }) => Problem::new(ErrorCode::BadPath, words),
        StartError::Disk(_) | StartError::Home(_) | StartError::Private(_) => {
            Problem::new(ErrorCode::Unavailable, words).hint("`abide doctor` looks at the data directory")
        }
        _ => Problem::new(ErrorCode::CannotStart, words).hint("`abide doctor` looks at what hosts need"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d7_whoever_is_refused_is_told_what_to_wait_for() {
        let hint = |reason| of_store(&StoreError::Unavailable { reason }).error.hint.unwrap();
        assert!(hint(Trouble::Full).contains("the disk has room"));
        for other in [Trouble::Locked, Trouble::ReadOnly, Trouble::Io, Trouble::OutOfReach, Trouble::Memory] {
            assert!(!hint(other).contains("room"), "{}", hint(other));
        }
        assert!(hint(Trouble::Locked).contains("the other program"));
    }
}
