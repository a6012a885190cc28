//! Registered repositories.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use model::RepositoryId;
use rusqlite::{OptionalExtension, Row, params};

use crate::columns::{Columns, bytes, fresh_id, stamp};
use crate::error::{Conflict, StoreError};
use crate::object::Object;
use crate::store::{Reader, Store};
use crate::transaction::Tx;

/// A git repository that worktrees and tasks belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// Which one.
    pub id: RepositoryId,
    /// Its directory. No two have the same.
    pub path: PathBuf,
    /// What a person calls it.
    pub name: String,
    /// When it was registered first.
    pub created_at: Timestamp,
}

impl Reader {
    /// All repositories, in the order in which they were registered.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn repositories(&self) -> Result<Vec<Repository>, StoreError> {
        self.read(|tx| {
            let sql =
                "SELECT * FROM repositories WHERE owner = ?1 AND removed_at IS NULL ORDER BY created_at, id";
            let mut all = tx.prepare_cached(sql)?;
            Ok(all.query_map([tx.owner()], from_row)?.collect::<Result<_, _>>()?)
        })
    }

    /// One repository.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn repository(&self, id: RepositoryId) -> Result<Repository, StoreError> {
        self.read(|tx| find(tx, id))
    }
}

impl Store {
    /// Registers the repository at `path`. One that was there before is the same again, with its trash.
    ///
    /// # Errors
    ///
    /// [`Conflict::RepositoryKnown`] if it is registered.
    pub fn add_repository(&self, path: &Path, name: &str, now: Timestamp) -> Result<Repository, StoreError> {
        self.write(|tx| {
            let known: Option<(RepositoryId, bool)> = tx
                .prepare_cached(
                    "SELECT id, removed_at IS NULL AS is_there FROM repositories WHERE path = ?1 AND owner = ?2",
                )?
                .query_row(params![bytes(path), tx.owner()], |row| Ok((row.word("id")?, row.get("is_there")?)))
                .optional()?;
            let id = match known {
                Some((id, true)) => return Err(Conflict::RepositoryKnown(id).into()),
                Some((id, false)) => {
                    let sql = "UPDATE repositories SET removed_at = NULL, name = ?2 WHERE id = ?1 AND owner = ?3";
                    tx.prepare_cached(sql)?.execute((id.as_str(), name, tx.owner()))?;
                    id
                }
                None => {
                    let id = fresh_id(tx, "repositories", RepositoryId::from_random)?;
                    insert(tx, id, path, name, now)?;
                    id
                }
            };
            find(tx, id)
        })
    }

    /// Removes a repository from the list, and `with_tasks` its tasks and their logs. Its closed sessions and its
    /// trash stay.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] while it has worktrees that are neither gone nor in the trash, tasks with a session, or any tasks
    /// if these are not to go with it.
    pub fn remove_repository(
        &self,
        id: RepositoryId,
        with_tasks: bool,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(|tx| {
            find(tx, id)?;
            let has = |sql| tx.prepare_cached(sql)?.exists([id.as_str(), tx.owner()]);
            if has("SELECT 1 FROM worktrees
                    WHERE repository_id = ?1 AND owner = ?2 AND place NOT IN ('trashed', 'gone')")?
            {
                return Err(Conflict::RepositoryHasWorktrees.into());
            }
            if has("SELECT 1 FROM tasks WHERE repository_id = ?1 AND owner = ?2 AND session_id IS NOT NULL")?
            {
                return Err(Conflict::RepositoryHasSessions.into());
            }
            if !with_tasks && has("SELECT 1 FROM tasks WHERE repository_id = ?1 AND owner = ?2")? {
                return Err(Conflict::RepositoryHasTasks.into());
            }
            // The consent to its commands is asked again when it comes back.
            tx.prepare_cached("DELETE FROM consents WHERE repository_id = ?1 AND owner = ?2")?
                .execute([id.as_str(), tx.owner()])?;
            tx.prepare_cached("DELETE FROM tasks WHERE repository_id = ?1 AND owner = ?2")?
                .execute([id.as_str(), tx.owner()])?;
            tx.prepare_cached("UPDATE repositories SET removed_at = ?2 WHERE id = ?1 AND owner = ?3")?
                .execute((id.as_str(), stamp(now), tx.owner()))?;
            Ok(())
        })
    }
}

pub(crate) fn insert(
    tx: &Tx<'_>,
    id: RepositoryId,
    path: &Path,
    name: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    Object::Repository(id).must_be_new(tx)?;
    let sql = "INSERT INTO repositories (id, path, name, created_at, owner) VALUES (?1, ?2, ?3, ?4, ?5)";
    tx.prepare_cached(sql)?.execute(params![id.as_str(), bytes(path), name, stamp(now), tx.owner()])?;
    Ok(())
}

/// A repository that was not removed.
pub(crate) fn find(tx: &Tx<'_>, id: RepositoryId) -> Result<Repository, StoreError> {
    tx.prepare_cached("SELECT * FROM repositories WHERE id = ?1 AND owner = ?2 AND removed_at IS NULL")?
        .query_row([id.as_str(), tx.owner()], from_row)
        .optional()?
        .ok_or(StoreError::NotFound { what: Object::Repository(id) })
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Repository> {
    Ok(Repository {
        id: row.word("id")?,
        path: row.path("path")?,
        name: row.get("name")?,
        created_at: row.word("created_at")?,
    })
}
