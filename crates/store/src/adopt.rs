//! Workers that are found in the data directory, and what must be known for them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use model::{RepositoryId, SessionId, TaskId, TaskState, WorkerLife, WorktreeId};
use rusqlite::{OptionalExtension, params};

use crate::columns::{Columns, bytes, stamp};
use crate::error::StoreError;
use crate::object::Object;
use crate::repositories;
use crate::session_row;
use crate::sessions::{NewSession, SessionKind};
use crate::store::Store;
use crate::task_sessions;
use crate::tasks;
use crate::transaction::Tx;
use crate::worker_columns::LifeColumns;
use crate::worker_row;
use crate::workers::{NewWorker, WorkerKind};
use crate::worktree_row;
use crate::worktree_steps;
use crate::worktrees::{NewWorktree, WorktreePlace};

/// A worker as its directory tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdoptedWorker {
    /// The worker as it was asked for.
    pub worker: NewWorker,
    /// Its session.
    pub session: AdoptedSession,
    /// Where it was started, which is where its session is.
    pub location: PathBuf,
    /// Where it is in its life.
    pub life: WorkerLife,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it ended, if it did and that is known.
    pub ended_at: Option<Timestamp>,
}

/// The session of such a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdoptedSession {
    /// A place of work in any directory.
    Quick {
        /// Which session.
        id: SessionId,
    },
    /// A place of work in a worktree of a repository.
    Worktree {
        /// Which session.
        id: SessionId,
        /// The repository.
        repository: RepositoryId,
        /// Where that is.
        repository_path: PathBuf,
        /// The worktree.
        worktree: WorktreeId,
        /// Its branch.
        branch: String,
        /// Whether abide made it.
        made_by_abide: bool,
        /// The task that it is worked on for.
        task: Option<TaskId>,
    },
}

impl Store {
    /// Takes up a worker that was found in the data directory, with its session, worktree and repository as far as they
    /// are not known. So a database that was lost is made anew. A worker that is known is left as it is.
    ///
    /// If the worker lives, its session is open, and a task that it works for has it again.
    ///
    /// Whether it was not known.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn adopt_worker(&self, adopted: &AdoptedWorker, now: Timestamp) -> Result<bool, StoreError> {
        self.write(|tx| {
            if Object::Worker(adopted.worker.id).is_there(tx)? {
                return Ok(false);
            }
            let (session, task) = match &adopted.session {
                AdoptedSession::Quick { id } => (*id, None),
                AdoptedSession::Worktree { id, task, .. } => (*id, known_task(tx, *task)?),
            };
            if !Object::Session(session).is_there(tx)? {
                let kind = adopt_place(tx, adopted)?;
                let location = adopted.location.clone();
                let new = NewSession { id: session, kind, location, title: None };
                session_row::insert(tx, &new, task, adopted.created_at)?;
            }
            insert(tx, session, task, adopted, now)?;
            if adopted.life.is_open() {
                reopen(tx, session, task, adopted.created_at)?;
            }
            Ok(true)
        })
    }
}

/// The kind of place that the session is, with worktree and repository in place.
fn adopt_place(tx: &Tx<'_>, adopted: &AdoptedWorker) -> Result<SessionKind, StoreError> {
    let AdoptedSession::Worktree { repository, repository_path, worktree, branch, made_by_abide, .. } =
        &adopted.session
    else {
        return Ok(SessionKind::Quick);
    };
    if Object::Worktree(*worktree).is_there(tx)? {
        let known = worktree_row::find(tx, *worktree)?;
        return Ok(SessionKind::Worktree { repository: known.repository, worktree: *worktree });
    }
    if let Some(known) = worktree_row::find_by_path(tx, &adopted.location)? {
        return Ok(SessionKind::Worktree { repository: known.repository, worktree: known.id });
    }
    let repository = adopt_repository(tx, *repository, repository_path, adopted.created_at)?;
    let new = NewWorktree {
        id: *worktree,
        path: adopted.location.clone(),
        branch: branch.clone(),
        base_commit: None,
        made_by_abide: *made_by_abide,
    };
    worktree_row::insert(tx, repository, &new, adopted.created_at)?;
    worktree_steps::step(tx, *worktree, &worktree_steps::MADE, &WorktreePlace::Ready)?;
    Ok(SessionKind::Worktree { repository, worktree: *worktree })
}

