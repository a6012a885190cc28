//! What an error is about.

use std::fmt;

use model::{RepositoryId, SessionId, TaskId, TokenId, WorkerId, WorktreeId};
use rusqlite::Connection;

use crate::error::{Conflict, StoreError};

/// One thing that is stored, by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    /// A registered repository.
    Repository(RepositoryId),
    /// A worktree.
    Worktree(WorktreeId),
    /// A task.
    Task(TaskId),
    /// A session.
    Session(SessionId),
    /// A worker.
    Worker(WorkerId),
    /// A token.
    Token(TokenId),
}

impl Object {
    /// The word for its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Object::Repository(_) => "repository",
            Object::Worktree(_) => "worktree",
            Object::Task(_) => "task",
            Object::Session(_) => "session",
            Object::Worker(_) => "worker",
            Object::Token(_) => "token",
        }
    }

    /// Its id as text.
    pub fn id(&self) -> &str {
        match self {
            Object::Repository(id) => id.as_str(),
            Object::Worktree(id) => id.as_str(),
            Object::Task(id) => id.as_str(),
            Object::Session(id) => id.as_str(),
            Object::Worker(id) => id.as_str(),
            Object::Token(id) => id.as_str(),
        }
    }

    /// Where it is stored.
    fn table(&self) -> &'static str {
        match self {
            Object::Repository(_) => "repositories",
            Object::Worktree(_) => "worktrees",
            Object::Task(_) => "tasks",
            Object::Session(_) => "sessions",
            Object::Worker(_) => "workers",
            Object::Token(_) => "tokens",
        }
    }

    /// Whether there is a row for it.
    pub(crate) fn is_there(self, connection: &Connection) -> Result<bool, StoreError> {
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {} WHERE id = ?1)", self.table());
        Ok(connection.prepare_cached(&sql)?.query_row([self.id()], |row| row.get(0))?)
    }

    /// Refuses an id that is taken, before a row is made with it.
    pub(crate) fn must_be_new(self, connection: &Connection) -> Result<(), StoreError> {
        if self.is_there(connection)? { Err(Conflict::IdTaken(self).into()) } else { Ok(()) }
    }

    /// Refuses what is not there, after `changed` rows of it were.
    pub(crate) fn must_have_changed(self, changed: usize) -> Result<(), StoreError> {
        if changed == 0 { Err(StoreError::NotFound { what: self }) } else { Ok(()) }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind(), self.id())
    }
}
