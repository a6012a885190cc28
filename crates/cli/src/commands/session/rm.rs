//! `abide session rm`: ends and removes a session.

use api::Session;
use clap::Args;

use crate::failure::Failure;
use crate::named;
use crate::the_server;

/// End a session's workers and remove the session; its directory stays as it is
///
/// To end the session of a task, use `abide task done`.
#[derive(Args)]
pub(in crate::commands) struct Rm {
    /// The beginning of the session's id or title
    #[arg(value_name = "SESSION")]
    session: String,
}

impl Rm {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = the_server::find_to_end_workers()?;
        let session: Session = named::find(&server, &self.session)?;
        server.delete_session(session.id)?;
        Ok(0)
    }
}
