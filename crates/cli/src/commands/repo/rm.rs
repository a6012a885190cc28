//! `abide repo rm`: a repository is not registered any more.

use api::Repository;
use clap::Args;

use crate::failure::Failure;
use crate::server_client::Server;

/// Forget a repository; its files stay as they are
#[derive(Args)]
pub(in crate::commands) struct Rm {
    /// The repository's name, or the beginning of its id
    #[arg(value_name = "REPO")]
    repository: String,
    /// Its tasks as well
    #[arg(long)]
    tasks: bool,
}

impl Rm {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = Server::find()?;
        let repository: Repository = server.the_one(&self.repository)?;
        let tasks = if self.tasks { "?tasks=true" } else { "" };
        server.delete::<()>(&format!("/api/repositories/{}{tasks}", repository.id))?;
        Ok(0)
    }
}
