//! `abide repo rm`: unregisters a repository.

use api::Repository;
use clap::Args;
use client::TasksOf;

use crate::failure::Failure;
use crate::named;
use crate::the_server;

/// Unregister a repository; abide does not touch its files
#[derive(Args)]
pub(in crate::commands) struct Rm {
    /// The repository's name, or the beginning of its id
    #[arg(value_name = "REPO")]
    repository: String,
    /// Also remove its tasks
    #[arg(long)]
    tasks: bool,
}

impl Rm {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = the_server::find()?;
        let repository: Repository = named::find(&server, &self.repository)?;
        let tasks = if self.tasks { TasksOf::Forgotten } else { TasksOf::Kept };
        server.delete_repository(repository.id, tasks)?;
        Ok(0)
    }
}
