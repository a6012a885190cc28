//! A worktree's row: put down, found, and turned into a worktree.

use std::path::Path;

use jiff::Timestamp;
use model::{RepositoryId, WorktreeId};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::columns::{Columns, bytes, stamp, unknown_word};
use crate::error::{Conflict, StoreError};
use crate::object::Object;
use crate::repositories;
use crate::worktrees::{NewWorktree, Worktree, WorktreePlace};

/// Adds a worktree that is being made.
pub(crate) fn insert(
    connection: &Connection,
    repository: RepositoryId,
    worktree: &NewWorktree,
    now: Timestamp,
) -> Result<(), StoreError> {
    repositories::find(connection, repository)?;
    Object::Worktree(worktree.id).must_be_new(connection)?;
    refuse_known(connection, &worktree.path)?;
    let sql = "INSERT INTO worktrees (id, repository_id, path, branch, base_commit, made_by_abide, place, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'making', ?7)";
    connection.prepare_cached(sql)?.execute(params![
        worktree.id.as_str(),
        repository.as_str(),
        bytes(&worktree.path),
        worktree.branch,
        worktree.base_commit,
        worktree.made_by_abide,
        stamp(now),
    ])?;
    Ok(())
}

/// Refuses a path at which there is a worktree.
pub(crate) fn refuse_known(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    find_by_path(connection, path)?.map_or(Ok(()), |known| Err(Conflict::WorktreeKnown(known.id).into()))
}

pub(crate) fn find(connection: &Connection, id: WorktreeId) -> Result<Worktree, StoreError> {
    connection
        .prepare_cached("SELECT * FROM worktrees WHERE id = ?1")?
        .query_row([id.as_str()], from_row)
        .optional()?
        .ok_or(StoreError::NotFound { what: Object::Worktree(id) })
}

pub(crate) fn find_by_path(connection: &Connection, path: &Path) -> Result<Option<Worktree>, StoreError> {
    let sql = "SELECT * FROM worktrees WHERE path = ?1 AND place NOT IN ('trashed', 'gone')";
    Ok(connection.prepare_cached(sql)?.query_row([bytes(path)], from_row).optional()?)
}

pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<Worktree> {
    Ok(Worktree {
        id: row.word("id")?,
        repository: row.word("repository_id")?,
        path: row.path("path")?,
        branch: row.get("branch")?,
        base_commit: row.get("base_commit")?,
        made_by_abide: row.get("made_by_abide")?,
        place: place(row)?,
        created_at: row.word("created_at")?,
    })
}

fn place(row: &Row<'_>) -> rusqlite::Result<WorktreePlace> {
    Ok(match row.get_ref("place")?.as_str()? {
        "making" => WorktreePlace::Making,
        "ready" => WorktreePlace::Ready,
        "missing" => WorktreePlace::Missing { since: row.word("place_at")? },
        "kept" => WorktreePlace::Kept { reason: row.get("kept_reason")? },
        "trashed" => WorktreePlace::Trashed {
            path: row.path("trash_path")?,
            at: row.word("place_at")?,
            head: row.get("trash_head")?,
            branch: row.get("trash_branch")?,
        },
        "gone" => WorktreePlace::Gone { at: row.word("place_at")? },
        other => return Err(unknown_word("place", other)),
    })
}
