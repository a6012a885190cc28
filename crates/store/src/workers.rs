//! Workers: the units of work in a session.

use jiff::Timestamp;
use model::{Activity, SessionId, WorkerId, WorkerLife};

use crate::error::{Conflict, StoreError};
use crate::inbox;
use crate::object::Object;
use crate::order::put_in_order;
use crate::session_row;
use crate::store::{Reader, Store};
use crate::worker_row;

/// One unit of work in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// Which one.
    pub id: WorkerId,
    /// Its session.
    pub session: SessionId,
    /// What it is.
    pub kind: WorkerKind,
    /// What a person calls it.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Where it is in its life.
    pub life: WorkerLife,
    /// What it was doing when that was last known.
    pub activity: Activity,
    /// Its place among the workers of its session, which counts from 0 without gaps.
    pub position: i64,
    /// Whether its session was begun for it, or for one that it was started in the place of.
    pub primary: bool,
    /// Whether another one was started in its place.
    pub replaced: bool,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When its child was started.
    pub started_at: Option<Timestamp>,
    /// When that ended, or was given up.
    pub ended_at: Option<Timestamp>,
}

/// What a worker is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerKind {
    /// A program in a terminal.
    Terminal,
    /// An agent in a terminal.
    Agent {
        /// Its definition's id.
        agent: String,
    },
}

impl WorkerKind {
    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            WorkerKind::Terminal => "terminal",
            WorkerKind::Agent { .. } => "agent",
        }
    }
}

/// A worker to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWorker {
    /// Its id, of which its directory's path is made.
    pub id: WorkerId,
    /// What it is.
    pub kind: WorkerKind,
    /// What a person calls it.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
}

impl Reader {
    /// One worker.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn worker(&self, id: WorkerId) -> Result<Worker, StoreError> {
        self.read(|tx| worker_row::find(tx, id))
    }

    /// The ids of all workers, in any order.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn worker_ids(&self) -> Result<Vec<WorkerId>, StoreError> {
        self.read(worker_row::ids)
    }

    /// The workers of a session, in their order.
    ///
    /// # Errors
    ///
    /// When the session is not there.
    pub fn workers(&self, session: SessionId) -> Result<Vec<Worker>, StoreError> {
        self.read(|tx| {
            session_row::find(tx, session)?;
            worker_row::of_session(tx, session)
        })
    }
}

impl Store {
    /// Adds another worker to an open session, at the end of its list.
    ///
    /// # Errors
    ///
    /// When the session is closed or not there, or the id is taken.
    pub fn add_worker(
        &self,
        session: SessionId,
        worker: &NewWorker,
        now: Timestamp,
    ) -> Result<Worker, StoreError> {
        self.write(|tx| {
            if session_row::find(tx, session)?.closed_at.is_some() {
                let what = Object::Session(session);
                return Err(StoreError::WrongState { what, is: "closed", step: "given a worker" });
            }
            worker_row::insert(tx, session, worker, false, now)?;
            worker_row::find(tx, worker.id)
        })
    }

    /// Calls a worker something else.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn rename_worker(&self, id: WorkerId, name: &str) -> Result<Worker, StoreError> {
        self.write(|tx| {
            tx.prepare_cached("UPDATE workers SET name = ?2 WHERE id = ?1 AND owner = ?3")?.execute((
                id.as_str(),
                name,
                tx.owner(),
            ))?;
            worker_row::find(tx, id)
        })
    }

    /// Notes what a worker is doing.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn set_activity(&self, id: WorkerId, activity: Activity) -> Result<Worker, StoreError> {
        self.write(|tx| {
            tx.prepare_cached("UPDATE workers SET activity = ?2 WHERE id = ?1 AND owner = ?3")?.execute((
                id.as_str(),
                activity.as_str(),
                tx.owner(),
            ))?;
            worker_row::find(tx, id)
        })
    }

    /// Puts the workers of a session in another order.
    ///
    /// # Errors
    ///
    /// [`Conflict::OtherWorkers`] unless they are those of the session, each once.
    pub fn reorder_workers(
        &self,
        session: SessionId,
        workers: &[WorkerId],
    ) -> Result<Vec<Worker>, StoreError> {
        self.write(|tx| {
            session_row::find(tx, session)?;
            let (mut wanted, mut there) = (workers.to_vec(), worker_row::in_order(tx, session)?);
            wanted.sort_unstable();
            there.sort_unstable();
            if wanted != there {
                return Err(Conflict::OtherWorkers.into());
            }
            put_in_order(tx, "workers", workers)?;
            worker_row::of_session(tx, session)
        })
    }

    /// Puts a worker in the place of an old one of its session: in front of it, and if the session was begun for the old
    /// one, it is the new one's now. The old one is called something else.
    ///
    /// # Errors
    ///
    /// When one of them is not there, or they are of different sessions.
    pub fn replace_worker(&self, old: WorkerId, name: &str, new: WorkerId) -> Result<(), StoreError> {
        self.write(|tx| {
            let (replaced, replacing) = (worker_row::find(tx, old)?, worker_row::find(tx, new)?);
            if replaced.session != replacing.session {
                return Err(Conflict::OtherWorkers.into());
            }
            let sql =
                "UPDATE workers SET name = ?2, replaced = 1, is_primary = 0 WHERE id = ?1 AND owner = ?3";
            tx.prepare_cached(sql)?.execute((old.as_str(), name, tx.owner()))?;
            inbox::leave(tx, old)?;
            let sql = "UPDATE workers SET is_primary = is_primary OR ?2 WHERE id = ?1 AND owner = ?3";
            tx.prepare_cached(sql)?.execute((new.as_str(), replaced.primary, tx.owner()))?;
            let mut order = worker_row::in_order(tx, replaced.session)?;
            order.retain(|&id| id != new);
            let at = order.iter().position(|&id| id == old).unwrap_or(order.len());
            order.insert(at, new);
            put_in_order(tx, "workers", &order)
        })
    }

    /// Forgets a worker, whose host the caller has ended.
    ///
    /// # Errors
    ///
    /// [`Conflict::PrimaryWorker`] while its session is a task's that is known by it.
    pub fn remove_worker(&self, id: WorkerId) -> Result<(), StoreError> {
        self.write(|tx| {
            let worker = worker_row::find(tx, id)?;
            if worker.primary && session_row::current_task(tx, worker.session)?.is_some() {
                return Err(Conflict::PrimaryWorker(id).into());
            }
            tx.prepare_cached("DELETE FROM workers WHERE id = ?1 AND owner = ?2")?
                .execute([id.as_str(), tx.owner()])?;
            put_in_order(tx, "workers", &worker_row::in_order(tx, worker.session)?)
        })
    }
}
