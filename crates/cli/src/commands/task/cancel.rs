//! `abide task cancel`: cancels the start of a task's session.

use api::Task;
use clap::Args;

use super::done;
use crate::failure::Failure;
use crate::named;
use crate::the_server;

/// Cancel the start of a task's session
///
/// Ends the running checkout or setup command, with everything it started, and moves the worktree to the trash. If the
/// worktree holds work that exists nowhere else, abide keeps it. Then you can start the task again.
#[derive(Args)]
pub(in crate::commands) struct Cancel {
    /// The beginning of the task's id or title
    #[arg(value_name = "TASK")]
    task: String,
}

impl Cancel {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = the_server::find_to_end_workers()?;
        let task: Task = named::find(&server, &self.task)?;
        let archived = server.cancel_session(task.id)?;
        eprintln!(
            "the start of `{}` is cancelled; `abide task start {}` starts it again",
            model::display_safe(&task.title),
            task.id
        );
        done::tell_kept(archived.kept_worktree.as_ref());
        Ok(0)
    }
}
