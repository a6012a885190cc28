//! Moves worktrees to the trash, takes them back, and deletes them after a while.

use std::path::PathBuf;

use api::{ErrorCode, Problem};
use jiff::Timestamp;
use model::WorktreeId;
use store::{Trash, Worktree, WorktreePlace};

use crate::node::TrashedWorktree;
use crate::rooms::Worktrees;
use crate::tokens::Principal;
use crate::views;

impl Worktrees {
    /// Runs the teardown commands, and moves a worktree to the trash.
    pub(crate) async fn trash(&self, worktree: &Worktree) -> Result<(), Problem> {
        let id = worktree.id;
        let repository = worktree.repository;
        let repository = self.read(move |store| store.repository(repository)).await?;
        self.tear_down(&repository, worktree).await;
        let trashed = self.node().trash_worktree(id, repository.path, worktree.path.clone()).await?;
        let TrashedWorktree { path, head, branch, at } = trashed;
        let trash = Trash { path, head, branch };
        self.happened(move |store: &store::Store| store.trash_worktree(id, trash.clone(), at))
            .until_written()
            .await?;
        Ok(())
    }

    /// Takes a worktree back from the trash.
    pub(crate) async fn restore(&self, who: &Principal, id: WorktreeId) -> Result<api::Worktree, Problem> {
        self.worktrees_are_settled().await;
        let worktree = self.read(move |store| store.worktree(id)).await?;
        let WorktreePlace::Trashed { path: trash, .. } = worktree.place.clone() else {
            let words = format!("the worktree is {}, not in the trash", worktree.place.as_str());
            return Err(Problem::new(ErrorCode::WrongState, words));
        };
        let repository = worktree.repository;
        let repository = self.read(move |store| store.repository(repository)).await?;
        let to = worktree.path.clone();
        let back = self.node().take_back_worktree(repository.path, trash, to).await?;
        self.happened(move |store: &store::Store| store.take_back_worktree(id)).until_written().await?;
        self.access().record(who, "worktree.restore", id, None).await;
        let mut shown = self.get(id).await?;
        shown.note = note(&back).or(shown.note);
        Ok(shown)
    }

    /// Deletes the worktrees whose time in the trash is over. One that cannot be deleted stays, and the others are
    /// deleted all the same.
    pub(crate) async fn empty_trash(&self) -> Result<(), Problem> {
        let worktrees = self.read(|store| store.worktrees(None)).await?;
        for worktree in worktrees {
            let WorktreePlace::Trashed { path, at, .. } = &worktree.place else { continue };
            if views::trash_expires(*at) > Timestamp::now() {
                continue;
            }
            if let Err(problem) = self.expire(&worktree, path.clone()).await {
                let reason = problem.error.message;
                tracing::warn!(worktree.id = %worktree.id, reason, "a worktree stays in the trash");
            }
        }
        Ok(())
    }

    async fn expire(&self, worktree: &Worktree, trash: PathBuf) -> Result<(), Problem> {
        let (id, repository) = (worktree.id, worktree.repository);
        let repository = self.read(move |store| store.repository(repository)).await?;
        let (branch, base) = (worktree.branch.clone(), worktree.base_commit.clone());
        self.node().expire_worktree(repository.path, trash, branch, base).await?;
        self.happened(move |store: &store::Store| store.worktree_gone(id, Timestamp::now())).once().await?;
        Ok(())
    }
}

/// A note about a worktree that came back without its branch.
fn note(back: &git::TakenBack) -> Option<String> {
    use git::{StaysDetached, TakenBack};
    let TakenBack::Detached(why) = back else { return None };
    let why = match why {
        StaysDetached::BranchGone => "its branch is gone".to_owned(),
        StaysDetached::WorktreeMoved => "it has commits that its branch does not have".to_owned(),
        StaysDetached::BranchMoved(_) => "its branch has newer commits".to_owned(),
        StaysDetached::BranchElsewhere(path) => {
            format!("its branch is checked out at `{}`", views::text(path))
        }
    };
    Some(format!("it stands at its commit without a branch: {why}"))
}
