//! Errors, sorted by who can do something about them.

use std::io;

use model::{PromptId, RepositoryId, SessionId, TaskId, WorkerId, WorktreeId};
use rusqlite::ErrorCode;
use thiserror::Error;

use crate::object::Object;

/// Why something was not done. Nothing of it was, then.
#[derive(Debug, PartialEq, Error)]
pub enum StoreError {
    /// It is not there.
    #[error("there is no {what}")]
    NotFound {
        /// The requested thing.
        what: Object,
    },
    /// Something else is in the way.
    #[error("{what}")]
    Conflict {
        /// What it is.
        what: Conflict,
    },
    /// It cannot take this step from where it is.
    #[error("{what} is {is} and cannot be {step}")]
    WrongState {
        /// The thing to change.
        what: Object,
        /// Where it is.
        is: &'static str,
        /// The step.
        step: &'static str,
    },
    /// Not now. The same call may work later.
    #[error("the database cannot be used now: {reason}")]
    Unavailable {
        /// Why.
        reason: Trouble,
    },
    /// What is stored cannot be read.
    #[error("the database is damaged: {reason}")]
    Corrupt {
        /// The finding.
        reason: String,
    },
    /// A mistake of ours.
    #[error("the database refuses: {0}")]
    Sql(#[source] rusqlite::Error),
}

/// What is in the way of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Conflict {
    /// This path is registered.
    #[error("the path belongs to repository `{0}`")]
    RepositoryKnown(RepositoryId),
    /// The repository has worktrees that are neither gone nor in the trash.
    #[error("the repository has worktrees")]
    RepositoryHasWorktrees,
    /// Tasks of the repository have sessions.
    #[error("a task of the repository has a session")]
    RepositoryHasSessions,
    /// The repository has tasks, and the caller did not agree to remove them too.
    #[error("the repository has tasks")]
    RepositoryHasTasks,
    /// Another worktree is at this path.
    #[error("the path belongs to worktree `{0}`")]
    WorktreeKnown(WorktreeId),
    /// The task has a session, this one.
    #[error("the task has session `{0}`")]
    HasSession(SessionId),
    /// The session is that of a task, and leaves with it.
    #[error("the session belongs to task `{0}`")]
    SessionOfTask(TaskId),
    /// The task's session is known by this worker.
    #[error("worker `{0}` is the main worker of its task's session")]
    PrimaryWorker(WorkerId),
    /// The workers put in order are not those of the session.
    #[error("these are not the workers of the session")]
    OtherWorkers,
    /// A prompt with this key and another text was sent before.
    #[error("prompt `{0}` has the same key and another text")]
    OtherPrompt(PromptId),
    /// The worker has as many queued prompts as it may have.
    #[error("{count} prompts are queued for the worker, and more are not taken", count = crate::MOST_QUEUED_PROMPTS)]
    QueueFull,
    /// The id that was chosen is taken; another one will do.
    #[error("there is a {0} already")]
    IdTaken(Object),
}

impl From<Conflict> for StoreError {
    fn from(what: Conflict) -> StoreError {
        StoreError::Conflict { what }
    }
}

/// Why a database cannot be used now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Trouble {
    /// There is no room for more.
    #[error("the disk is full")]
    Full,
    /// Another program writes, and did not finish in time.
    #[error("another program holds it")]
    Locked,
    /// Nothing may be written there.
    #[error("it is read-only")]
    ReadOnly,
    /// The disk fails.
    #[error("the disk fails to read or write")]
    Io,
    /// The file or its directory cannot be opened.
    #[error("its file cannot be opened")]
    OutOfReach,
    /// Its file system cannot share memory between processes, which the write-ahead log takes.
    #[error("its disk cannot hold a write-ahead log")]
    NoLog,
    /// There is no memory left.
    #[error("there is no memory left")]
    Memory,
}

impl Trouble {
    fn of(code: ErrorCode) -> Option<Trouble> {
        match code {
            ErrorCode::DiskFull => Some(Trouble::Full),
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
                Some(Trouble::Locked)
            }
            ErrorCode::ReadOnly => Some(Trouble::ReadOnly),
            ErrorCode::SystemIoFailure => Some(Trouble::Io),
            ErrorCode::CannotOpen | ErrorCode::PermissionDenied => Some(Trouble::OutOfReach),
            ErrorCode::OutOfMemory => Some(Trouble::Memory),
            _ => None,
        }
    }
}

impl From<&io::Error> for Trouble {
    fn from(error: &io::Error) -> Trouble {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Trouble::Full,
            io::ErrorKind::ReadOnlyFilesystem => Trouble::ReadOnly,
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied | io::ErrorKind::NotADirectory => {
                Trouble::OutOfReach
            }
            _ => Trouble::Io,
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        if let Some(reason) = error.sqlite_error_code().and_then(Trouble::of) {
            return StoreError::Unavailable { reason };
        }
        match error {
            // A value that is not what its column holds was not written by us.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..) => StoreError::Corrupt { reason: error.to_string() },
            error => match error.sqlite_error_code() {
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                    StoreError::Corrupt { reason: error.to_string() }
                }
                _ => StoreError::Sql(error),
            },
        }
    }
}
