//! Errors of the database, as problems of the API.

use api::{ErrorCode, Problem};
use serde_json::json;
use store::{Conflict, StoreError, Trouble};

/// The problem for an error of the database.
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
            Problem::new(ErrorCode::Internal, "the database failed; the server's log has details")
        }
    }
}

/// The condition under which the database can be used again.
fn better(reason: Trouble) -> &'static str {
    match reason {
        Trouble::Full => "the disk has space",
        Trouble::Locked => "the other program has finished",
        Trouble::ReadOnly | Trouble::Io | Trouble::OutOfReach | Trouble::NoLog => {
            "the data directory is writable; `abide doctor` checks it"
        }
        Trouble::Memory => "the machine has free memory",
    }
}

fn of_conflict(what: Conflict, words: String) -> Problem {
    match what {
        Conflict::RepositoryKnown(id) => {
            Problem::new(ErrorCode::KnownRepository, words).detail(json!({ "repositoryId": id }))
        }
        Conflict::HasSession(id) => Problem::new(ErrorCode::HasSession, words)
            .detail(json!({ "sessionId": id }))
            .hint("restart it with `session/retry`, or complete the task"),
        Conflict::WorktreeKnown(id) => {
            Problem::new(ErrorCode::PathTaken, words).detail(json!({ "worktreeId": id }))
        }
        Conflict::SessionOfTask(id) => Problem::new(ErrorCode::InUse, words)
            .detail(json!({ "taskId": id }))
            .hint("complete the task, or retry it: that ends this session and starts another one"),
        Conflict::OtherPrompt(id) => Problem::new(ErrorCode::OtherPrompt, words)
            .detail(json!({ "promptId": id }))
            .hint("send each prompt with a key of its own"),
        Conflict::QueueFull => {
            Problem::new(ErrorCode::TooMany, words).hint("empty its queue, or wait until it is shorter")
        }
        Conflict::RepositoryHasTasks => {
            Problem::new(ErrorCode::InUse, words).hint("remove them too with `?tasks=true`")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d7_the_hint_says_what_to_wait_for() {
        let hint = |reason| of_store(&StoreError::Unavailable { reason }).error.hint.unwrap();
        assert!(hint(Trouble::Full).contains("the disk has space"));
        for other in [Trouble::Locked, Trouble::ReadOnly, Trouble::Io, Trouble::OutOfReach, Trouble::Memory] {
            assert!(!hint(other).contains("room"), "{}", hint(other));
        }
        assert!(hint(Trouble::Locked).contains("the other program"));
    }
}
