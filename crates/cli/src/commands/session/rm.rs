//! `abide session rm`: a session is ended and forgotten.

use api::Session;
use clap::Args;

use crate::failure::Failure;
use crate::server_client::Server;
use crate::settings::Settings;
use crate::workers;

/// End a session's workers, and forget it; its directory stays as it is
///
/// A task's session ends with `abide task done`.
#[derive(Args)]
pub(in crate::commands) struct Rm {
    /// The beginning of the session's id or title
    #[arg(value_name = "SESSION")]
    session: String,
}

impl Rm {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let server = Server::of(&home)?.while_workers_end(&Settings::read(&home)?);
        let session: Session = server.the_one(&self.session)?;
        server.delete::<()>(&format!("/api/sessions/{}", session.id))?;
        Ok(0)
    }
}
