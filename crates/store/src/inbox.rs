//! The inbox: what waits for a person.

use jiff::Timestamp;
use model::{InboxItemId, InboxReason, SessionId, ShownText, WorkerId, WorkerLife};
use rusqlite::{OptionalExtension, Row, params};

use crate::columns::{Columns, fresh_id, stamp};
use crate::error::StoreError;
use crate::object::Object;
use crate::session_row;
use crate::store::{Reader, Store};
use crate::transaction::Tx;
use crate::worker_row;
use crate::workers::{Worker, WorkerKind};

/// An entry of the inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxItem {
    /// Which one.
    pub id: InboxItemId,
    /// The worker that waits.
    pub worker: WorkerId,
    /// Why.
    pub reason: InboxReason,
    /// Which question or which turn it is about.
    pub mark: String,
    /// The question, the agent's last words, or the error.
    pub words: Option<ShownText>,
    /// Since when the worker waits.
    pub since: Timestamp,
    /// When a person read it.
    pub read_at: Option<Timestamp>,
    /// Until when a person does not want to hear of it.
    pub snoozed_until: Option<Timestamp>,
    /// When a person was told of it outside of abide, or was found to know of it.
    pub told_at: Option<Timestamp>,
}

/// Something to be entered into the inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInboxItem {
    /// Why the worker waits.
    pub reason: InboxReason,
    /// Which question or which turn it is about.
    pub mark: String,
    /// The question, the agent's last words, or the error.
    pub words: Option<ShownText>,
    /// Since when the worker waits.
    pub since: Timestamp,
}

impl Reader {
    /// The inbox. What waits longest is first.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn inbox(&self) -> Result<Vec<InboxItem>, StoreError> {
        self.read(|tx| {
            let mut items = tx.prepare_cached("SELECT * FROM inbox WHERE owner = ?1 ORDER BY since, id")?;
            Ok(items.query_map([tx.owner()], from_row)?.collect::<Result<_, _>>()?)
        })
    }

    /// One entry of the inbox.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn inbox_item(&self, id: InboxItemId) -> Result<InboxItem, StoreError> {
        self.read(|tx| find(tx, id))
    }

    /// What a worker waits for.
    ///
    /// # Errors
    ///
    /// When the worker is not there.
    pub fn inbox_item_of(&self, worker: WorkerId) -> Result<Option<InboxItem>, StoreError> {
        self.read(|tx| {
            worker_row::find(tx, worker)?;
            of_worker(tx, worker)
        })
    }
}

impl Store {
    /// Enters what a worker waits for, in the place of what it waited for before. If it is entered already, by reason and
    /// mark, the entry stays as it is: it was perhaps read or snoozed.
    ///
    /// # Errors
    ///
    /// When the worker is not there, or has ended.
    pub fn enter_inbox(&self, worker: WorkerId, new: &NewInboxItem) -> Result<InboxItem, StoreError> {
        self.write(|tx| {
            let life = worker_row::find(tx, worker)?.life;
            if !life.is_open() {
                let (what, is) = (Object::Worker(worker), life.as_str());
                return Err(StoreError::WrongState { what, is, step: "asking" });
            }
            if let Some(known) = of_worker(tx, worker)?
                && (known.reason, &known.mark) == (new.reason, &new.mark)
            {
                return Ok(known);
            }
            let id = enter(tx, worker, new.reason, &new.mark, new.words.as_deref(), new.since)?;
            find(tx, id)
        })
    }

    /// Says in other words why a worker failed, if that is in the inbox.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn say_why_failed(&self, worker: WorkerId, words: &str) -> Result<(), StoreError> {
        self.write(|tx| {
            let sql = "UPDATE inbox SET words = ?2 WHERE worker_id = ?1 AND owner = ?3 AND reason = 'failed'";
            tx.prepare_cached(sql)?.execute([worker.as_str(), words, tx.owner()])?;
            Ok(())
        })
    }

    /// A worker waits for nothing any more. Says whether it waited.
    ///
    /// # Errors
    ///
    /// When the worker is not there.
    pub fn leave_inbox(&self, worker: WorkerId) -> Result<bool, StoreError> {
        self.write(|tx| {
            worker_row::find(tx, worker)?;
            leave(tx, worker)
        })
    }

    /// A person has read an entry. If the worker needs an answer, the entry stays, marked as read. Otherwise it leaves.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn read_inbox_item(&self, id: InboxItemId, now: Timestamp) -> Result<(), StoreError> {
        self.write(|tx| {
            let item = find(tx, id)?;
            if !item.reason.waits_for_answer() {
                leave(tx, item.worker)?;
                return Ok(());
            }
            let sql = "UPDATE inbox SET read_at = coalesce(read_at, ?2) WHERE id = ?1 AND owner = ?3";
            tx.prepare_cached(sql)?.execute((id.as_str(), stamp(now), tx.owner()))?;
            Ok(())
        })
    }

    /// A person is being told of these entries, or knows of them. Entries that have left are skipped.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn note_told(&self, items: &[InboxItemId], now: Timestamp) -> Result<(), StoreError> {
        self.write(|tx| {
            let sql = "UPDATE inbox SET told_at = coalesce(told_at, ?2) WHERE id = ?1 AND owner = ?3";
            for id in items {
                tx.prepare_cached(sql)?.execute((id.as_str(), stamp(now), tx.owner()))?;
            }
            Ok(())
        })
    }

    /// A person does not want to hear of an entry until then; or again, if no time is given.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn snooze_inbox_item(
        &self,
        id: InboxItemId,
        until: Option<Timestamp>,
    ) -> Result<InboxItem, StoreError> {
        self.write(|tx| {
            let sql = "UPDATE inbox SET snoozed_until = ?2 WHERE id = ?1 AND owner = ?3";
            tx.prepare_cached(sql)?.execute((id.as_str(), until.map(stamp), tx.owner()))?;
            find(tx, id)
        })
    }
}

