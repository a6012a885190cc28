//! `abide task rm`: removes tasks.

use api::Task;
use clap::Args;
use client::Client;

use crate::failure::Failure;
use crate::named;
use crate::the_server;

/// Remove tasks that have no session
///
/// To end a task's session first, use `abide task done`.
#[derive(Args)]
pub(in crate::commands) struct Rm {
    /// The beginnings of the tasks' ids or titles
    #[arg(value_name = "TASK", required = true)]
    tasks: Vec<String>,
}

impl Rm {
    /// Forgets what can be forgotten, and tells of the rest.
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = the_server::find()?;
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

fn remove(server: &Client, word: &str) -> Result<(), Failure> {
    let task: Task = named::find(server, word)?;
    Ok(server.delete_task(task.id)?)
}
