//! `abide ls`: the workers there are.

use std::num::NonZero;
use std::sync::Mutex;
use std::thread;

use anyhow::Context;
use clap::Args;
use home::{Home, Worker};
use jiff::Timestamp;
use model::{ExitStatus, TermSize};
use protocol::{StatusReport, WorkerState};
use serde::Serialize;

use crate::failure::Failure;
use crate::output;
use crate::table::{self, Cell, Tint};
use crate::workers;
use reach::Life;

/// Hosts that are asked at the same time: a few that do not answer shall not hold up the rest.
const ASKED_AT_ONCE: NonZero<usize> = NonZero::new(32).unwrap();

/// What bare `abide` says when there is no worker.
const HOW_TO_START: &str = "\
No workers yet. `abide new` starts your shell in one, `abide new -- CMD` a command; Ctrl-\\ d detaches.
`abide help` has the details.
";

/// List the workers
#[derive(Args)]
pub(super) struct Ls {
    /// As JSON, an array with an object for each worker
    #[arg(long)]
    json: bool,
}

impl Ls {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let workers = with_life(&workers::home()?)?;
        if self.json {
            let reports: Vec<Report<'_>> =
                workers.iter().map(|(worker, life)| report(worker, life)).collect();
            output::write_json(&reports)?;
        } else if workers.is_empty() {
            eprintln!("no workers; `abide new` starts one");
        } else {
            output::write(list(&workers, Timestamp::now()))?;
        }
        Ok(0)
    }
}

/// Bare `abide`: the list, or how to get something to list.
pub(super) fn bare() -> Result<u8, Failure> {
    let workers = with_life(&workers::home()?)?;
    output::write(if workers.is_empty() {
        HOW_TO_START.to_owned()
    } else {
        list(&workers, Timestamp::now())
    })?;
    Ok(0)
}

/// All workers and what is known of their lives.
pub(super) fn with_life(home: &Home) -> Result<Vec<(Worker, Life)>, Failure> {
    let workers = home
        .workers()
        .context("cannot list the workers")
        .map_err(|error| Failure::from(error).hint("`abide doctor` looks at the data directory"))?;
    let threads = ASKED_AT_ONCE.get().min(workers.len());
    let waiting = Mutex::new(workers.into_iter().enumerate());
    let asked = Mutex::new(Vec::new());
    let ask = || {
        while let Some((index, worker)) = next(&waiting) {
            let life = reach::life(&worker.dir);
            asked.lock().expect("nobody panics here").push((index, worker, life));
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // With fewer threads it takes longer.
            let _ = thread::Builder::new().spawn_scoped(scope, ask);
        }
        ask();
    });
    let mut asked = asked.into_inner().expect("nobody panics here");
    asked.sort_by_key(|(index, ..)| *index);
    Ok(asked.into_iter().map(|(_, worker, life)| (worker, life)).collect())
}

fn next<T>(waiting: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    waiting.lock().expect("nobody panics here").next()
}

fn list(workers: &[(Worker, Life)], now: Timestamp) -> String {
    let heading = ["NAME", "ID", "STATE", "AGE", "SIZE", "VIEWERS", "COMMAND"];
    let mut rows = vec![heading.map(|text| Cell::new(text, Tint::Bold))];
    rows.extend(workers.iter().map(|(worker, life)| row(worker, life, now)));
    table::aligned(&rows, output::takes_colours(), output::width_cols())
}

fn row(worker: &Worker, life: &Life, now: Timestamp) -> [Cell; 7] {
    let meta = &worker.meta;
    let (state, tint) = state(life);
    let report = live(life);
    let size = report.map_or(meta.size, |report| report.size);
    [
        meta.name.as_str().into(),
        Cell::new(worker.dir.id().as_str(), Tint::Faint),
        Cell::new(state, tint),
        age(meta.started_at, now).into(),
        size.to_string().into(),
        report.map_or_else(|| "-".to_owned(), |report| report.viewers.len().to_string()).into(),
        what(worker, report).into(),
    ]
}

