//! `abide task ls`: lists the tasks.

use api::{Repository, SessionStatus, Task, TaskState};
use clap::Args;
use jiff::Timestamp;

use crate::duration::age;
use crate::failure::Failure;
use crate::output;
use crate::table::{self, Cell, Tint};
use crate::the_server;

/// List the tasks
#[derive(Args)]
pub(in crate::commands) struct Ls {
    /// Also list tasks that are done
    #[arg(long)]
    all: bool,
    /// Print a JSON array with an object for each task
    #[arg(long)]
    json: bool,
}

impl Ls {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = the_server::find()?;
        let mut tasks = server.tasks()?;
        tasks.retain(|task| self.all || task.status != TaskState::Done);
        output::write_list(&tasks, self.json, "no tasks; `abide task add TITLE` writes one down", |tasks| {
            Ok(list(tasks, &server.repositories()?, Timestamp::now()))
        })?;
        Ok(0)
    }
}

fn list(tasks: &[Task], repositories: &[Repository], now: Timestamp) -> String {
    let heading = ["ID", "STATE", "SESSION", "AGE", "REPOSITORY", "TITLE"];
    let mut rows = vec![heading.map(|text| Cell::new(text, Tint::Bold))];
    rows.extend(tasks.iter().map(|task| row(task, repositories, now)));
    table::aligned(&rows, output::takes_colours(), output::width_cols())
}

fn row(task: &Task, repositories: &[Repository], now: Timestamp) -> [Cell; 6] {
    let repository = repositories.iter().find(|repository| repository.id == task.project_id);
    let (session, tint) = task.session_status.map_or(("-", Tint::Faint), session);
    [
        Cell::new(task.id.as_str(), Tint::Faint),
        state(task.status).into(),
        Cell::new(session, tint),
        age(task.created_at, now).into(),
        repository.map_or_else(|| "-".to_owned(), |found| model::display_safe(&found.name)).into(),
        Cell::new(model::display_safe(&task.title), if task.pinned { Tint::Bold } else { Tint::Plain }),
    ]
}

fn state(status: TaskState) -> &'static str {
    match status {
        TaskState::Backlog => "backlog",
        TaskState::Active => "active",
        TaskState::Done => "done",
    }
}

/// How a task's session is doing, in words, and how that looks.
fn session(status: SessionStatus) -> (&'static str, Tint) {
    match status {
        SessionStatus::Pending => ("pending", Tint::Plain),
        SessionStatus::Provisioning => ("provisioning", Tint::Plain),
        SessionStatus::Running => ("running", Tint::Green),
        SessionStatus::WaitingForInput => ("waiting for input", Tint::Yellow),
        SessionStatus::Done => ("done", Tint::Faint),
        SessionStatus::Failed => ("failed", Tint::Red),
    }
}

#[cfg(test)]
mod tests {
    use model::{RepositoryId, TaskId};

    use super::*;

    fn task(number: u8, status: TaskState, session_status: Option<SessionStatus>) -> Task {
        Task {
            id: TaskId::from_random([number; 8]),
            project_id: RepositoryId::from_random([1; 8]),
            title: format!("Number {number}\u{1b}"),
            description: None,
            pinned: false,
            status,
            agent_id: None,
            session_id: None,
            worker_id: None,
            session_status,
            worktree_path: None,
            shown_worktree_path: None,
            branch: None,
            session_started_at: None,
            session_error: None,
            position: 0,
            created_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_task_is_a_line_that_is_safe_to_show() {
        let repository = Repository {
            id: RepositoryId::from_random([1; 8]),
            path: "/somewhere/shop".into(),
            shown_path: "/somewhere/shop".into(),
            name: "shop".into(),
            created_at: Timestamp::UNIX_EPOCH,
        };
        let tasks = [
            task(2, TaskState::Active, Some(SessionStatus::WaitingForInput)),
            task(3, TaskState::Backlog, None),
        ];
        let now = Timestamp::from_second(7200).unwrap();
        let text = list(&tasks, &[repository], now);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "ID        STATE    SESSION            AGE  REPOSITORY  TITLE");
        assert_eq!(lines[1], "22222222  active   waiting for input  2h   shop        Number 2\u{fffd}");
        assert_eq!(lines[2], "33333333  backlog  -                  2h   shop        Number 3\u{fffd}");
    }
}
