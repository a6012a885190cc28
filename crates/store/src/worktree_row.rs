//! A worktree's row: put down, found, and turned into a worktree.

use std::path::Path;

use jiff::Timestamp;
use model::{RepositoryId, WorktreeId};
use rusqlite::{OptionalExtension, Row, params};

use crate::columns::{Columns, bytes, stamp, unknown_word};
use crate::error::{Conflict, StoreError};
use crate::object::Object;
use crate::repositories;
use crate::transaction::Tx;
use crate::worktrees::{KeptReason, NewWorktree, Worktree, WorktreePlace};

/// Adds a worktree that is being made.
pub(crate) fn insert(
    tx: &Tx<'_>,
    repository: RepositoryId,
    worktree: &NewWorktree,
    now: Timestamp,
) -> Result<(), StoreError> {
    repositories::find(tx, repository)?;
    Object::Worktree(worktree.id).must_be_new(tx)?;
    refuse_known(tx, &worktree.path)?;
    let sql = "INSERT INTO worktrees (id, repository_id, path, branch, base_commit, made_by_abide, place, created_at,
                                      owner)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'making', ?7, ?8)";
    tx.prepare_cached(sql)?.execute(params![
        worktree.id.as_str(),
        repository.as_str(),
        bytes(&worktree.path),
        worktree.branch,
        worktree.base_commit,
        worktree.made_by_abide,
        stamp(now),
        tx.owner(),
    ])?;
    Ok(())
}

/// Refuses a path at which there is a worktree.
pub(crate) fn refuse_known(tx: &Tx<'_>, path: &Path) -> Result<(), StoreError> {
    find_by_path(tx, path)?.map_or(Ok(()), |known| Err(Conflict::WorktreeKnown(known.id).into()))
}

pub(crate) fn find(tx: &Tx<'_>, id: WorktreeId) -> Result<Worktree, StoreError> {
    tx.prepare_cached("SELECT * FROM worktrees WHERE id = ?1 AND owner = ?2")?
        .query_row([id.as_str(), tx.owner()], from_row)
        .optional()?
        .ok_or(StoreError::NotFound { what: Object::Worktree(id) })
}

pub(crate) fn find_by_path(tx: &Tx<'_>, path: &Path) -> Result<Option<Worktree>, StoreError> {
    let sql = "SELECT * FROM worktrees WHERE path = ?1 AND owner = ?2 AND place NOT IN ('trashed', 'gone')";
    Ok(tx.prepare_cached(sql)?.query_row(params![bytes(path), tx.owner()], from_row).optional()?)
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
        "kept" if row.get("awaits_trash")? => WorktreePlace::Kept { reason: KeptReason::AwaitsTrash },
        "kept" => WorktreePlace::Kept { reason: KeptReason::Because(row.get("kept_reason")?) },
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
