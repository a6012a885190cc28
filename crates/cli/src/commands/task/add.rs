//! `abide task add`: a task is written down.

use std::io::{self, Read};

use anyhow::Context;
use api::{CreateTask, Task};
use clap::Args;

use super::{repository, start};
use crate::failure::Failure;
use crate::output;
use crate::server_client::Server;

/// A description is what a person wrote; more than the server takes need not be read.
const MOST_DESCRIPTION_BYTES: u64 = 1 << 20;

/// Write down a task
///
/// Prints its id. With --start its agent is started as well, and the worker's name is printed.
#[derive(Args)]
pub(in crate::commands) struct Add {
    /// What is to be done, in a line
    #[arg(value_name = "TITLE")]
    title: String,
    /// The repository: its name, its id or a directory in it; that of the current directory, if nothing is said
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
    /// More about it; - for standard input
    #[arg(long, short, value_name = "TEXT", allow_hyphen_values = true)]
    description: Option<String>,
    /// The agent that shall work on it
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Start it at once
    #[arg(long)]
    start: bool,
}

impl Add {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = Server::find()?;
        let repository = repository::find(&server, self.repo.as_deref())?;
        let create = CreateTask {
            project_id: repository.id,
            title: self.title,
            description: self.description.map(description).transpose()?,
            agent_id: self.agent,
            pinned: false,
        };
        let task: Task = server.post_json("/api/tasks", &create)?;
        let name = model::display_safe(&repository.name);
        if self.start {
            eprintln!("written down for `{name}` as {}", task.id);
            return start::start(&server, task);
        }
        output::write(format!("{}\n", task.id))?;
        eprintln!("written down for `{name}`; `abide task start {}` starts it", task.id);
        Ok(0)
    }
}

fn description(text: String) -> Result<String, Failure> {
    if text != "-" {
        return Ok(text);
    }
    let mut text = String::new();
    let read = io::stdin().lock().take(MOST_DESCRIPTION_BYTES).read_to_string(&mut text);
    read.context("cannot read the description")
        .map_err(|error| Failure::from(error).hint("hand it over as text in UTF-8"))?;
    Ok(text)
}
