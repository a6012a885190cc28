//! `abide task done` and `abide task reopen`: finish a task, or reopen it.

use api::{KeptWorktree, Task};
use clap::Args;

use crate::failure::Failure;
use crate::named;
use crate::the_server;

/// Finish a task: end its session and remove its worktree
///
/// If the worktree holds work that exists nowhere else, abide keeps it and says so.
#[derive(Args)]
pub(in crate::commands) struct Done {
    /// The beginning of the task's id or title
    #[arg(value_name = "TASK")]
    task: String,
}

/// Reopen a task that is done
#[derive(Args)]
pub(in crate::commands) struct Reopen {
    /// The beginning of the task's id or title
    #[arg(value_name = "TASK")]
    task: String,
}

impl Done {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = the_server::find_to_end_workers()?;
        let task: Task = named::find(&server, &self.task)?;
        let archived = server.complete_task(task.id)?;
        eprintln!("`{}` is done", model::display_safe(&task.title));
        tell_kept(archived.kept_worktree.as_ref());
        Ok(0)
    }
}

impl Reopen {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = the_server::find()?;
        let task: Task = named::find(&server, &self.task)?;
        let task = server.reopen_task(task.id)?;
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
    format!("abide kept its worktree in `{}`: {reason}", model::display_safe(&kept.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w6_the_command_says_why_a_worktree_was_kept() {
        let kept = KeptWorktree {
            path: "/w/k7f2".into(),
            work: vec!["2 uncommitted files".into(), "1 commit that is nowhere else\u{7}".into()],
        };
        assert_eq!(
            kept_words(&kept),
            "abide kept its worktree in `/w/k7f2`: 2 uncommitted files, 1 commit that is nowhere else\u{fffd}"
        );
        assert!(kept_words(&KeptWorktree { work: Vec::new(), ..kept }).contains("may hold work"));
    }
}
