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
            if let Err(failure) = remove(&server, word) {
                failure.tell();
                code = code.max(failure.code());
            }
        }
        Ok(code)
    }
}

fn remove(server: &Server, word: &str) -> Result<(), Failure> {
    let task: Task = server.the_one(word)?;
    server.delete(&format!("/api/tasks/{}", task.id))
}
