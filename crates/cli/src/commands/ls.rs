//! `abide ls`: lists the workers.

use std::num::NonZero;
use std::sync::Mutex;
use std::thread;

use anyhow::Context;
use clap::Args;
use home::{Home, Worker};
use jiff::Timestamp;
use model::{ExitStatus, TermSize};
use protocol::{ChildState, StatusReport};
use reading::{Exit, Masks};
use serde::Serialize;

use crate::duration::age;
use crate::failure::Failure;
use crate::output;
use crate::table::{self, Cell, Tint};
use crate::workers;
use viewer::reach::{self, Condition};

/// Hosts that are asked at the same time: a few that do not answer shall not hold up the rest.
const ASKED_AT_ONCE: NonZero<usize> = NonZero::new(32).unwrap();

/// What bare `abide` says when there is no worker.
const HOW_TO_START: &str = "\
No workers yet. `abide new` starts your shell in one, `abide new -- CMD` a command; Ctrl-\\ d detaches.
`abide help` lists all commands.
";

/// List the workers
#[derive(Args)]
pub(super) struct Ls {
    /// Print a JSON array with an object for each worker
    #[arg(long)]
    json: bool,
}

impl Ls {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let workers = with_life(&workers::home()?)?;
        if self.json {
            let reports: Vec<Report<'_>> =
                workers.iter().map(|(worker, condition)| report(worker, condition)).collect();
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
pub(super) fn with_life(home: &Home) -> Result<Vec<(Worker, Condition)>, Failure> {
    let workers = home
        .workers()
        .context("cannot list the workers")
        .map_err(|error| Failure::from(error).hint("`abide doctor` checks the data directory"))?;
    let threads = ASKED_AT_ONCE.get().min(workers.len());
    let waiting = Mutex::new(workers.into_iter().enumerate());
    let asked = Mutex::new(Vec::new());
    let ask = || {
        while let Some((index, worker)) = next(&waiting) {
            let condition = reach::condition(&worker.dir);
            asked.lock().expect("no thread panics while it holds this lock").push((index, worker, condition));
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // With fewer threads it takes longer.
            let _ = thread::Builder::new().spawn_scoped(scope, ask);
        }
        ask();
    });
    let mut asked = asked.into_inner().expect("no thread panics while it holds this lock");
    asked.sort_by_key(|(index, ..)| *index);
    let mut all: Vec<_> = asked.into_iter().map(|(_, worker, condition)| (worker, condition)).collect();
    mask(home, &mut all);
    Ok(all)
}

/// Masks what programs said through their terminals: it leaves, also as JSON.
fn mask(home: &Home, workers: &mut [(Worker, Condition)]) {
    // If the user's rules cannot be used, the others still hold.
    let (masks, _) = Masks::read_at_least(home);
    for (worker, condition) in workers {
        let Condition::Live(report) = condition else { continue };
        let program = &mut report.program;
        let asked = program.activity.as_mut().map(|status| &mut status.message);
        if program.title.is_empty() && program.cwd.is_empty() && asked.is_none() {
            continue;
        }
        let exit = Exit::of(&masks, &worker.dir);
        program.title = exit.mask(&program.title);
        program.cwd = exit.mask(&program.cwd);
        if let Some(Some(message)) = asked {
            *message = exit.mask(message);
        }
    }
}

fn next<T>(waiting: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    waiting.lock().expect("no thread panics while it holds this lock").next()
}

fn list(workers: &[(Worker, Condition)], now: Timestamp) -> String {
    let heading = ["NAME", "ID", "STATE", "AGE", "SIZE", "VIEWERS", "COMMAND"];
    let mut rows = vec![heading.map(|text| Cell::new(text, Tint::Bold))];
    rows.extend(workers.iter().map(|(worker, condition)| row(worker, condition, now)));
    table::aligned(&rows, output::takes_colours(), output::width_cols())
}

fn row(worker: &Worker, condition: &Condition, now: Timestamp) -> [Cell; 7] {
    let meta = &worker.meta;
    let (state, tint) = state(condition);
    let report = live(condition);
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

fn live(condition: &Condition) -> Option<&StatusReport> {
    match condition {
        Condition::Live(report) => Some(report),
        Condition::NotAnswering { .. } | Condition::Exited(_) | Condition::Lost => None,
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
pub(super) fn state(condition: &Condition) -> (String, Tint) {
    let ended = |status: ExitStatus| {
        (workers::ended(status), if status.is_success() { Tint::Faint } else { Tint::Yellow })
    };
    match condition {
        Condition::Live(report) => match report.state {
            ChildState::Live => ("live".to_owned(), Tint::Green),
            ChildState::Ending => ("ending".to_owned(), Tint::Yellow),
            ChildState::Exited { status, .. } => ended(status),
        },
        Condition::NotAnswering { .. } => ("not answering".to_owned(), Tint::Red),
        Condition::Exited(note) => ended(note.status),
        Condition::Lost => ("lost".to_owned(), Tint::Red),
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

fn report<'a>(worker: &'a Worker, condition: &'a Condition) -> Report<'a> {
    let exited = |status: ExitStatus, at| State::Exited { status, exit_code: status.code(), at };
    let host = live(condition);
    Report {
        id: worker.meta.worker.as_str(),
        name: worker.meta.name.as_str(),
        state: match condition {
            Condition::Live(report) => match report.state {
                ChildState::Live => State::Live,
                ChildState::Ending => State::Ending,
                ChildState::Exited { status, at } => exited(status, at),
            },
            Condition::NotAnswering { pid } => State::NotAnswering { host_pid: *pid },
            Condition::Exited(note) => exited(note.status, note.at),
            Condition::Lost => State::Lost,
        },
        state_text: state(condition).0,
        started_at: worker.meta.started_at,
        command: &worker.meta.command,
        cwd: &worker.meta.cwd,
        size: host.map_or(worker.meta.size, |host| host.size),
        survivors: match condition {
            Condition::Exited(note) => Some(note.survivors),
            _ => None,
        },
        host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_shows_exit_code_signal_or_lost() {
        let ended = |status| {
            let note = home::ExitNote {
                status,
                at: Timestamp::UNIX_EPOCH,
                offset: model::Offset(0),
                survivors: 0,
                on_request: false,
            };
            state(&Condition::Exited(note)).0
        };
        assert_eq!(ended(ExitStatus::Exited { code: 3 }), "exited 3");
        assert_eq!(ended(ExitStatus::Killed { signal: 15 }), "killed by SIGTERM");
        assert_eq!(state(&Condition::Lost).0, "lost");
    }
}
