//! `abide task`: pieces of work, written down, started, cancelled and finished.

mod add;
mod cancel;
mod done;
mod logs;
mod ls;
mod repository;
mod rm;
mod start;
mod starting;

use clap::Subcommand;

use crate::failure::Failure;

/// Write tasks down, start agents on them, and finish them
///
/// Needs the server: start it with `abide serve`. Name a task by the beginning of its id or of its title.
#[derive(Subcommand)]
pub(super) enum Task {
    Add(add::Add),
    Ls(ls::Ls),
    Start(start::Start),
    Retry(start::Retry),
    Cancel(cancel::Cancel),
    Done(done::Done),
    Reopen(done::Reopen),
    Logs(logs::Logs),
    Rm(rm::Rm),
}

impl Task {
    pub(super) fn run(self) -> Result<u8, Failure> {
        match self {
            Task::Add(add) => add.run(),
            Task::Ls(ls) => ls.run(),
            Task::Start(start) => start.run(),
            Task::Retry(retry) => retry.run(),
            Task::Cancel(cancel) => cancel.run(),
            Task::Done(done) => done.run(),
            Task::Reopen(reopen) => reopen.run(),
            Task::Logs(logs) => logs.run(),
            Task::Rm(rm) => rm.run(),
        }
    }
}
