//! `abide task add`: writes a task down.

use std::io::{self, Read};

use anyhow::Context;
use api::CreateTask;
use clap::Args;

use super::{repository, start};
use crate::failure::Failure;
use crate::output;
use crate::the_server;

/// A description is what a person wrote; more than the server takes need not be read.
const MOST_DESCRIPTION_BYTES: u64 = 1 << 20;

/// Write a task down
///
/// Prints the task's id. With --start, abide also starts the agent and prints the name of its worker.
#[derive(Args)]
pub(in crate::commands) struct Add {
    /// The task in one line
    #[arg(value_name = "TITLE")]
    title: String,
    /// The repository: its name, its id or a directory in it; by default the repository of the current directory
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
    /// More text for the agent; - for standard input
    #[arg(long, short, value_name = "TEXT", allow_hyphen_values = true)]
    description: Option<String>,
    /// The agent to start on the task
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Start the task at once
    #[arg(long)]
    start: bool,
}

impl Add {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = the_server::find()?;
        let repository = repository::find(&server, self.repo.as_deref())?;
        let create = CreateTask {
            project_id: repository.id,
            title: self.title,
            description: self.description.map(description).transpose()?,
            agent_id: self.agent,
            pinned: false,
        };
        let task = server.create_task(&create)?;
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
        .map_err(|error| Failure::from(error).hint("give it as UTF-8 text"))?;
    Ok(text)
}
