//! `abide history` and `abide last`: the commands that were run in a worker's shell, and what they printed.

use std::io;
use std::num::NonZeroUsize;

use anyhow::Context;
use clap::Args;
use home::Worker;
use playback::{Command, MaskedRecording};
use serde::Serialize;

use crate::failure::Failure;
use crate::table::{self, Cell, Tint};
use crate::{duration, moment, output, rules, workers};

/// List the commands that were run in a worker's shell
///
/// Shows when each one began, how long it ran, its exit code, its directory and what was typed, with secrets masked. The
/// shell has to mark its commands: bash, zsh and fish do so if abide started them (see the setting `shell_integration`
/// and `abide shell-integration`).
#[derive(Args)]
pub(super) struct History {
    /// The worker's name, or the beginning of its id
    #[arg(value_name = "NAME")]
    name: String,
    /// List only so many commands, the newest ones
    #[arg(long, short = 'n', value_name = "COMMANDS")]
    lines: Option<NonZeroUsize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Print what the last command in a worker's shell printed
///
/// Prints text as the terminal shows it, with secrets masked. A command that still runs does not count. Exits with 1 if
/// there is no such command. `abide history` says which shells it works for.
#[derive(Args)]
pub(super) struct Last {
    /// The worker's name, or the beginning of its id
    #[arg(value_name = "NAME")]
    name: String,
    /// Which one: 1 is the last, 2 the one before it
    #[arg(value_name = "N", default_value = "1")]
    number: NonZeroUsize,
}

impl History {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let (worker, recording) = open(&self.name)?;
        let all = playback::commands(&recording);
        let from = self.lines.map_or(0, |lines| all.len().saturating_sub(lines.get()));
        let machine = system::machine::name();
        let runs: Vec<Run> = all[from..].iter().map(|command| Run::of(command, &machine)).collect();
        if self.json {
            output::write_json(&runs)?;
            return Ok(0);
        }
        if all.is_empty() {
            return Err(nothing(&worker));
        }
        let rows: Vec<[Cell; 5]> = runs.iter().map(Run::row).collect();
        output::write(table::aligned(&rows, output::takes_colours(), output::width_cols()))?;
        Ok(0)
    }
}

impl Last {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let (worker, recording) = open(&self.name)?;
        let all = playback::commands(&recording);
        if all.is_empty() {
            return Err(nothing(&worker));
        }
        let mut ended = all.iter().rev().filter_map(|command| Some((command, command.end?)));
        let Some((command, end)) = ended.nth(self.number.get() - 1) else {
            let name = &worker.meta.name;
            return Err(Failure::no(format!("worker `{name}` has not ended so many commands"))
                .hint(format!("`abide history {name}` lists them")));
        };
        output::write(playback::printed(&recording, command.from..end.at))?;
        Ok(0)
    }
}

/// A command, as it is told.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    command: Option<String>,
    directory: Option<String>,
    started_at: String,
    ended_at: Option<String>,
    duration_ms: Option<u64>,
    exit_code: Option<i32>,
    #[serde(skip)]
    local_start: String,
}

impl Run {
    fn of(command: &Command, machine: &str) -> Run {
        let directory = command.directory.as_deref();
        Run {
            command: command.text.as_deref().map(model::display_safe_lines),
            directory: directory
                .and_then(|told| shells::told_directory(told, machine))
                .map(|place| model::display_safe(&place)),
            started_at: moment::rfc3339(command.from_us),
            ended_at: command.end.map(|end| moment::rfc3339(end.time_us)),
            duration_ms: command.end.map(|end| end.time_us.saturating_sub(command.from_us) / 1000),
            exit_code: command.end.and_then(|end| end.code),
            local_start: moment::local_time(command.from_us),
        }
    }

    fn row(&self) -> [Cell; 5] {
        let (lasted, code) = match (self.duration_ms, self.exit_code) {
            (None, _) => (Cell::new("runs", Tint::Green), Cell::from("")),
            (Some(ms), code) => {
                let lasted = duration::clock(ms * 1000).into();
                let code = match code {
                    None => Cell::from("-"),
                    Some(0) => Cell::new("0", Tint::Faint),
                    Some(code) => Cell::new(code.to_string(), Tint::Red),
                };
                (lasted, code)
            }
        };
        [
            Cell::new(&self.local_start, Tint::Faint),
            lasted,
            code,
            Cell::new(self.directory.as_deref().unwrap_or("-"), Tint::Faint),
            self.command.as_deref().unwrap_or("(not known)").replace('\n', " ⏎ ").into(),
        ]
    }
}

/// A worker's recording, masked.
fn open(name: &str) -> Result<(Worker, MaskedRecording), Failure> {
    let home = workers::home()?;
    let worker = workers::called(&home, name)?;
    let rules = rules::rules_for(&home, &worker.dir)?;
    match MaskedRecording::open(&worker.dir.recording(), rules) {
        Ok(recording) => Ok((worker, recording)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(nothing(&worker)),
        Err(error) => Err(error)
            .with_context(|| format!("cannot read the recording of worker `{}`", worker.meta.name))
            .map_err(|error| Failure::from(error).hint("`abide doctor` checks the data directory")),
    }
}

fn nothing(worker: &Worker) -> Failure {
    Failure::no(format!("no command is known of worker `{}`", worker.meta.name)).hint(
        "only shells that mark their commands are understood; `abide shell-integration --help` says how others can",
    )
}
