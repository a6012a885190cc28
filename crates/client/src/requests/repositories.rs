//! Requests about repositories and worktrees.

use api::{AddRepository, Agree, Provisioning, Repository, Worktree};
use model::RepositoryId;

use crate::{Client, Error};

/// Whether the tasks of a removed repository are removed too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TasksOf {
    /// They are in the way: a repository with tasks is not forgotten.
    Kept,
    /// They are forgotten as well.
    Forgotten,
}

impl TasksOf {
    fn query(self) -> &'static str {
        match self {
            TasksOf::Kept => "",
            TasksOf::Forgotten => "?tasks=true",
        }
    }
}

impl Client {
    /// All registered repositories.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn repositories(&self) -> Result<Vec<Repository>, Error> {
        self.get("/api/repositories")
    }

    /// Registers a repository.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn add_repository(&self, repository: &AddRepository) -> Result<Repository, Error> {
        self.post_json("/api/repositories", repository)
    }

    /// Forgets a repository. Its files stay.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn delete_repository(&self, id: RepositoryId, tasks: TasksOf) -> Result<(), Error> {
        self.delete(&format!("{}{}", place(id), tasks.query()))
    }

    /// The commands that a repository wants to run in its worktrees.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn provisioning(&self, id: RepositoryId) -> Result<Provisioning, Error> {
        self.get(&format!("{}/provisioning", place(id)))
    }

    /// Agrees to those commands, as they were shown.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn agree(&self, id: RepositoryId, agree: &Agree) -> Result<Provisioning, Error> {
        self.post_json(&format!("{}/provisioning/agree", place(id)), agree)
    }

    /// The worktrees of all repositories.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn worktrees(&self) -> Result<Vec<Worktree>, Error> {
        self.get("/api/worktrees")
    }
}

fn place(id: RepositoryId) -> String {
    format!("/api/repositories/{id}")
}
