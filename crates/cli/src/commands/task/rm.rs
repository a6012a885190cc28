//! `abide task rm`: tasks are forgotten.

use api::Task;
use clap::Args;

use crate::failure::Failure;
use crate::server_client::Server;

/// Forget tasks that have no session
///
/// `abide task done` ends a session.
#[derive(Args)]
pub(in crate::commands) struct Rm {
    /// The beginnings of the tasks' ids or titles
    #[arg(value_name = "TASK", required = true)]
    tasks: Vec<String>,
}

impl Rm {
    /// Forgets what can be forgotten, and tells of the rest.
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = Server::find()?;
        let mut code = 0;
        for word in &self.tasks {
            let removed = server
                .the_one(word)
                .and_then(|task: Task| server.delete::<()>(&format!("/api/tasks/{}", task.id)));
            if let Err(failure) = removed {
                failure.tell();
                code = code.max(failure.code());
            }
        }
        Ok(code)
    }
}
