//! Worktrees that are found on disk, with or without a session.

use std::path::PathBuf;

use jiff::Timestamp;
use model::RepositoryId;

use crate::adopt::adopt_repository;
use crate::columns::fresh_id;
use crate::error::StoreError;
use crate::object::Object;
use crate::store::Store;
use crate::worktree_row;
use crate::worktree_steps::{self, Trash};
use crate::worktrees::{NewWorktree, WorktreePlace};

/// A worktree as the disk and git tell of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdoptedWorktree {
    /// The worktree.
    pub worktree: NewWorktree,
    /// Where its repository is.
    pub repository_path: PathBuf,
    /// Where in the trash it is and since when, if it is there.
    pub trash: Option<(Trash, Timestamp)>,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Store {
    /// Takes up a worktree that was found on disk, with its repository if that is not known. One that is known is left
    /// as it is.
    ///
    /// Whether it was not known.
    ///
    /// # Errors
    ///
    /// When another worktree is at its path.
    pub fn adopt_worktree(&self, adopted: &AdoptedWorktree) -> Result<bool, StoreError> {
        let AdoptedWorktree { worktree, repository_path, trash, created_at } = adopted;
        self.write(|tx| {
            if Object::Worktree(worktree.id).is_there(tx)? {
                return Ok(false);
            }
            let new_id = fresh_id(tx, "repositories", RepositoryId::from_random)?;
            let repository = adopt_repository(tx, new_id, repository_path, *created_at)?;
            worktree_row::insert(tx, repository, worktree, *created_at)?;
            let (step, place) = match trash.clone() {
                None => (&worktree_steps::MADE, WorktreePlace::Ready),
                Some((Trash { path, head, branch }, at)) => {
                    (&worktree_steps::TRASHED, WorktreePlace::Trashed { path, at, head, branch })
                }
            };
            worktree_steps::step(tx, worktree.id, step, &place)?;
            Ok(true)
        })
    }
}
