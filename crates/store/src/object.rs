//! What an error or a change is about.

use std::fmt;

use model::{InboxItemId, PromptId, RepositoryId, SessionId, TaskId, TokenId, WorkerId, WorktreeId};

use crate::error::{Conflict, StoreError};
use crate::transaction::Tx;

/// One thing that is stored, by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Object {
    /// A registered repository.
    Repository(RepositoryId),
    /// A worktree.
    Worktree(WorktreeId),
    /// A session.
    Session(SessionId),
    /// A worker.
    Worker(WorkerId),
    /// A task.
    Task(TaskId),
    /// An entry of the inbox.
    InboxItem(InboxItemId),
    /// A prompt.
    Prompt(PromptId),
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
            Object::InboxItem(_) => "inbox entry",
            Object::Prompt(_) => "prompt",
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
            Object::InboxItem(id) => id.as_str(),
            Object::Prompt(id) => id.as_str(),
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
            Object::InboxItem(_) => "inbox",
            Object::Prompt(_) => "prompts",
            Object::Token(_) => "tokens",
        }
    }

    /// Whether it is there, and the owner's.
    pub(crate) fn is_there(self, tx: &Tx<'_>) -> Result<bool, StoreError> {
        let sql = format!("SELECT 1 FROM {} WHERE id = ?1 AND owner = ?2", self.table());
        Ok(tx.prepare_cached(&sql)?.exists((self.id(), tx.owner()))?)
    }

    /// Refuses an id that is taken, by whichever owner, before a row is made with it.
    pub(crate) fn must_be_new(self, tx: &Tx<'_>) -> Result<(), StoreError> {
        let sql = format!("SELECT 1 FROM {} WHERE id = ?1", self.table());
        let is_taken = tx.prepare_cached(&sql)?.exists([self.id()])?;
        if is_taken { Err(Conflict::IdTaken(self).into()) } else { Ok(()) }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind(), self.id())
    }
}
