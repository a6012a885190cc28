//! `abide task done` and `abide task reopen`: a task is finished, or taken up again.

use api::{ArchivedTask, KeptWorktree, Task};
use clap::Args;

use crate::failure::Failure;
use crate::server_client::Server;
use crate::settings::Settings;
use crate::workers;

/// Finish a task: its session ends, and its worktree goes
///
/// A worktree that holds work which would be lost is kept, and that is said.
#[derive(Args)]
pub(in crate::commands) struct Done {
    /// The beginning of the task's id or title
    #[arg(value_name = "TASK")]
    task: String,
}

/// Take up a task again that is done
#[derive(Args)]
pub(in crate::commands) struct Reopen {
    /// The beginning of the task's id or title
    #[arg(value_name = "TASK")]
    task: String,
}

impl Done {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let server = Server::of(&home)?.while_workers_end(&Settings::read(&home)?);
        let task: Task = server.the_one(&self.task)?;
        let archived: ArchivedTask = server.post(&format!("/api/tasks/{}/complete", task.id))?;
        eprintln!("`{}` is done", model::display_safe(&task.title));
        tell_kept(archived.kept_worktree.as_ref());
        Ok(0)
    }
}

impl Reopen {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = Server::find()?;
        let task: Task = server.the_one(&self.task)?;
        let task: Task = server.post(&format!("/api/tasks/{}/reopen", task.id))?;
        eprintln!(
            "`{}` is active again; `abide task start {}` starts it",
            model::display_safe(&task.title),
            task.id
        );
        Ok(0)
    }
}

/// Says which worktree was kept, and why.
pub(super) fn tell_kept(kept: Option<&KeptWorktree>) {
    if let Some(kept) = kept {
        eprintln!("{}", kept_words(kept));
    }
}

fn kept_words(kept: &KeptWorktree) -> String {
    let work: Vec<String> = kept.work.iter().map(|work| model::display_safe(work)).collect();
    let reason = if work.is_empty() { "it may hold work".to_owned() } else { work.join(", ") };
    format!("its worktree was kept in `{}`: {reason}", model::display_safe(&kept.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w6_a_kept_worktree_is_said_with_the_reason() {
        let kept = KeptWorktree {
            path: "/w/k7f2".into(),
            work: vec!["2 uncommitted files".into(), "1 commit that is nowhere else\u{7}".into()],
        };
        assert_eq!(
            kept_words(&kept),
            "its worktree was kept in `/w/k7f2`: 2 uncommitted files, 1 commit that is nowhere else\u{fffd}"
        );
        assert!(kept_words(&KeptWorktree { work: Vec::new(), ..kept }).contains("may hold work"));
    }
}
