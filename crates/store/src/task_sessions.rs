//! A task's session: begun once, archived when it is over.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use model::{SessionId, SessionStatus, TaskId, TaskState, WorkerId, WorkerLife, WorktreeId};

use crate::columns::stamp;
use crate::error::StoreError;
use crate::object::Object;
use crate::session_logs::{self, LogExit, SessionLog};
use crate::session_row;
use crate::sessions::{NewSession, Session, SessionKind};
use crate::store::Store;
use crate::task_states;
use crate::tasks::{self, Task};
use crate::transaction::Tx;
use crate::worker_row;
use crate::worker_steps;
use crate::workers::{NewWorker, Worker};
use crate::worktree_row;
use crate::worktree_steps;
use crate::worktrees::{KeptReason, NewWorktree, Worktree, WorktreePlace};

/// A session to be begun for a task, in a worktree that is to be made for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTaskSession {
    /// The session's id.
    pub id: SessionId,
    /// Its worktree, in the task's repository.
    pub worktree: NewWorktree,
    /// What it is called, if it is not to be called after its task.
    pub title: Option<String>,
}

/// The rows made when a task's session was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// The task, which has the session now.
    pub task: Task,
    /// The session.
    pub session: Session,
    /// Its worktree, to be made.
    pub worktree: Worktree,
    /// Its primary worker, to be started.
    pub worker: Worker,
}

/// The archived session of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archived {
    /// The session, closed.
    pub session: Session,
    /// Its primary worker.
    pub worker: Option<Worker>,
    /// Its worktree.
    pub worktree: Worktree,
    /// What is kept about it for the task.
    pub log: SessionLog,
}

impl Store {
    /// Begins a task's session: with a worktree to be made and a primary worker to be started, all of it or nothing.
    /// However many ask at once, one of them gets it.
    ///
    /// # Errors
    ///
    /// [`StoreError::WrongState`] unless the task is active, [`Conflict::HasSession`](crate::Conflict::HasSession) if it
    /// has a session.
    pub fn begin_session(
        &self,
        task: TaskId,
        session: &NewTaskSession,
        worker: &NewWorker,
        now: Timestamp,
    ) -> Result<Begun, StoreError> {
        self.write(|tx| {
            let wanted = tasks::find(tx, task)?;
            if wanted.state != TaskState::Active {
                let (what, is) = (Object::Task(task), wanted.state.as_str());
                return Err(StoreError::WrongState { what, is, step: "started" });
            }
            tasks::refuse_session(&wanted)?;
            worktree_row::insert(tx, wanted.repository, &session.worktree, now)?;
            let kind = SessionKind::Worktree { repository: wanted.repository, worktree: session.worktree.id };
            let location = session.worktree.path.clone();
            let new = NewSession { id: session.id, kind, location, title: session.title.clone() };
            session_row::insert(tx, &new, Some(task), now)?;
            worker_row::insert(tx, session.id, worker, true, now)?;
            give(tx, task, session.id, now)?;
            Ok(Begun {
                task: tasks::find(tx, task)?,
                session: session_row::find(tx, session.id)?,
                worktree: worktree_row::find(tx, session.worktree.id)?,
                worker: worker_row::find(tx, worker.id)?,
            })
        })
    }

    /// A session's start failed: a worktree that was still being made is gone, and a worker that was still being started has
    /// failed. If they are further in their lives, they stay as they are.
    ///
    /// # Errors
    ///
    /// When one of them is not there.
    pub fn start_failed(
        &self,
        worktree: WorktreeId,
        worker: WorkerId,
        reason: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(|tx| {
            if worktree_row::find(tx, worktree)?.place == WorktreePlace::Making {
                worktree_steps::gone(tx, worktree, now)?;
            }
            let life = worker_row::find(tx, worker)?.life;
            if matches!(life, WorkerLife::Pending | WorkerLife::Provisioning) {
                worker_steps::fail(tx, worker, reason, now)?;
            }
            Ok(())
        })
    }

