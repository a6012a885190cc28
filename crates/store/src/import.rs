//! Sessions of another program.

use std::path::PathBuf;

use jiff::Timestamp;
use model::{RepositoryId, SessionId, WorkerLife};
use rusqlite::params;

use crate::adopt::adopt_repository;
use crate::columns::{fresh_id, stamp};
use crate::error::StoreError;
use crate::session_row;
use crate::sessions::{self, NewSession, Session, SessionKind, refuse_unusable};
use crate::store::Store;
use crate::transaction::Tx;
use crate::worker_row;
use crate::workers::NewWorker;
use crate::worktree_row;
use crate::worktree_steps;
use crate::worktrees::{NewWorktree, WorktreePlace};

/// A session that is taken over from another program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedSession {
    /// Its id.
    pub id: SessionId,
    /// The directory.
    pub location: PathBuf,
    /// The worktree that the directory is in, if it is in one.
    pub worktree: Option<ImportedWorktree>,
    /// What the other program calls it.
    pub origin: String,
    /// What a person should know about it.
    pub notice: String,
    /// Its workers, with the times at which they were started. They can be taken up again.
    pub workers: Vec<(NewWorker, Timestamp)>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// The worktree of such a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedWorktree {
    /// Where its repository is.
    pub repository_path: PathBuf,
    /// The worktree as it is added, if none is known at its path.
    pub worktree: NewWorktree,
}

impl Store {
    /// Adds a session of another program, with its workers paused; nothing if it is imported already. Its worktree and the
    /// repository of that are added as far as they are not known.
    ///
    /// # Errors
    ///
    /// When an id is taken, or the known worktree cannot be worked in.
    pub fn import_session(
        &self,
        imported: &ImportedSession,
        now: Timestamp,
    ) -> Result<Option<Session>, StoreError> {
        let ImportedSession { id, location, worktree, origin, notice, workers, created_at } = imported;
        self.write(|tx| {
            if is_imported(tx, origin)? {
                return Ok(None);
            }
            let kind = match worktree {
                Some(worktree) => known_or_new(tx, worktree, now)?,
                None => SessionKind::Quick,
            };
            let session = NewSession { id: *id, kind, location: location.clone(), title: None };
            session_row::insert(tx, &session, None, *created_at)?;
            tx.prepare_cached("UPDATE sessions SET imported_from = ?2 WHERE id = ?1 AND owner = ?3")?
                .execute((id.as_str(), origin, tx.owner()))?;
            for (worker, started_at) in workers {
                worker_row::insert(tx, *id, worker, false, *started_at)?;
                let sql = "UPDATE workers SET life = ?2, started_at = ?3, ended_at = ?4
                           WHERE id = ?1 AND owner = ?5";
                let (life, started_at) = (WorkerLife::Paused.as_str(), stamp(*started_at));
                let columns = params![worker.id.as_str(), life, started_at, stamp(now), tx.owner()];
                tx.prepare_cached(sql)?.execute(columns)?;
            }
            sessions::add_notice(tx, *id, notice).map(Some)
        })
    }
}

/// The kind of place that a session in this worktree is, with worktree and repository in place.
fn known_or_new(tx: &Tx<'_>, imported: &ImportedWorktree, now: Timestamp) -> Result<SessionKind, StoreError> {
    let ImportedWorktree { repository_path, worktree } = imported;
    if let Some(known) = worktree_row::find_by_path(tx, &worktree.path)? {
        refuse_unusable(tx, known.repository, known.id)?;
        return Ok(SessionKind::Worktree { repository: known.repository, worktree: known.id });
    }
    let new_id = fresh_id(tx, "repositories", RepositoryId::from_random)?;
    let repository = adopt_repository(tx, new_id, repository_path, now)?;
    worktree_row::insert(tx, repository, worktree, now)?;
    worktree_steps::step(tx, worktree.id, &worktree_steps::MADE, &WorktreePlace::Ready)?;
    Ok(SessionKind::Worktree { repository, worktree: worktree.id })
}

fn is_imported(tx: &Tx<'_>, origin: &str) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM sessions WHERE imported_from = ?1 AND owner = ?2";
    Ok(tx.prepare_cached(sql)?.exists([origin, tx.owner()])?)
}
