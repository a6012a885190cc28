//! What is kept about the past sessions of a task.

use std::path::PathBuf;

use jiff::Timestamp;
use model::{SessionId, SessionLogId, TaskId, WorkerId, WorktreeId};
use rusqlite::{Row, params};
use serde::Deserialize;

use crate::columns::{self, Columns, bytes, stamp};
use crate::error::StoreError;
use crate::store::{Reader, Store};
use crate::tasks;
use crate::transaction::Tx;
use crate::worktree_row;
use crate::worktree_steps;
use crate::worktrees::Worktree;

/// One past session of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLog {
    /// Which one.
    pub id: SessionLogId,
    /// The task it was for.
    pub task: TaskId,
    /// The session, unless it was deleted since.
    pub session: Option<SessionId>,
    /// Its primary worker, whose recording is that of the session; unless it never ran, or was deleted since.
    pub worker: Option<WorkerId>,
    /// When the session was asked for.
    pub started_at: Timestamp,
    /// When it was archived.
    pub ended_at: Timestamp,
    /// How it ended.
    pub exit: LogExit,
    /// Why it failed.
    pub error: Option<String>,
    /// The worktree that was kept for what is in it.
    pub kept_worktree: Option<PathBuf>,
}

/// How a past session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogExit {
    /// Its agent ended as if all went well.
    Done,
    /// Anything else.
    Failed,
}

impl LogExit {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            LogExit::Done => "done",
            LogExit::Failed => "failed",
        }
    }
}

impl Reader {
    /// The past sessions of a task, newest first.
    ///
    /// # Errors
    ///
    /// When the task is not there.
    pub fn session_logs(&self, task: TaskId) -> Result<Vec<SessionLog>, StoreError> {
        self.read(|tx| {
            tasks::find(tx, task)?;
            // The order of writing decides, not the clock.
            let sql = "SELECT * FROM session_logs WHERE task_id = ?1 AND owner = ?2 ORDER BY rowid DESC";
            Ok(tx
                .prepare_cached(sql)?
                .query_map([task.as_str(), tx.owner()], from_row)?
                .collect::<Result<_, _>>()?)
        })
    }
}

impl Store {
    /// The worktree of an archived session stays, because it could not be moved to the trash. The session's log says so.
    ///
    /// # Errors
    ///
    /// Unless the worktree is there.
    pub fn keep_archived_worktree(
        &self,
        log: SessionLogId,
        worktree: WorktreeId,
        reason: &str,
    ) -> Result<Worktree, StoreError> {
        self.write(|tx| {
            worktree_steps::keep(tx, worktree, reason)?;
            let worktree = worktree_row::find(tx, worktree)?;
            tx.prepare_cached("UPDATE session_logs SET kept_worktree = ?2 WHERE id = ?1 AND owner = ?3")?
                .execute(params![log.as_str(), bytes(&worktree.path), tx.owner()])?;
            Ok(worktree)
        })
    }
}

pub(crate) fn fresh_id(tx: &Tx<'_>) -> Result<SessionLogId, StoreError> {
    columns::fresh_id(tx, "session_logs", SessionLogId::from_random)
}

pub(crate) fn insert(tx: &Tx<'_>, log: &SessionLog) -> Result<(), StoreError> {
    let sql = "INSERT INTO session_logs
                   (id, task_id, session_id, worker_id, started_at, ended_at, exit, error, kept_worktree, owner)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    tx.prepare_cached(sql)?.execute(params![
        log.id.as_str(),
        log.task.as_str(),
        log.session.as_ref().map(SessionId::as_str),
        log.worker.as_ref().map(WorkerId::as_str),
        stamp(log.started_at),
        stamp(log.ended_at),
        log.exit.as_str(),
        log.error,
        log.kept_worktree.as_deref().map(bytes),
        tx.owner(),
    ])?;
    Ok(())
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<SessionLog> {
    Ok(SessionLog {
        id: row.word("id")?,
        task: row.word("task_id")?,
        session: row.word_or_null("session_id")?,
        worker: row.word_or_null("worker_id")?,
        started_at: row.word("started_at")?,
        ended_at: row.word("ended_at")?,
        exit: row.word("exit")?,
        error: row.get("error")?,
        kept_worktree: row.path_or_null("kept_worktree")?,
    })
}
