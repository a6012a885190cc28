//! `abide task start` and `abide task retry`: start an agent on a task.

use api::{Task, TaskState};
use clap::Args;
use client::Client;

use super::{done, starting};
use crate::failure::Failure;
use crate::named;
use crate::the_server;

/// Start an agent on a task, in a worktree of its own
///
/// The task becomes active. When the agent runs, abide prints the name of its worker and says how to attach. It exits
/// with 1 if the start failed.
#[derive(Args)]
pub(in crate::commands) struct Start {
    /// The beginning of the task's id or title
    #[arg(value_name = "TASK")]
    task: String,
}

/// End a task's session and start a new one
///
/// abide keeps the old session's worktree if it holds work that exists nowhere else.
#[derive(Args)]
pub(in crate::commands) struct Retry {
    /// The beginning of the task's id or title
    #[arg(value_name = "TASK")]
    task: String,
}

impl Start {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = the_server::find()?;
        let task = named::find(&server, &self.task)?;
        start(&server, task)
    }
}

impl Retry {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = the_server::find_to_end_workers()?;
        let task: Task = named::find(&server, &self.task)?;
        let archived = server.retry_session(task.id)?;
        done::tell_kept(archived.kept_worktree.as_ref());
        starting::wait(&server, archived.task)
    }
}

/// Starts a task's session, and waits until it runs.
pub(super) fn start(server: &Client, task: Task) -> Result<u8, Failure> {
    let id = task.id;
    if task.status == TaskState::Done {
        return Err(Failure::no(format!("task {id} is done"))
            .hint(format!("reopen it with `abide task reopen {id}`, then start it")));
    }
    if task.session_id.is_some() {
        return Err(session_failure(&task));
    }
    if task.status == TaskState::Backlog {
        server.activate_task(id)?;
    }
    starting::wait(server, server.start_session(id)?)
}

fn session_failure(task: &Task) -> Failure {
    let attach = match task.worker_id {
        Some(worker) => format!("attach to it with `abide attach {worker}`, or "),
        None => String::new(),
    };
    Failure::no(format!("task {} has a session already", task.id))
        .hint(format!("{attach}end it and start another with `abide task retry {}`", task.id))
}
