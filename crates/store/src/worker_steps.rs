//! The steps of a worker's life.

use jiff::Timestamp;
use model::{ExitStatus, WorkerId, WorkerLife};
use rusqlite::params;

use crate::columns::{any_of, stamp};
use crate::error::StoreError;
use crate::inbox;
use crate::object::Object;
use crate::prompts;
use crate::store::Store;
use crate::transaction::Tx;
use crate::worker_columns::LifeColumns;
use crate::worker_row;
use crate::workers::Worker;

/// A step of a worker's life: where it leads to from each life, `–` being refused.
///
/// | from         | provisioned  | live | exited | failed | lost | paused |
/// |--------------|--------------|------|--------|--------|------|--------|
/// | pending      | provisioning | live | exited | failed | lost | –      |
/// | provisioning | –            | live | exited | failed | lost | –      |
/// | live         | –            | live | exited | –      | lost | paused |
/// | paused       | –            | –    | –      | –      | –    | –      |
/// | exited       | –            | –    | –      | –      | –    | –      |
/// | failed       | –            | –    | –      | –      | –    | –      |
/// | lost         | –            | live | exited | –      | –    | –      |
///
/// A child may end before the server heard that it runs. A host that was given up may turn up after all, alive or
/// with a note on how its child ended. A living one is adopted by each server anew.
struct Step {
    /// The word for it, behind "cannot be".
    name: &'static str,
    /// The lives that it may be taken from.
    from: &'static [&'static str],
}

const PROVISIONED: Step = Step { name: "provisioned", from: &["pending"] };
const LIVE: Step = Step { name: "live", from: &["pending", "provisioning", "live", "lost"] };
const EXITED: Step = Step { name: "exited", from: &["pending", "provisioning", "live", "lost"] };
const FAILED: Step = Step { name: "failed", from: &["pending", "provisioning"] };
const LOST: Step = Step { name: "lost", from: &["pending", "provisioning", "live"] };
const PAUSED: Step = Step { name: "paused", from: &["live"] };

impl Store {
    /// Its place is being made.
    ///
    /// # Errors
    ///
    /// Unless it is pending.
    pub fn worker_provisioning(&self, id: WorkerId) -> Result<Worker, StoreError> {
        self.write(|tx| step(tx, id, &PROVISIONED, &WorkerLife::Provisioning, None))
    }

    /// Its child runs. Said of one that is known to be live, it changes nothing.
    ///
    /// # Errors
    ///
    /// When it ended, failed or was paused.
    pub fn worker_live(&self, id: WorkerId, now: Timestamp) -> Result<Worker, StoreError> {
        self.write(|tx| {
            step(tx, id, &LIVE, &WorkerLife::Live, None)?;
            let sql = "UPDATE workers SET started_at = coalesce(started_at, ?2) WHERE id = ?1 AND owner = ?3";
            tx.prepare_cached(sql)?.execute((id.as_str(), stamp(now), tx.owner()))?;
            let worker = worker_row::find(tx, id)?;
            inbox::note_life(tx, &worker, false, now)?;
            Ok(worker)
        })
    }

    /// Its child ended. `on_request` says that this was asked for; an agent that ends by itself is entered into the inbox.
    ///
    /// # Errors
    ///
    /// When that is known already, or it was paused or never started.
    pub fn worker_exited(
        &self,
        id: WorkerId,
        status: ExitStatus,
        at: Timestamp,
        on_request: bool,
    ) -> Result<Worker, StoreError> {
        self.write(|tx| {
            let worker = step(tx, id, &EXITED, &WorkerLife::Exited { status }, Some(at))?;
            inbox::note_life(tx, &worker, on_request, at)?;
            Ok(worker)
        })
    }

    /// It could not be started.
    ///
    /// # Errors
    ///
    /// When it was.
    pub fn worker_failed(&self, id: WorkerId, reason: &str, now: Timestamp) -> Result<Worker, StoreError> {
        self.write(|tx| fail(tx, id, reason, now))
    }

    /// Its host vanished.
    ///
    /// # Errors
    ///
    /// When there was none any more.
    pub fn worker_lost(&self, id: WorkerId, reason: &str, now: Timestamp) -> Result<Worker, StoreError> {
        let life = WorkerLife::Lost { reason: reason.to_owned() };
        self.write(|tx| {
            let worker = step(tx, id, &LOST, &life, Some(now))?;
            inbox::note_life(tx, &worker, false, now)?;
            Ok(worker)
        })
    }