/// The repository with this id, or else at this path, on the list; its id may be another then.
pub(crate) fn adopt_repository(
    tx: &Tx<'_>,
    id: RepositoryId,
    path: &Path,
    created_at: Timestamp,
) -> Result<RepositoryId, StoreError> {
    let sql = "SELECT id FROM repositories WHERE (id = ?1 OR path = ?2) AND owner = ?3
               ORDER BY id = ?1 DESC LIMIT 1";
    let known: Option<RepositoryId> = tx
        .prepare_cached(sql)?
        .query_row(params![id.as_str(), bytes(path), tx.owner()], |row| row.word("id"))
        .optional()?;
    let Some(known) = known else {
        let name = path.file_name().unwrap_or(OsStr::new("repository")).to_string_lossy();
        repositories::insert(tx, id, path, &name, created_at)?;
        return Ok(id);
    };
    tx.prepare_cached("UPDATE repositories SET removed_at = NULL WHERE id = ?1 AND owner = ?2")?
        .execute([known.as_str(), tx.owner()])?;
    Ok(known)
}

fn known_task(tx: &Tx<'_>, task: Option<TaskId>) -> Result<Option<TaskId>, StoreError> {
    let is_known = |task: TaskId| Ok(Object::Task(task).is_there(tx)?.then_some(task));
    task.map_or(Ok(None), is_known)
}

fn insert(
    tx: &Tx<'_>,
    session: SessionId,
    task: Option<TaskId>,
    adopted: &AdoptedWorker,
    now: Timestamp,
) -> Result<(), StoreError> {
    let is_agent = matches!(adopted.worker.kind, WorkerKind::Agent { .. });
    // The first that is found stands for the session; a task's is known by an agent.
    let is_primary = (is_agent || task.is_none()) && worker_row::primary(tx, session)?.is_none();
    worker_row::insert(tx, session, &adopted.worker, is_primary, adopted.created_at)?;
    let LifeColumns { exit_kind, exit_value, reason } = LifeColumns::of(&adopted.life);
    let ended_at = (!adopted.life.is_open()).then(|| stamp(adopted.ended_at.unwrap_or(now)));
    let has_started =
        !matches!(adopted.life, WorkerLife::Pending | WorkerLife::Provisioning | WorkerLife::Failed { .. });
    let sql = "UPDATE workers SET life = ?2, exit_kind = ?3, exit_value = ?4, reason = ?5, ended_at = ?6,
                                  started_at = ?7
               WHERE id = ?1 AND owner = ?8";
    let started_at = has_started.then(|| stamp(adopted.created_at));
    let (id, life) = (adopted.worker.id, adopted.life.as_str());
    let columns = params![id.as_str(), life, exit_kind, exit_value, reason, ended_at, started_at, tx.owner()];
    tx.prepare_cached(sql)?.execute(columns)?;
    Ok(())
}

/// A session with a living worker is open, and that of its task if that wants one.
fn reopen(
    tx: &Tx<'_>,
    session: SessionId,
    task: Option<TaskId>,
    started_at: Timestamp,
) -> Result<(), StoreError> {
    let known = session_row::find(tx, session)?;
    tx.prepare_cached("UPDATE sessions SET closed_at = NULL WHERE id = ?1 AND owner = ?2")?
        .execute([session.as_str(), tx.owner()])?;
    // A session that is known to be another task's, or none's, stays so.
    let Some(task) = task.filter(|_| task == known.task) else { return Ok(()) };
    let wants_one = tasks::find(tx, task)?;
    if wants_one.state == TaskState::Active && wants_one.session.is_none() {
        task_sessions::give(tx, task, session, started_at)?;
    }
    Ok(())
}
