//! Makes a worktree.

use std::path::{Path, PathBuf};

use api::{CreateWorktree, Problem};
use git::{BranchName, WorktreeBranch};
use jiff::Timestamp;
use model::{RepositoryId, WorktreeId};

use crate::app::App;
use crate::rooms::Worktrees;
use crate::stops::Stop;
use crate::tokens::Principal;
use crate::workers::new_id;

impl Worktrees {
    /// Makes a worktree that a user asked for, without a task.
    pub(crate) async fn create(
        &self,
        who: &Principal,
        repository: RepositoryId,
        create: CreateWorktree,
    ) -> Result<api::Worktree, Problem> {
        let repository = self.read(move |store| store.repository(repository)).await?;
        let id = new_id(WorktreeId::from_random)?;
        let path = self.node().worktree_path(id);
        let (repo, wanted) = (repository.path.clone(), create.branch.clone());
        let branch =
            self.node().git(move |git| chosen_branch(git, &repo, id, wanted.as_deref(), create.base)).await?;
        let new = store::NewWorktree {
            id,
            path: path.clone(),
            branch: name_of(&branch),
            base_commit: None,
            made_by_abide: true,
        };
        let work = self.stops().begin(id)?;
        let repository_id = repository.id;
        self.step(move |store| store.add_worktree(repository_id, &new, Timestamp::now())).await?;
        let made = self.make(repository.path.clone(), path, branch, work.stop()).await;
        if let Err(problem) = made.and_then_ready(self, id).await {
            self.happened(move |store: &store::Store| store.worktree_gone(id, Timestamp::now()))
                .until_written()
                .await?;
            return Err(problem);
        }
        self.access().record(who, "worktree.create", id, create.branch).await;
        let notice = self.set_up(&repository, id, work.stop()).await;
        let mut shown = self.get(id).await?;
        shown.note = notice.or(shown.note);
        Ok(shown)
    }

    /// Makes a worktree with git.
    pub(crate) async fn make(
        &self,
        repository: PathBuf,
        path: PathBuf,
        branch: WorktreeBranch,
        stop: &Stop,
    ) -> Made {
        Made(self.node().make_worktree(repository, path, branch, stop).await)
    }
}

/// The result of making a worktree.
pub(crate) struct Made(Result<git::MadeWorktree, Problem>);

impl Made {
    /// Writes down that the worktree is there.
    pub(crate) async fn and_then_ready(self, app: &App, id: WorktreeId) -> Result<(), Problem> {
        let made = self.0?;
        app.happened(move |store: &store::Store| store.worktree_ready(id, Some(&made.base_commit)))
            .until_written()
            .await
            .map(|_| ())
    }
}

/// The branch for a new worktree: the existing one of the wanted name, a new one of that name, or one named after the
/// worktree's id.
fn chosen_branch(
    git: &git::Git,
    repository: &Path,
    id: WorktreeId,
    wanted: Option<&str>,
    base: Option<String>,
) -> Result<WorktreeBranch, git::GitError> {
    let Some(wanted) = wanted else {
        let name = git.free_branch(repository, &BranchName::from_title(id.as_str()))?;
        return Ok(WorktreeBranch::New { name, base });
    };
    let name: BranchName = wanted.parse()?;
    let is_there = git.branches(repository)?.iter().any(|branch| branch.name.as_str() == wanted);
    Ok(if is_there { WorktreeBranch::Existing(name) } else { WorktreeBranch::New { name, base } })
}

pub(crate) fn name_of(branch: &WorktreeBranch) -> String {
    match branch {
        WorktreeBranch::New { name, .. } | WorktreeBranch::Existing(name) => name.as_str().to_owned(),
    }
}
