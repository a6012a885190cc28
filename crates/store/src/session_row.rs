//! A session's row: put down, found, and turned into a session.

use jiff::Timestamp;
use model::{SessionId, TaskId};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::columns::{Columns, bytes, stamp, unknown_word};
use crate::error::StoreError;
use crate::object::Object;
use crate::sessions::{NewSession, Session, SessionFilter, SessionKind};

/// The repository of a session is that of its worktree, which its own row does not repeat.
const SELECT: &str = "SELECT sessions.*, worktrees.repository_id FROM sessions
                                 LEFT JOIN worktrees ON worktrees.id = sessions.worktree_id";

pub(crate) fn insert(
    connection: &Connection,
    session: &NewSession,
    task: Option<TaskId>,
    now: Timestamp,
) -> Result<(), StoreError> {
    Object::Session(session.id).must_be_new(connection)?;
    let worktree = match &session.kind {
        SessionKind::Quick => None,
        SessionKind::Worktree { worktree, .. } => Some(worktree.as_str()),
    };
    let sql = "INSERT INTO sessions (id, kind, worktree_id, location, task_id, title, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    connection.prepare_cached(sql)?.execute(params![
        session.id.as_str(),
        session.kind.as_str(),
        worktree,
        bytes(&session.location),
        task.as_ref().map(TaskId::as_str),
        session.title,
        stamp(now),
    ])?;
    Ok(())
}

pub(crate) fn close(connection: &Connection, id: SessionId, now: Timestamp) -> Result<(), StoreError> {
    connection
        .prepare_cached("UPDATE sessions SET closed_at = coalesce(closed_at, ?2) WHERE id = ?1")?
        .execute((id.as_str(), stamp(now)))?;
    Ok(())
}

/// The task that has this session now.
pub(crate) fn current_task(connection: &Connection, id: SessionId) -> Result<Option<TaskId>, StoreError> {
    let sql = "SELECT id FROM tasks WHERE session_id = ?1";
    Ok(connection.prepare_cached(sql)?.query_row([id.as_str()], |row| row.word("id")).optional()?)
}

pub(crate) fn list(connection: &Connection, filter: SessionFilter) -> Result<Vec<Session>, StoreError> {
    let sql = format!("{SELECT} WHERE ?1 OR closed_at IS NULL ORDER BY sessions.created_at, sessions.id");
    let mut sessions = connection.prepare_cached(&sql)?;
    Ok(sessions.query_map([filter == SessionFilter::All], from_row)?.collect::<Result<_, _>>()?)
}

pub(crate) fn find(connection: &Connection, id: SessionId) -> Result<Session, StoreError> {
    connection
        .prepare_cached(&format!("{SELECT} WHERE sessions.id = ?1"))?
        .query_row([id.as_str()], from_row)
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
