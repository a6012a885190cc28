//! What outlives processes: SQLite, its migrations and queries. Rows never leave the room.
//!
//! A [`Database`] is one file. [`Database::of`] gives one owner's things: a [`Store`] reads and changes them, a [`Reader`]
//! only reads. For one owner, the things of another are not there. Every method is one transaction: it happens as a whole
//! or not at all, even if the process is killed. Calls block, and only on SQL: callers on an async runtime hand them to
//! a thread that may wait. Writers queue up behind one connection, readers have connections of their own and do not wait.
//!
//! Things have states, and a state changes by a method that is named for the step. Each step is guarded in the same
//! transaction, so of two that exclude each other one is refused, with [`StoreError::WrongState`] or a [`Conflict`].
//! Ids that directories are made of (sessions, worktrees, workers) come from the caller; the others are made here.
//! No clock is read: `now` is handed in.
//!
//! After each commit the store tells which things changed ([`Database::on_change`]). Triggers notice that, not the methods.
//!
//! A full, locked or failing disk refuses writes with [`StoreError::Unavailable`] and is tried again by the next
//! call. A database that cannot be used at all is an [`OpenError`], which says whether to [`set_aside`] the file.
//!
//! SQLite comes through `rusqlite`, built in: an embedded database with transactions is what lets a server be killed
//! at any instant, and writing one ourselves would be a project of its own.

mod adopt;
mod adopt_worktree;
mod audit;
mod changes;
mod columns;
mod connect;
mod consents;
mod database;
mod error;
mod file;
mod import;
mod inbox;
mod migrate;
mod object;
mod open_error;
mod order;
mod prompts;
mod repositories;
mod session_logs;
mod session_row;
mod sessions;
mod sessions_with_workers;
#[cfg(test)]
mod step_table;
mod store;
mod task_sessions;
mod task_states;
mod tasks;
mod tokens;
mod transaction;
mod worker_columns;
mod worker_row;
mod worker_steps;
mod workers;
mod worktree_row;
mod worktree_steps;
mod worktrees;

pub use adopt::{AdoptedSession, AdoptedWorker};
pub use adopt_worktree::AdoptedWorktree;
pub use audit::{AuditEntry, MOST_AUDIT_ENTRIES, NewAuditEntry};
pub use database::Database;
pub use error::{Conflict, StoreError, Trouble};
pub use file::set_aside;
pub use import::{ImportedSession, ImportedWorktree};
pub use inbox::{InboxItem, NewInboxItem};
pub use object::Object;
pub use open_error::OpenError;
pub use prompts::{MOST_QUEUED_PROMPTS, NewPrompt, Prompt, PromptState};
pub use repositories::Repository;
pub use session_logs::{LogExit, SessionLog};
pub use sessions::{MOST_NOTICES, NewSession, Session, SessionFilter, SessionKind};
pub use sessions_with_workers::SessionWithWorkers;
pub use store::{Reader, Store};
pub use task_sessions::{Archived, Begun, NewTaskSession};
pub use tasks::{NewTask, Task, TaskChange, TaskFilter};
pub use tokens::{NewToken, Scope, Token, Verifier};
pub use workers::{NewWorker, Worker, WorkerKind};
pub use worktree_steps::Trash;
pub use worktrees::{KeptReason, NewWorktree, Worktree, WorktreePlace};