/// What a worker's new life means for the inbox. Only agents are worth a person's time when they end by themselves.
/// `on_request` says that its end was asked for.
pub(crate) fn note_life(
    tx: &Tx<'_>,
    worker: &Worker,
    on_request: bool,
    since: Timestamp,
) -> Result<(), StoreError> {
    if session_row::find(tx, worker.session)?.closed_at.is_some() {
        return leave(tx, worker.id).map(drop);
    }
    let is_agent = matches!(worker.kind, WorkerKind::Agent { .. });
    let (reason, words) = match &worker.life {
        WorkerLife::Lost { reason } => (InboxReason::Lost, Some(reason.clone())),
        WorkerLife::Failed { reason } => (InboxReason::Failed, Some(reason.clone())),
        WorkerLife::Exited { status } if is_agent && !on_request => match status.is_success() {
            true => (InboxReason::Finished, None),
            false => (InboxReason::Failed, Some(status.to_string())),
        },
        WorkerLife::Exited { .. } | WorkerLife::Paused => return leave(tx, worker.id).map(drop),
        WorkerLife::Live => {
            // A host that was given up is there after all.
            let sql = "DELETE FROM inbox WHERE worker_id = ?1 AND owner = ?2 AND reason = 'lost'";
            tx.prepare_cached(sql)?.execute([worker.id.as_str(), tx.owner()])?;
            return Ok(());
        }
        WorkerLife::Pending | WorkerLife::Provisioning => return Ok(()),
    };
    enter(tx, worker.id, reason, worker.life.as_str(), words.as_deref(), since).map(drop)
}

fn enter(
    tx: &Tx<'_>,
    worker: WorkerId,
    reason: InboxReason,
    mark: &str,
    words: Option<&str>,
    since: Timestamp,
) -> Result<InboxItemId, StoreError> {
    leave(tx, worker)?;
    let id = fresh_id(tx, "inbox", InboxItemId::from_random)?;
    let sql = "INSERT INTO inbox (id, worker_id, reason, mark, words, since, owner)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let since = stamp(since);
    tx.prepare_cached(sql)?.execute(params![
        id.as_str(),
        worker.as_str(),
        reason.as_str(),
        mark,
        words,
        since,
        tx.owner(),
    ])?;
    Ok(id)
}

/// The workers of a closed session wait for nothing.
pub(crate) fn leave_with_session(tx: &Tx<'_>, session: SessionId) -> Result<(), StoreError> {
    let sql = "DELETE FROM inbox WHERE inbox.owner = ?2
               AND worker_id IN (SELECT id FROM workers WHERE session_id = ?1 AND workers.owner = ?2)";
    tx.prepare_cached(sql)?.execute([session.as_str(), tx.owner()])?;
    Ok(())
}

pub(crate) fn leave(tx: &Tx<'_>, worker: WorkerId) -> Result<bool, StoreError> {
    let sql = "DELETE FROM inbox WHERE worker_id = ?1 AND owner = ?2";
    Ok(tx.prepare_cached(sql)?.execute([worker.as_str(), tx.owner()])? > 0)
}

fn of_worker(tx: &Tx<'_>, worker: WorkerId) -> Result<Option<InboxItem>, StoreError> {
    let sql = "SELECT * FROM inbox WHERE worker_id = ?1 AND owner = ?2";
    Ok(tx.prepare_cached(sql)?.query_row([worker.as_str(), tx.owner()], from_row).optional()?)
}

fn find(tx: &Tx<'_>, id: InboxItemId) -> Result<InboxItem, StoreError> {
    tx.prepare_cached("SELECT * FROM inbox WHERE id = ?1 AND owner = ?2")?
        .query_row([id.as_str(), tx.owner()], from_row)
        .optional()?
        .ok_or(StoreError::NotFound { what: Object::InboxItem(id) })
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<InboxItem> {
    Ok(InboxItem {
        id: row.word("id")?,
        worker: row.word("worker_id")?,
        reason: row.word("reason")?,
        mark: row.get("mark")?,
        words: row.word_or_null("words")?,
        since: row.word("since")?,
        read_at: row.word_or_null("read_at")?,
        snoozed_until: row.word_or_null("snoozed_until")?,
        told_at: row.word_or_null("told_at")?,
    })
}
