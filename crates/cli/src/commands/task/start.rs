//! `abide task start` and `abide task retry`: an agent is set to work on a task.

use api::{ArchivedTask, Task, TaskStatus};
use clap::Args;

use super::{done, starting};
use crate::failure::Failure;
use crate::server_client::Server;
use crate::settings::Settings;
use crate::workers;

/// Start an agent on a task, in a worktree of its own
///
/// A task of the backlog becomes active. Ends when the agent runs, prints the name of its worker, and says how to attach.
/// Exit code 1 if it could not be started.
#[derive(Args)]
pub(in crate::commands) struct Start {
    /// The beginning of the task's id or title
    #[arg(value_name = "TASK")]
    task: String,
}

/// End a task's session, and start another
///
/// The worktree of the one that ends is kept if it holds work that would be lost.
#[derive(Args)]
pub(in crate::commands) struct Retry {
    /// The beginning of the task's id or title
    #[arg(value_name = "TASK")]
    task: String,
}

impl Start {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = Server::find()?;
        let task = server.the_one(&self.task)?;
        start(&server, task)
    }
}

impl Retry {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let server = Server::of(&home)?.while_workers_end(&Settings::read(&home)?);
        let task: Task = server.the_one(&self.task)?;
        let archived: ArchivedTask = server.post(&format!("/api/tasks/{}/session/retry", task.id))?;
        done::tell_kept(archived.kept_worktree.as_ref());
        starting::wait(&server, archived.task)
    }
}

/// Starts a task's session, and waits until it runs.
pub(super) fn start(server: &Server, task: Task) -> Result<u8, Failure> {
    let id = task.id;
    if task.status == TaskStatus::Done {
        return Err(Failure::no(format!("task {id} is done"))
            .hint(format!("take it up again with `abide task reopen {id}`, then start it")));
    }
    if task.session_id.is_some() {
        return Err(has_session(&task));
    }
    if task.status == TaskStatus::Backlog {
        let _: Task = server.post(&format!("/api/tasks/{id}/activate"))?;
    }
    let task = server.post(&format!("/api/tasks/{id}/session/start"))?;
    starting::wait(server, task)
}

fn has_session(task: &Task) -> Failure {
    let attach = match task.worker_id {
        Some(worker) => format!("attach to it with `abide attach {worker}`, or "),
        None => String::new(),
    };
    Failure::no(format!("task {} has a session already", task.id))
        .hint(format!("{attach}end it and start another with `abide task retry {}`", task.id))
}
