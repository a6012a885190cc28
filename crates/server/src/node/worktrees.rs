//! The directories of worktrees.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use api::Problem;
use git::{Git, GitError, LinkedWorktree, MadeWorktree, NewWorktree, WorktreeBranch};
use jiff::Timestamp;
use model::WorktreeId;

use super::trash::TrashedWorktree;
use super::{Node, trash};
use crate::app::blocking;
use crate::stops::Stop;

/// A worktree as git and the disk describe it.
#[derive(Clone, Debug)]
pub(crate) struct FoundWorktree {
    /// The path of its repository.
    pub(crate) repository: PathBuf,
    /// Its own path. If it is in the trash: the path that it had before.
    pub(crate) path: PathBuf,
    pub(crate) branch: String,
    pub(crate) made_by_abide: bool,
    pub(crate) created_at: Timestamp,
    /// Set if it is in the trash.
    pub(crate) trash: Option<TrashedWorktree>,
}

impl Node {
    /// Where abide makes a worktree.
    pub(crate) fn worktree_path(&self, id: WorktreeId) -> PathBuf {
        self.worktrees_dir().join(id.as_str())
    }

    /// Whether a worktree is in the directory where abide makes them. The user or another program made the others.
    pub(crate) fn is_made_by_abide(&self, path: &Path) -> bool {
        let ours = self.worktrees_dir();
        // The data directory's path may contain a symbolic link. Git reports paths without links.
        let is_ours = |above: &Path| {
            above == ours
                || above.canonicalize().is_ok_and(|above| ours.canonicalize().is_ok_and(|ours| above == ours))
        };
        path.parent().is_some_and(is_ours)
    }

    /// Makes a worktree with git, and the directories above it.
    ///
    /// # Errors
    ///
    /// When git or the disk refuses, or with the reason for the stop.
    pub(crate) async fn make_worktree(
        &self,
        repository: PathBuf,
        path: PathBuf,
        branch: WorktreeBranch,
        stop: &Stop,
    ) -> Result<MadeWorktree, Problem> {
        let above = self.worktrees_dir();
        self.git_until(stop, move |git| {
            private_dir(&above, "make the directory of worktrees")?;
            git.add_worktree(&repository, &NewWorktree { path, branch })
        })
        .await
    }

    /// The worktrees in the directory where abide makes them.
    pub(crate) async fn made_worktrees(&self) -> Vec<WorktreeId> {
        listed(self.worktrees_dir()).await
    }

    /// The worktrees in the trash.
    pub(crate) async fn trashed_worktrees(&self) -> Vec<WorktreeId> {
        listed(self.trash_dir()).await
    }

    /// Describes a worktree that abide made, in its place or in the trash.
    ///
    /// # Errors
    ///
    /// When git does not know it as a worktree.
    pub(crate) async fn found_worktree(
        &self,
        id: WorktreeId,
        is_trashed: bool,
    ) -> Result<FoundWorktree, Problem> {
        let node = self.clone();
        self.git(move |git| node.describe(git, id, is_trashed)).await
    }

    fn describe(&self, git: &Git, id: WorktreeId, is_trashed: bool) -> Result<FoundWorktree, GitError> {
        let (path, trash) = (self.worktree_path(id), is_trashed.then(|| self.trash_path(id)));
        let place = trash.as_deref().unwrap_or(&path);
        let LinkedWorktree { repository, worktree } = git.linked_worktree(place)?;
        let created_at = created_at(place);
        let was = trash.as_deref().map(|trash| git.trashed(trash)).transpose()?;
        let branch = was.as_ref().map_or(worktree.branch, |was| was.branch.clone()).unwrap_or_default();
        // Releases before this one moved worktrees to the trash that they had not made.
        let path = was
            .as_ref()
            .map(|was| was.from.clone())
            .filter(|from| !self.is_made_by_abide(from))
            .unwrap_or(path);
        Ok(FoundWorktree {
            repository,
            branch,
            made_by_abide: self.is_made_by_abide(&path),
            path,
            created_at,
            trash: trash.zip(was).map(|(path, was)| trash::described(path, was)),
        })
    }

    pub(super) fn worktrees_dir(&self) -> PathBuf {
        self.0.home.root().join("worktrees")
    }
}

/// The subdirectories of a directory that are named after a worktree.
async fn listed(directory: PathBuf) -> Vec<WorktreeId> {
    let listed = blocking(move || {
        let paths = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
        let named = paths.filter(|path| path.is_dir());
        named.filter_map(|path| path.file_name()?.to_str()?.parse().ok()).collect()
    });
    listed.await.unwrap_or_default()
}

fn created_at(path: &Path) -> Timestamp {
    let created = fs::metadata(path).and_then(|found| found.created()).ok();
    created.and_then(|created| created.try_into().ok()).unwrap_or_else(Timestamp::now)
}

/// Makes a directory that only its user can read, for git to work in.
pub(super) fn private_dir(path: &Path, doing: &str) -> Result<(), GitError> {
    home::private_dir(path)
        .map_err(|error| GitError::Io { doing: doing.into(), source: io::Error::other(error) })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use home::Home;

    use super::*;

    #[tokio::test]
    async fn a_worktree_is_found_by_its_id_in_its_place_and_in_the_trash() {
        let root = tempfile::tempdir().unwrap();
        let node = Node::for_test(&Home::at(root.path())).await;
        assert_eq!(node.made_worktrees().await, [], "nothing was made yet");
        let (made, trashed) = (WorktreeId::from_random([1; 8]), WorktreeId::from_random([2; 8]));
        fs::create_dir_all(node.worktree_path(made)).unwrap();
        fs::create_dir_all(node.trash_path(trashed)).unwrap();
        fs::create_dir(node.worktrees_dir().join("no id")).unwrap();
        fs::write(node.worktree_path(trashed), "no directory").unwrap();
        assert_eq!(node.made_worktrees().await, [made]);
        assert_eq!(node.trashed_worktrees().await, [trashed]);
        assert_eq!([made, trashed].map(|id| node.is_trashed(id)), [false, true]);
    }

    #[tokio::test]
    async fn abide_made_the_worktrees_in_its_directory_also_behind_a_link() {
        let root = tempfile::tempdir().unwrap();
        let (real, link) = (root.path().join("real"), root.path().join("link"));
        fs::create_dir(&real).unwrap();
        symlink(&real, &link).unwrap();
        let (node, behind) = (Node::for_test(&Home::at(&real)).await, Node::for_test(&Home::at(&link)).await);
        let id = WorktreeId::from_random([1; 8]);
        fs::create_dir_all(node.worktree_path(id)).unwrap();
        assert!(node.is_made_by_abide(&node.worktree_path(id)));
        assert!(node.is_made_by_abide(&behind.worktree_path(id)));
        assert!(behind.is_made_by_abide(&node.worktree_path(id)));
        assert!(!node.is_made_by_abide(&node.worktree_path(id).join("inside")));
        assert!(!node.is_made_by_abide(&node.trash_path(id)));
    }
}
