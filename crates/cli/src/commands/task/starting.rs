//! Waiting until a task's session runs.

use std::io::{self, IsTerminal, Write};
use std::thread;
use std::time::{Duration, Instant};

use api::{SessionStatus, Task};
use client::Client;

use crate::failure::Failure;
use crate::output;

/// Asked by HTTP, the server tells how things are and not when they change; so we ask again.
const ASK_AGAIN: Duration = Duration::from_millis(250);

/// Waits until the session of a task runs or has failed, and says how to go on. Who does not want to wait may leave: the
/// server goes on with it.
pub(super) fn wait(server: &Client, mut task: Task) -> Result<u8, Failure> {
    let mut progress = Progress::new();
    while let Some(doing) = unfinished(task.session_status) {
        progress.show(doing);
        thread::sleep(ASK_AGAIN);
        task = server.task(task.id)?;
    }
    drop(progress);
    let id = task.id;
    match task.session_status {
        Some(SessionStatus::Failed) => {
            let reason = task
                .session_error
                .as_deref()
                .map_or_else(String::new, |reason| format!(": {}", model::display_safe(reason)));
            Err(Failure::no(format!("the session of task {id} failed{reason}"))
                .hint(format!("fix that, then run `abide task retry {id}`")))
        }
        None => Err(Failure::no(format!("the session of task {id} was ended before it ran"))
            .hint(format!("`abide task logs {id}` has its past sessions"))),
        Some(_) => tell(server, &task),
    }
}

/// What is being done while nothing runs yet.
fn unfinished(status: Option<SessionStatus>) -> Option<&'static str> {
    match status? {
        SessionStatus::Pending => Some("waiting for the worktree"),
        SessionStatus::Provisioning => Some("making the worktree and starting the agent"),
        SessionStatus::Running
        | SessionStatus::WaitingForInput
        | SessionStatus::Done
        | SessionStatus::Failed => None,
    }
}

fn tell(server: &Client, task: &Task) -> Result<u8, Failure> {
    let Some(session) = task.session_id else { return Ok(0) };
    let session = server.session(session)?;
    let worker = session.workers.iter().find(|worker| Some(worker.id) == task.worker_id);
    let handle = worker.map(|worker| match &worker.handle {
        Some(handle) => model::display_safe(handle),
        None => worker.id.to_string(),
    });
    if let Some(handle) = &handle {
        output::write(format!("{handle}\n"))?;
    }
    eprintln!("{}", words(task, handle.as_deref()));
    for notice in &session.notices {
        eprintln!("note: {}", model::display_safe(notice));
    }
    Ok(0)
}

fn words(task: &Task, handle: Option<&str>) -> String {
    let place = task.worktree_path.as_deref().map(|path| format!(" in `{}`", model::display_safe(path)));
    let branch =
        task.branch.as_deref().map(|branch| format!(", on branch `{}`", model::display_safe(branch)));
    let (place, branch) = (place.unwrap_or_default(), branch.unwrap_or_default());
    let ended = task.session_status == Some(SessionStatus::Done);
    match handle {
        Some(handle) if ended => {
            format!(
                "its agent has ended already{place}{branch}; `abide screen {handle}` shows its last screen"
            )
        }
        Some(handle) => format!("its agent runs{place}{branch}; attach to it with `abide attach {handle}`"),
        None => format!("its session runs{place}{branch}"),
    }
}

/// Shows the progress: one line that changes on a terminal, and elsewhere one line for each step.
struct Progress {
    began: Instant,
    shown: Option<&'static str>,
    is_terminal: bool,
}

impl Progress {
    fn new() -> Progress {
        Progress { began: Instant::now(), shown: None, is_terminal: io::stderr().is_terminal() }
    }

    fn show(&mut self, doing: &'static str) {
        if self.is_terminal {
            eprint!("\r{doing} … {} s\x1b[K", self.began.elapsed().as_secs());
        } else if self.shown != Some(doing) {
            eprintln!("{doing} …");
        }
        self.shown = Some(doing);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_terminal && self.shown.is_some() {
            eprint!("\r\x1b[K");
            // A line that cannot be written does no harm: the next one comes.
            let _ = io::stderr().flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use model::{RepositoryId, TaskId};

    use super::*;

    fn task(status: SessionStatus) -> Task {
        Task {
            id: TaskId::from_random([1; 8]),
            project_id: RepositoryId::from_random([2; 8]),
            title: "Fix".into(),
            description: None,
            pinned: false,
            status: api::TaskState::Active,
            agent_id: None,
            session_id: None,
            worker_id: None,
            session_status: Some(status),
            worktree_path: Some("/w/k7f2".into()),
            shown_worktree_path: Some("/w/k7f2".into()),
            branch: Some("fix\u{1b}".into()),
            session_started_at: None,
            session_error: None,
            position: 0,
            created_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_started_task_says_how_to_attach() {
        assert_eq!(
            words(&task(SessionStatus::Running), Some("claude-2")),
            "its agent runs in `/w/k7f2`, on branch `fix\u{fffd}`; attach to it with `abide attach claude-2`"
        );
        assert!(words(&task(SessionStatus::Done), Some("claude")).contains("`abide screen claude`"));
    }

    #[test]
    fn only_a_session_that_is_being_made_is_waited_for() {
        assert!(unfinished(Some(SessionStatus::Pending)).is_some());
        assert!(unfinished(Some(SessionStatus::Provisioning)).is_some());
        for status in [
            Some(SessionStatus::Running),
            Some(SessionStatus::WaitingForInput),
            Some(SessionStatus::Done),
            Some(SessionStatus::Failed),
            None,
        ] {
            assert_eq!(unfinished(status), None, "{status:?}");
        }
    }
}
