//! Worktrees, and where they are in their lives.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use model::{RepositoryId, WorktreeId};

use crate::error::StoreError;
use crate::store::{Reader, Store};
use crate::worktree_row;

/// A checked-out directory of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    /// Which one.
    pub id: WorktreeId,
    /// Of which repository.
    pub repository: RepositoryId,
    /// Its directory, also while that is in the trash: there it comes back.
    pub path: PathBuf,
    /// The branch that it was made for.
    pub branch: String,
    /// The commit that the branch began at, if it was made with the worktree.
    pub base_commit: Option<String>,
    /// Whether abide made it. One that it did not make is not abide's to remove unasked.
    pub made_by_abide: bool,
    /// Where it is in its life.
    pub place: WorktreePlace,
    /// When it became known.
    pub created_at: Timestamp,
}

/// Where a worktree is in its life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorktreePlace {
    /// Git is making it, or was when the server was killed.
    Making,
    /// It is there.
    Ready,
    /// Its directory was removed or moved.
    Missing {
        /// When that was noticed.
        since: Timestamp,
    },
    /// No session works in it any more, and it is still there.
    Kept {
        /// Why.
        reason: KeptReason,
    },
    /// It was removed and can be taken back.
    Trashed {
        /// Where it is now.
        path: PathBuf,
        /// Since when.
        at: Timestamp,
        /// The commit that was checked out.
        head: Option<String>,
        /// The branch that was checked out.
        branch: Option<String>,
    },
    /// It is no more.
    Gone {
        /// Since when.
        at: Timestamp,
    },
}

/// Why a worktree is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptReason {
    /// Its session was archived, and it is yet to be moved to the trash.
    AwaitsTrash,
    /// It has something that would be lost with it, or could not be moved: this, in words.
    Because(String),
}

impl KeptReason {
    /// The reason in words.
    pub fn words(&self) -> &str {
        match self {
            KeptReason::AwaitsTrash => "its session has ended, and abide has not moved it to the trash yet",
            KeptReason::Because(words) => words,
        }
    }
}

impl WorktreePlace {
    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            WorktreePlace::Making => "making",
            WorktreePlace::Ready => "ready",
            WorktreePlace::Missing { .. } => "missing",
            WorktreePlace::Kept { .. } => "kept",
            WorktreePlace::Trashed { .. } => "trashed",
            WorktreePlace::Gone { .. } => "gone",
        }
    }
}

/// A worktree to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWorktree {
    /// Its id, of which the paths of those that abide makes are made.
    pub id: WorktreeId,
    /// Its directory.
    pub path: PathBuf,
    /// Its branch.
    pub branch: String,
    /// The commit that the branch begins at, if that is known already.
    pub base_commit: Option<String>,
    /// Whether abide makes it.
    pub made_by_abide: bool,
}

impl Reader {
    /// All worktrees, or those of one repository; also the trashed and the gone. Oldest first.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn worktrees(&self, repository: Option<RepositoryId>) -> Result<Vec<Worktree>, StoreError> {
        self.read(|tx| {
            let sql = "SELECT * FROM worktrees WHERE owner = ?2 AND (?1 IS NULL OR repository_id = ?1)
                       ORDER BY created_at, id";
            let repository = repository.as_ref().map(RepositoryId::as_str);
            Ok(tx
                .prepare_cached(sql)?
                .query_map((repository, tx.owner()), worktree_row::from_row)?
                .collect::<Result<_, _>>()?)
        })
    }

    /// One worktree.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn worktree(&self, id: WorktreeId) -> Result<Worktree, StoreError> {
        self.read(|tx| worktree_row::find(tx, id))
    }

    /// The worktree at a path, unless that is trashed or gone.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn worktree_by_path(&self, path: &Path) -> Result<Option<Worktree>, StoreError> {
        self.read(|tx| worktree_row::find_by_path(tx, path))
    }
}

impl Store {
    /// Adds a worktree that is being made.
    ///
    /// # Errors
    ///
    /// When the repository is not there, the id is taken, or another worktree is at its path.
    pub fn add_worktree(
        &self,
        repository: RepositoryId,
        worktree: &NewWorktree,
        now: Timestamp,
    ) -> Result<Worktree, StoreError> {
        self.write(|tx| {
            worktree_row::insert(tx, repository, worktree, now)?;
            worktree_row::find(tx, worktree.id)
        })
    }

    /// Notes that another branch is checked out in a worktree.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn set_worktree_branch(&self, id: WorktreeId, branch: &str) -> Result<Worktree, StoreError> {
        self.write(|tx| {
            let sql = "UPDATE worktrees SET branch = ?2 WHERE id = ?1 AND owner = ?3";
            tx.prepare_cached(sql)?.execute((id.as_str(), branch, tx.owner()))?;
            worktree_row::find(tx, id)
        })
    }
}
