//! Git on this machine.

use std::path::PathBuf;

use api::Problem;
use git::{Finished, Git, GitError, Provisioning};
use home::Home;

use super::exits::Exits;
use super::{Node, troubles};
use crate::app::blocking;
use crate::stops::Stop;

/// Looks for the git program. Its lock files are in the data directory.
pub(super) async fn find(home: &Home) -> Result<Result<Git, Problem>, Problem> {
    let locks = home.root().join("git");
    let found = blocking(move || Git::find().map(|git| git.with_locks(locks))).await?;
    Ok(found.map_err(|error| troubles::of_git(&error, &Exits::default().common(home))))
}

impl Node {
    /// Calls git in a thread that may wait.
    ///
    /// # Errors
    ///
    /// When there is no git, or when git refuses.
    pub(crate) async fn git<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Git) -> Result<T, GitError> + Send + 'static,
    ) -> Result<T, Problem> {
        let git = self.0.git.clone()?;
        blocking(move || call(&git)).await?.map_err(|error| troubles::of_git(&error, &self.exit()))
    }

    /// Calls git as [`Node::git`] does, and ends it when the work is asked to stop.
    ///
    /// # Errors
    ///
    /// When there is no git, when git refuses, or with the reason for the stop.
    pub(super) async fn git_until<T: Send + 'static>(
        &self,
        stop: &Stop,
        call: impl FnOnce(&Git) -> Result<T, GitError> + Send + 'static,
    ) -> Result<T, Problem> {
        let git = self.0.git.clone()?.with_stop(stop.git());
        match blocking(move || call(&git)).await? {
            Err(GitError::Stopped) => Err(stop.asked().await.problem()),
            done => done.map_err(|error| troubles::of_git(&error, &self.exit())),
        }
    }

    /// The path of the repository that a directory is in. A repository is known by its first worktree, so all its
    /// worktrees give the same path.
    ///
    /// # Errors
    ///
    /// When the directory is in no repository, or when git refuses.
    pub(crate) async fn repository_of(&self, directory: PathBuf) -> Result<PathBuf, Problem> {
        self.git(move |git| {
            let found = git.inspect(&directory)?;
            let first = git.worktrees(&found.path)?.into_iter().next();
            Ok(first
                .filter(|first| !found.bare && first.path.is_dir())
                .map_or(found.path, |first| first.path))
        })
        .await
    }

    /// The commands in the `.abide.toml` of a repository or worktree; `None` without that file.
    ///
    /// # Errors
    ///
    /// When there is no git, or when the file cannot be read.
    pub(crate) async fn provisioning(&self, directory: PathBuf) -> Result<Option<Provisioning>, Problem> {
        self.git(move |_| git::provisioning(&directory)).await
    }

    /// Completes or undoes the git operations that the last server left unfinished.
    ///
    /// # Errors
    ///
    /// When there is no git.
    pub(crate) async fn finish_git_operations(&self) -> Result<Vec<Finished>, Problem> {
        self.git(|git| Ok(git.finish())).await
    }
}
