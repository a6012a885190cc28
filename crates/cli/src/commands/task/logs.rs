//! `abide task logs`: the past sessions of a task.

use api::{LogExit, SessionLog, Task};
use clap::Args;
use jiff::Timestamp;

use crate::duration::age;
use crate::failure::Failure;
use crate::named;
use crate::output;
use crate::table::{self, Cell, Tint};
use crate::the_server;

/// List the past sessions of a task
///
/// To see what their agents printed, use `abide replay WORKER` or `abide logs WORKER`.
#[derive(Args)]
pub(in crate::commands) struct Logs {
    /// The beginning of the task's id or title
    #[arg(value_name = "TASK")]
    task: String,
    /// Print a JSON array with an object for each session
    #[arg(long)]
    json: bool,
}

impl Logs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = the_server::find()?;
        let task: Task = named::find(&server, &self.task)?;
        let logs = server.session_logs(task.id)?;
        output::write_list(&logs, self.json, "no past sessions", |logs| Ok(list(logs, Timestamp::now())))?;
        Ok(0)
    }
}

fn list(logs: &[SessionLog], now: Timestamp) -> String {
    let heading = ["ENDED", "RAN", "END", "WORKER", "NOTE"];
    let mut rows = vec![heading.map(|text| Cell::new(text, Tint::Bold))];
    rows.extend(logs.iter().map(|log| row(log, now)));
    table::aligned(&rows, output::takes_colours(), output::width_cols())
}

fn row(log: &SessionLog, now: Timestamp) -> [Cell; 5] {
    let (end, tint) = match log.exit_status {
        LogExit::Done => ("done", Tint::Faint),
        LogExit::Failed => ("failed", Tint::Yellow),
    };
    let error = log.error.as_deref().map(model::display_safe);
    let kept = log.kept_worktree.as_deref().map(|path| format!("kept `{}`", model::display_safe(path)));
    let note: Vec<String> = error.into_iter().chain(kept).collect();
    [
        format!("{} ago", age(log.ended_at, now)).into(),
        age(log.started_at, log.ended_at).into(),
        Cell::new(end, tint),
        log.worker_id.map_or_else(|| "-".to_owned(), |worker| worker.to_string()).into(),
        note.join("; ").into(),
    ]
}

#[cfg(test)]
mod tests {
    use model::{SessionLogId, TaskId, WorkerId};

    use super::*;

    #[test]
    fn a_past_session_says_how_it_ended_and_what_is_left_of_it() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let log = SessionLog {
            id: SessionLogId::from_random([1; 8]),
            task_id: TaskId::from_random([2; 8]),
            started_at: at(0),
            ended_at: at(120),
            exit_status: LogExit::Failed,
            error: Some("exited 3".into()),
            worker_id: Some(WorkerId::from_random([3; 8])),
            kept_worktree: Some("/w/k7f2".into()),
        };
        let text = list(&[log], at(3720));
        let expected = "ENDED   RAN  END     WORKER    NOTE\n\
                        1h ago  2m   failed  33333333  exited 3; kept `/w/k7f2`\n";
        assert_eq!(text, expected);
    }
}