    /// Archives a task's session: writes its log, with the worktree that was `kept`; takes it from the task and closes
    /// it. Its worktree is [kept](KeptReason::AwaitsTrash) for now. The session's and the workers' own entries stay, so that
    /// recordings can be found. If the task is to be completed, it is in the same step, also when it has no session.
    ///
    /// Nothing if the task has no session. The session is named, because the task may have got another one since the
    /// caller looked.
    ///
    /// # Errors
    ///
    /// [`Conflict::HasSession`](crate::Conflict::HasSession) if the task has another session; when the task is not
    /// there, or cannot be completed.
    pub fn archive_this_session(
        &self,
        task: TaskId,
        session: SessionId,
        now: Timestamp,
        kept: Option<&Path>,
        complete: bool,
    ) -> Result<Option<Archived>, StoreError> {
        self.write(|tx| {
            let was = tasks::find(tx, task)?;
            if was.session != Some(session) {
                tasks::refuse_session(&was)?;
            }
            archive_and_complete(tx, &was, now, kept, complete)
        })
    }
}

fn archive_and_complete(
    tx: &Tx<'_>,
    task: &Task,
    now: Timestamp,
    kept: Option<&Path>,
    complete: bool,
) -> Result<Option<Archived>, StoreError> {
    let archived = match task.session {
        Some(session) => Some(archive(tx, task, session, now, kept)?),
        None => None,
    };
    if complete {
        task_states::step(tx, task.id, TaskState::complete)?;
    }
    Ok(archived)
}

/// Makes a session that of a task.
pub(crate) fn give(tx: &Tx<'_>, task: TaskId, session: SessionId, now: Timestamp) -> Result<(), StoreError> {
    let sql = "UPDATE tasks SET session_id = ?2, session_started_at = ?3 WHERE id = ?1 AND owner = ?4";
    tx.prepare_cached(sql)?.execute((task.as_str(), session.as_str(), stamp(now), tx.owner()))?;
    Ok(())
}

fn archive(
    tx: &Tx<'_>,
    task: &Task,
    session: SessionId,
    now: Timestamp,
    kept: Option<&Path>,
) -> Result<Archived, StoreError> {
    let worker = worker_row::primary(tx, session)?;
    let (exit, error) = worker.as_ref().map_or((LogExit::Failed, None), outcome);
    let log = SessionLog {
        id: session_logs::fresh_id(tx)?,
        task: task.id,
        session: Some(session),
        worker: worker.as_ref().filter(|worker| has_run(worker)).map(|worker| worker.id),
        started_at: task.session_started_at.unwrap_or(now),
        ended_at: now,
        exit,
        error,
        kept_worktree: kept.map(PathBuf::from),
    };
    session_logs::insert(tx, &log)?;
    let sql = "UPDATE tasks SET session_id = NULL, session_started_at = NULL WHERE id = ?1 AND owner = ?2";
    tx.prepare_cached(sql)?.execute([task.id.as_str(), tx.owner()])?;
    session_row::close(tx, session, now)?;
    let session = session_row::find(tx, session)?;
    let SessionKind::Worktree { worktree, .. } = session.kind else {
        let reason = format!("the session of {} is in no worktree", Object::Task(task.id));
        return Err(StoreError::Corrupt { reason });
    };
    if worktree_row::find(tx, worktree)?.place == WorktreePlace::Ready {
        let kept = WorktreePlace::Kept { reason: KeptReason::AwaitsTrash };
        worktree_steps::step(tx, worktree, &worktree_steps::KEPT, &kept)?;
    }
    Ok(Archived { worktree: worktree_row::find(tx, worktree)?, session, worker, log })
}

/// Whether there is anything of a worker to be watched.
fn has_run(worker: &Worker) -> bool {
    !matches!(worker.life, WorkerLife::Failed { .. })
}

/// How a session ended, and why it failed if it did: it is done only if its worker was.
fn outcome(worker: &Worker) -> (LogExit, Option<String>) {
    if SessionStatus::of(&worker.life, worker.activity) == SessionStatus::Done {
        return (LogExit::Done, None);
    }
    let error = match &worker.life {
        WorkerLife::Failed { reason } | WorkerLife::Lost { reason } => reason.clone(),
        WorkerLife::Exited { status } => status.to_string(),
        life => format!("archived while {}", life.as_str()),
    };
    (LogExit::Failed, Some(error))
}
