//! A session's row: put down, found, and turned into a session.

use jiff::Timestamp;
use model::{SessionId, TaskId};
use rusqlite::{OptionalExtension, Row, params};

use crate::columns::{Columns, bytes, stamp, unknown_word};
use crate::error::StoreError;
use crate::inbox;
use crate::object::Object;
use crate::sessions::{NewSession, Session, SessionFilter, SessionKind};
use crate::transaction::Tx;

/// The sessions of the owner `?1`. The repository of a session is that of its worktree, which its own row does not repeat.
const OWNED: &str = "SELECT sessions.*, worktrees.repository_id FROM sessions
                     LEFT JOIN worktrees ON worktrees.id = sessions.worktree_id AND worktrees.owner = ?1
                     WHERE sessions.owner = ?1";

pub(crate) fn insert(
    tx: &Tx<'_>,
    session: &NewSession,
    task: Option<TaskId>,
    now: Timestamp,
) -> Result<(), StoreError> {
    Object::Session(session.id).must_be_new(tx)?;
    let worktree = match &session.kind {
        SessionKind::Quick => None,
        SessionKind::Worktree { worktree, .. } => Some(worktree.as_str()),
    };
    let sql = "INSERT INTO sessions (id, kind, worktree_id, location, task_id, title, created_at, owner)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    tx.prepare_cached(sql)?.execute(params![
        session.id.as_str(),
        session.kind.as_str(),
        worktree,
        bytes(&session.location),
        task.as_ref().map(TaskId::as_str),
        session.title,
        stamp(now),
        tx.owner(),
    ])?;
    Ok(())
}

pub(crate) fn close(tx: &Tx<'_>, id: SessionId, now: Timestamp) -> Result<(), StoreError> {
    let sql = "UPDATE sessions SET closed_at = coalesce(closed_at, ?2) WHERE id = ?1 AND owner = ?3";
    tx.prepare_cached(sql)?.execute((id.as_str(), stamp(now), tx.owner()))?;
    inbox::leave_with_session(tx, id)
}

/// The task that has this session now.
pub(crate) fn current_task(tx: &Tx<'_>, id: SessionId) -> Result<Option<TaskId>, StoreError> {
    let sql = "SELECT id FROM tasks WHERE session_id = ?1 AND owner = ?2";
    Ok(tx.prepare_cached(sql)?.query_row([id.as_str(), tx.owner()], |row| row.word("id")).optional()?)
}

pub(crate) fn list(tx: &Tx<'_>, filter: SessionFilter) -> Result<Vec<Session>, StoreError> {
    let sql =
        format!("{OWNED} AND (?2 OR sessions.closed_at IS NULL) ORDER BY sessions.created_at, sessions.id");
    let mut sessions = tx.prepare_cached(&sql)?;
    Ok(sessions.query_map((tx.owner(), filter == SessionFilter::All), from_row)?.collect::<Result<_, _>>()?)
}

pub(crate) fn find(tx: &Tx<'_>, id: SessionId) -> Result<Session, StoreError> {
    tx.prepare_cached(&format!("{OWNED} AND sessions.id = ?2"))?
        .query_row([tx.owner(), id.as_str()], from_row)
        .optional()?
        .ok_or(StoreError::NotFound { what: Object::Session(id) })
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        id: row.word("id")?,
        kind: kind(row)?,
        location: row.path("location")?,
        task: row.word_or_null("task_id")?,
        title: row.get("title")?,
        notices: row.json("notices")?,
        created_at: row.word("created_at")?,
        closed_at: row.word_or_null("closed_at")?,
    })
}

fn kind(row: &Row<'_>) -> rusqlite::Result<SessionKind> {
    Ok(match row.get_ref("kind")?.as_str()? {
        "quick" => SessionKind::Quick,
        "worktree" => SessionKind::Worktree {
            repository: row.word("repository_id")?,
            worktree: row.word("worktree_id")?,
        },
        other => return Err(unknown_word("kind of session", other)),
    })
}
