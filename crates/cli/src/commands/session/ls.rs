//! `abide session ls`: lists the sessions.

use api::{Activity, Session, Worker, WorkerState};
use clap::Args;
use client::Client;
use home::ServerNote;
use jiff::Timestamp;

use super::from_hosts;
use crate::duration::age;
use crate::failure::Failure;
use crate::output;
use crate::signal_name::signal_name;
use crate::table::{self, Cell, Tint};
use crate::workers;

/// List the sessions and their workers
///
/// Without a server, lists only sessions that have workers, from what hosts and directories say.
#[derive(Args)]
pub(in crate::commands) struct Ls {
    /// Print a JSON array with an object for each session
    #[arg(long)]
    json: bool,
}

impl Ls {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let sessions = if ServerNote::running(&home).is_some() {
            Client::of(&home)?.sessions()?
        } else {
            eprintln!("note: no server runs; these are the sessions that have workers");
            from_hosts::sessions(&home)?
        };
        output::write_list(
            &sessions,
            self.json,
            "no sessions; `abide new` starts a worker in one, `abide task start` an agent",
            |sessions| Ok(list(sessions, Timestamp::now())),
        )?;
        Ok(0)
    }
}

/// Each session in a line, with the workers in it below.
fn list(sessions: &[Session], now: Timestamp) -> String {
    let heading = ["ID", "STATE", "AGE", "WHAT"];
    let mut rows = vec![heading.map(|text| Cell::new(text, Tint::Bold))];
    for session in sessions {
        rows.push(session_row(session, now));
        rows.extend(session.workers.iter().map(|worker| worker_row(worker, now)));
    }
    table::aligned(&rows, output::takes_colours(), output::width_cols())
}

fn session_row(session: &Session, now: Timestamp) -> [Cell; 4] {
    let live = session.workers.iter().filter(|worker| worker.state == WorkerState::Live).count();
    let place = model::display_safe(&session.location_path);
    let place = if session.location_missing { format!("{place} (missing)") } else { place };
    let what = match session.title.as_deref().filter(|title| !title.is_empty()) {
        Some(title) => format!("{}  {place}", model::display_safe(title)),
        None => place,
    };
    [
        session.id.as_str().into(),
        format!("{live} of {} live", session.workers.len()).into(),
        age(session.created_at, now).into(),
        what.into(),
    ]
}

fn worker_row(worker: &Worker, now: Timestamp) -> [Cell; 4] {
    let (state, tint) = state(worker);
    let name = model::display_safe(&worker.name);
    let handle = worker.handle.as_deref().map(|handle| format!(" ({})", model::display_safe(handle)));
    [
        Cell::new(format!("  {}", worker.id), Tint::Faint),
        Cell::new(format!("  {state}"), tint),
        age(worker.started_at.unwrap_or(worker.created_at), now).into(),
        format!("  {name}{}", handle.unwrap_or_default()).into(),
    ]
}

/// A worker's state in words, and how it looks.
fn state(worker: &Worker) -> (String, Tint) {
    match &worker.state {
        WorkerState::Pending => ("pending".to_owned(), Tint::Plain),
        WorkerState::Provisioning => ("provisioning".to_owned(), Tint::Plain),
        WorkerState::Live => match worker.activity {
            Activity::Unknown => ("live".to_owned(), Tint::Green),
            Activity::Active => ("active".to_owned(), Tint::Green),
            Activity::Idle => ("idle".to_owned(), Tint::Green),
            Activity::Asking => ("asking".to_owned(), Tint::Yellow),
        },
        WorkerState::NotAnswering => ("not answering".to_owned(), Tint::Red),
        WorkerState::Paused => ("paused".to_owned(), Tint::Faint),
        WorkerState::Exited { signal: Some(signal), .. } => {
            (format!("killed by {}", signal_name(*signal)), Tint::Yellow)
        }
        WorkerState::Exited { exit_code: 0, .. } => ("exited 0".to_owned(), Tint::Faint),
        WorkerState::Exited { exit_code, .. } => (format!("exited {exit_code}"), Tint::Yellow),
        WorkerState::Failed { .. } => ("failed".to_owned(), Tint::Red),
        WorkerState::Lost { .. } => ("lost".to_owned(), Tint::Red),
    }
}

#[cfg(test)]
mod tests {
    use api::{SessionActivity, SessionKind, WorkerKind};
    use model::{SessionId, WorkerId};

    use super::*;

    fn worker(number: u8, state: WorkerState, activity: Activity) -> Worker {
        Worker {
            id: WorkerId::from_random([number; 8]),
            session_id: SessionId::from_random([1; 8]),
            kind: WorkerKind::Terminal,
            name: "Terminal".into(),
            handle: Some("sh".into()),
            state,
            activity,
            activity_since: None,
            runs_agent: None,
            asking: None,
            question: None,
            turn: None,
            title: None,
            cwd: None,
            created_at: Timestamp::UNIX_EPOCH,
            started_at: None,
            ended_at: None,
            viewers: 0,
        }
    }

    #[test]
    fn a_session_is_a_line_with_its_workers_below() {
        let session = Session {
            id: SessionId::from_random([1; 8]),
            kind: SessionKind::Quick,
            location_path: "/src/shop".into(),
            shown_location: "/src/shop".into(),
            location_missing: true,
            title: Some("Fix\u{1b}".into()),
            status: SessionActivity::Active,
            task_id: None,
            notices: Vec::new(),
            created_at: Timestamp::UNIX_EPOCH,
            workers: vec![
                worker(2, WorkerState::Live, Activity::Asking),
                worker(3, WorkerState::Exited { exit_code: 143, signal: Some(15) }, Activity::Unknown),
            ],
        };
        let text = list(&[session], Timestamp::from_second(60).unwrap());
        let expected = "\
ID          STATE                AGE  WHAT
11111111    1 of 2 live          1m   Fix\u{fffd}  /src/shop (missing)
  22222222    asking             1m     Terminal (sh)
  33333333    killed by SIGTERM  1m     Terminal (sh)
";
        assert_eq!(text, expected);
    }
}
