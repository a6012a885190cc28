//! The trash of worktrees.

use std::path::PathBuf;

use api::Problem;
use git::{TakenBack, Trashed};
use jiff::Timestamp;
use model::WorktreeId;

use super::Node;
use super::worktrees::private_dir;

/// A worktree in the trash.
#[derive(Clone, Debug)]
pub(crate) struct TrashedWorktree {
    /// Its directory in the trash.
    pub(crate) path: PathBuf,
    /// The commit that it was at.
    pub(crate) head: Option<String>,
    /// The branch that it had.
    pub(crate) branch: Option<String>,
    /// When it came into the trash. Git keeps this time too, so a new database gets the same one.
    pub(crate) at: Timestamp,
}

pub(super) fn described(path: PathBuf, Trashed { head, branch, at, .. }: Trashed) -> TrashedWorktree {
    TrashedWorktree { path, head, branch, at }
}

impl Node {
    /// Moves a worktree to the trash.
    ///
    /// # Errors
    ///
    /// When git or the disk refuses.
    pub(crate) async fn trash_worktree(
        &self,
        id: WorktreeId,
        repository: PathBuf,
        path: PathBuf,
    ) -> Result<TrashedWorktree, Problem> {
        let (above, into) = (self.trash_dir(), self.trash_path(id));
        self.git(move |git| {
            private_dir(&above, "make the trash")?;
            let trashed = git.to_trash(&repository, &path, &into)?;
            Ok(described(into, trashed))
        })
        .await
    }

    /// Whether a worktree is in the trash.
    pub(crate) fn is_trashed(&self, id: WorktreeId) -> bool {
        self.trash_path(id).is_dir()
    }

    /// Describes a worktree in the trash.
    ///
    /// # Errors
    ///
    /// When git does not know it.
    pub(crate) async fn trashed_worktree(&self, id: WorktreeId) -> Result<TrashedWorktree, Problem> {
        let trash = self.trash_path(id);
        self.git(move |git| {
            let trashed = git.trashed(&trash)?;
            Ok(described(trash, trashed))
        })
        .await
    }

    /// Moves a worktree from the trash back to a path.
    ///
    /// # Errors
    ///
    /// When git or the disk refuses.
    pub(crate) async fn take_back_worktree(
        &self,
        repository: PathBuf,
        trash: PathBuf,
        to: PathBuf,
    ) -> Result<TakenBack, Problem> {
        self.git(move |git| {
            let trashed = git.trashed(&trash)?;
            git.from_trash(&repository, &trash, &to, &trashed)
        })
        .await
    }

    /// Deletes a worktree in the trash for good, and its branch if that still points at the commit `base`.
    ///
    /// # Errors
    ///
    /// When git or the disk refuses.
    pub(crate) async fn expire_worktree(
        &self,
        repository: PathBuf,
        trash: PathBuf,
        branch: String,
        base: Option<String>,
    ) -> Result<(), Problem> {
        self.git(move |git| {
            git.expire(&repository, &trash)?;
            match (branch.parse(), base) {
                (Ok(branch), Some(base)) => {
                    git.delete_branch_if_untouched(&repository, &branch, &base).map(|_| ())
                }
                _ => Ok(()),
            }
        })
        .await
    }

    /// Where a worktree is while it is in the trash.
    pub(crate) fn trash_path(&self, id: WorktreeId) -> PathBuf {
        self.trash_dir().join(id.as_str())
    }

    pub(super) fn trash_dir(&self) -> PathBuf {
        self.0.home.root().join("trash")
    }
}