fn live(life: &Life) -> Option<&StatusReport> {
    match life {
        Life::Live(report) => Some(report),
        Life::NotAnswering { .. } | Life::Exited(_) | Life::Lost => None,
    }
}

/// The title that the program gave itself, or its command.
fn what(worker: &Worker, report: Option<&StatusReport>) -> String {
    let title = report.map(|report| report.program.title.trim()).filter(|title| !title.is_empty());
    match title {
        Some(title) => model::display_safe(title),
        None => model::display_safe(&worker.meta.command.join(" ")),
    }
}

/// A worker's state in words, and how it looks.
pub(super) fn state(life: &Life) -> (String, Tint) {
    let ended = |status: ExitStatus| {
        (workers::ended(status), if status.is_success() { Tint::Faint } else { Tint::Yellow })
    };
    match life {
        Life::Live(report) => match report.state {
            WorkerState::Live => ("live".to_owned(), Tint::Green),
            WorkerState::Ending => ("ending".to_owned(), Tint::Yellow),
            WorkerState::Exited { status, .. } => ended(status),
        },
        Life::NotAnswering { .. } => ("not answering".to_owned(), Tint::Red),
        Life::Exited(note) => ended(note.status),
        Life::Lost => ("lost".to_owned(), Tint::Red),
    }
}

/// How long ago something was, in the largest unit that fits.
pub(super) fn age(since: Timestamp, now: Timestamp) -> String {
    let seconds = (now.as_second() - since.as_second()).max(0);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86400),
    }
}

/// A worker, for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    id: &'a str,
    name: &'a str,
    state: State,
    /// In words.
    state_text: String,
    started_at: Timestamp,
    command: &'a [String],
    cwd: &'a std::path::Path,
    size: TermSize,
    /// Processes that outlived the child.
    #[serde(skip_serializing_if = "Option::is_none")]
    survivors: Option<u32>,
    /// What only a host that answers knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'a StatusReport>,
}

/// Where a worker is in its life, for programs.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum State {
    Live,
    Ending,
    #[serde(rename_all = "camelCase")]
    NotAnswering {
        host_pid: u32,
    },
    #[serde(rename_all = "camelCase")]
    Exited {
        status: ExitStatus,
        exit_code: u8,
        at: Timestamp,
    },
    Lost,
}

fn report<'a>(worker: &'a Worker, life: &'a Life) -> Report<'a> {
    let exited = |status: ExitStatus, at| State::Exited { status, exit_code: status.code(), at };
    let host = live(life);
    Report {
        id: worker.meta.worker.as_str(),
        name: worker.meta.name.as_str(),
        state: match life {
            Life::Live(report) => match report.state {
                WorkerState::Live => State::Live,
                WorkerState::Ending => State::Ending,
                WorkerState::Exited { status, at } => exited(status, at),
            },
            Life::NotAnswering { pid } => State::NotAnswering { host_pid: *pid },
            Life::Exited(note) => exited(note.status, note.at),
            Life::Lost => State::Lost,
        },
        state_text: state(life).0,
        started_at: worker.meta.started_at,
        command: &worker.meta.command,
        cwd: &worker.meta.cwd,
        size: host.map_or(worker.meta.size, |host| host.size),
        survivors: match life {
            Life::Exited(note) => Some(note.survivors),
            _ => None,
        },
        host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_in_the_largest_unit_that_fits() {
        let at = |second| Timestamp::from_second(second).unwrap();
        for (seconds, expected) in [(-5, "0s"), (59, "59s"), (60, "1m"), (7300, "2h"), (200_000, "2d")] {
            assert_eq!(age(at(1000), at(1000 + seconds)), expected);
        }
    }

    #[test]
    fn an_end_is_told_as_it_was() {
        let ended = |status| {
            let note =
                home::ExitNote { status, at: Timestamp::UNIX_EPOCH, offset: model::Offset(0), survivors: 0 };
            state(&Life::Exited(note)).0
        };
        assert_eq!(ended(ExitStatus::Exited { code: 3 }), "exited 3");
        assert_eq!(ended(ExitStatus::Killed { signal: 15 }), "killed by SIGTERM");
        assert_eq!(state(&Life::Lost).0, "lost");
    }
}
