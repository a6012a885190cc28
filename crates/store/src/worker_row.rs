//! A worker's row: put down, found, and turned into a worker.

use jiff::Timestamp;
use model::{Activity, SessionId, WorkerId, WorkerLife};
use rusqlite::{OptionalExtension, Row, params};

use crate::columns::{Columns, json, stamp};
use crate::error::StoreError;
use crate::object::Object;
use crate::sessions::SessionFilter;
use crate::transaction::Tx;
use crate::worker_columns::{data, kind, life};
use crate::workers::{NewWorker, Worker};

/// Adds a worker that is asked for.
pub(crate) fn insert(
    tx: &Tx<'_>,
    session: SessionId,
    worker: &NewWorker,
    primary: bool,
    now: Timestamp,
) -> Result<(), StoreError> {
    Object::Worker(worker.id).must_be_new(tx)?;
    let position = in_order(tx, session)?.len() as i64;
    let sql = "INSERT INTO workers (id, session_id, kind, data, name, command, life, activity, position, is_primary,
                                    created_at, owner)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    tx.prepare_cached(sql)?.execute(params![
        worker.id.as_str(),
        session.as_str(),
        worker.kind.as_str(),
        data(&worker.kind),
        worker.name,
        json(&worker.command),
        WorkerLife::Pending.as_str(),
        Activity::default().as_str(),
        position,
        primary,
        stamp(now),
        tx.owner(),
    ])?;
    Ok(())
}

/// The worker that a session was begun for.
pub(crate) fn primary(tx: &Tx<'_>, session: SessionId) -> Result<Option<Worker>, StoreError> {
    let sql = "SELECT * FROM workers WHERE session_id = ?1 AND owner = ?2 AND is_primary";
    Ok(tx.prepare_cached(sql)?.query_row([session.as_str(), tx.owner()], from_row).optional()?)
}

pub(crate) fn of_session(tx: &Tx<'_>, session: SessionId) -> Result<Vec<Worker>, StoreError> {
    let mut workers =
        tx.prepare_cached("SELECT * FROM workers WHERE session_id = ?1 AND owner = ?2 ORDER BY position")?;
    Ok(workers.query_map([session.as_str(), tx.owner()], from_row)?.collect::<Result<_, _>>()?)
}

/// The workers of many sessions, those of each in their order.
pub(crate) fn of_sessions(tx: &Tx<'_>, filter: SessionFilter) -> Result<Vec<Worker>, StoreError> {
    let sql = "SELECT workers.* FROM workers JOIN sessions ON sessions.id = workers.session_id
               WHERE workers.owner = ?1 AND sessions.owner = ?1 AND (?2 OR sessions.closed_at IS NULL)
               ORDER BY workers.session_id, workers.position";
    let mut workers = tx.prepare_cached(sql)?;
    Ok(workers.query_map((tx.owner(), filter == SessionFilter::All), from_row)?.collect::<Result<_, _>>()?)
}

pub(crate) fn find(tx: &Tx<'_>, id: WorkerId) -> Result<Worker, StoreError> {
    tx.prepare_cached("SELECT * FROM workers WHERE id = ?1 AND owner = ?2")?
        .query_row([id.as_str(), tx.owner()], from_row)
        .optional()?
        .ok_or(StoreError::NotFound { what: Object::Worker(id) })
}

pub(crate) fn ids(tx: &Tx<'_>) -> Result<Vec<WorkerId>, StoreError> {
    let mut workers = tx.prepare_cached("SELECT id FROM workers WHERE owner = ?1")?;
    Ok(workers.query_map([tx.owner()], |row| row.word("id"))?.collect::<Result<_, _>>()?)
}

pub(crate) fn in_order(tx: &Tx<'_>, session: SessionId) -> Result<Vec<WorkerId>, StoreError> {
    let mut workers =
        tx.prepare_cached("SELECT id FROM workers WHERE session_id = ?1 AND owner = ?2 ORDER BY position")?;
    Ok(workers.query_map([session.as_str(), tx.owner()], |row| row.word("id"))?.collect::<Result<_, _>>()?)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Worker> {
    Ok(Worker {
        id: row.word("id")?,
        session: row.word("session_id")?,
        kind: kind(row)?,
        name: row.get("name")?,
        command: row.json("command")?,
        life: life(row)?,
        activity: row.word("activity")?,
        position: row.get("position")?,
        primary: row.get("is_primary")?,
        replaced: row.get("replaced")?,
        created_at: row.word("created_at")?,
        started_at: row.word_or_null("started_at")?,
        ended_at: row.word_or_null("ended_at")?,
    })
}