    /// It was ended to be taken up again.
    ///
    /// # Errors
    ///
    /// Unless it was live.
    pub fn worker_paused(&self, id: WorkerId, now: Timestamp) -> Result<Worker, StoreError> {
        self.write(|tx| {
            let worker = step(tx, id, &PAUSED, &WorkerLife::Paused, Some(now))?;
            inbox::note_life(tx, &worker, true, now)?;
            Ok(worker)
        })
    }
}

/// It could not be started.
pub(crate) fn fail(tx: &Tx<'_>, id: WorkerId, reason: &str, now: Timestamp) -> Result<Worker, StoreError> {
    let life = WorkerLife::Failed { reason: reason.to_owned() };
    let worker = step(tx, id, &FAILED, &life, Some(now))?;
    inbox::note_life(tx, &worker, false, now)?;
    Ok(worker)
}

/// Takes a step, if it may be taken from where the worker is.
fn step(
    tx: &Tx<'_>,
    id: WorkerId,
    taken: &Step,
    to: &WorkerLife,
    ended_at: Option<Timestamp>,
) -> Result<Worker, StoreError> {
    let sql = format!(
        "UPDATE workers SET life = ?2, exit_kind = ?3, exit_value = ?4, reason = ?5, ended_at = ?6
         WHERE id = ?1 AND owner = ?7 AND life IN ({})",
        any_of(taken.from)
    );
    let LifeColumns { exit_kind, exit_value, reason } = LifeColumns::of(to);
    let ended = ended_at.map(stamp);
    let columns = params![id.as_str(), to.as_str(), exit_kind, exit_value, reason, ended, tx.owner()];
    let changed = tx.prepare_cached(&sql)?.execute(columns)?;
    let worker = worker_row::find(tx, id)?;
    if changed == 1 {
        if let Some(at) = ended_at {
            prompts::note_life(tx, id, to, at)?;
        }
        return Ok(worker);
    }
    Err(StoreError::WrongState { what: Object::Worker(id), is: worker.life.as_str(), step: taken.name })
}

#[cfg(test)]
mod tests {
    use model::{OwnerId, SessionId};

    use super::*;
    use crate::adopt::{AdoptedSession, AdoptedWorker};
    use crate::database::Database;
    use crate::step_table::cells;
    use crate::workers::{NewWorker, WorkerKind};

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn life(word: &str) -> WorkerLife {
        let reason = || "so it is".to_owned();
        let all = [
            WorkerLife::Pending,
            WorkerLife::Provisioning,
            WorkerLife::Live,
            WorkerLife::Paused,
            WorkerLife::Exited { status: ExitStatus::Exited { code: 1 } },
            WorkerLife::Failed { reason: reason() },
            WorkerLife::Lost { reason: reason() },
        ];
        all.into_iter().find(|life| life.as_str() == word).expect("a life")
    }

    /// A worker with this life.
    fn worker(store: &Store, life: WorkerLife) -> WorkerId {
        let id = WorkerId::from_random([1; 8]);
        let (name, command) = ("worker".to_owned(), vec!["true".to_owned()]);
        let adopted = AdoptedWorker {
            worker: NewWorker { id, kind: WorkerKind::Terminal, name, command },
            session: AdoptedSession::Quick { id: SessionId::from_random([1; 8]) },
            location: "/".into(),
            life,
            created_at: NOW,
            ended_at: None,
        };
        store.adopt_worker(&adopted, NOW).unwrap();
        id
    }

    fn take(store: &Store, id: WorkerId, step: &str) -> Result<Worker, StoreError> {
        match step {
            "provisioned" => store.worker_provisioning(id),
            "live" => store.worker_live(id, NOW),
            "exited" => store.worker_exited(id, ExitStatus::Unknown, NOW, false),
            "failed" => store.worker_failed(id, "no such program", NOW),
            "lost" => store.worker_lost(id, "no host", NOW),
            "paused" => store.worker_paused(id, NOW),
            other => panic!("`{other}` is no step"),
        }
    }

    #[test]
    fn the_table_says_which_steps_may_be_taken() {
        let cells = cells(include_str!("worker_steps.rs"));
        assert_eq!(cells.len(), 7 * 6, "every step from every life");
        for cell in cells {
            let store = Database::in_memory().of(OwnerId::ONLY);
            let id = worker(&store, life(cell.from));
            let before = store.worker(id).unwrap();
            let taken = take(&store, id, cell.step);
            match cell.to {
                Some(to) => {
                    assert_eq!(taken.as_ref().unwrap().life.as_str(), to, "{} {}", cell.from, cell.step);
                }
                None => {
                    let (what, is, step) = (Object::Worker(id), before.life.as_str(), cell.step);
                    assert_eq!(taken, Err(StoreError::WrongState { what, is, step }));
                    assert_eq!(store.worker(id), Ok(before));
                }
            }
        }
    }
}
