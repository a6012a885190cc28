//! `abide rm`: a worker that has ended is forgotten.

use std::time::Duration;

use anyhow::Context;
use clap::Args;
use home::Worker;

use crate::commands::kill;
use crate::failure::Failure;
use crate::workers;
use reach::Life;

/// A process that was killed is gone before the last of its threads, which still hold what it held.
const LAST_THREAD: Duration = Duration::from_secs(2);

/// Remove workers that have ended, with their recordings
#[derive(Args)]
pub(super) struct Rm {
    /// The workers' names, or the beginnings of their ids
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    /// End those that are live first
    #[arg(long, short)]
    force: bool,
}

impl Rm {
    /// Removes what can be removed, and tells of the rest.
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let mut code = 0;
        for name in &self.names {
            let removed = workers::called(&home, name).and_then(|worker| remove(&worker, self.force));
            if let Err(failure) = removed {
                failure.tell();
                code = code.max(failure.code());
            }
        }
        Ok(code)
    }
}

fn remove(worker: &Worker, force: bool) -> Result<(), Failure> {
    let name = &worker.meta.name;
    match reach::life(&worker.dir) {
        Life::Live(report) if !has_exited(&report) => {
            if !force {
                return Err(is_live(worker));
            }
            kill::end(worker)?;
        }
        Life::NotAnswering { pid } => return Err(workers::not_answering(worker, pid)),
        Life::Live(_) | Life::Exited(_) | Life::Lost => {}
    }
    // A host that has told its worker's end may still be writing.
    reach::wait_for_host(&worker.dir);
    let lock = worker.dir.lock_within(LAST_THREAD).with_context(|| format!("cannot lock worker `{name}`"))?;
    // Whoever holds it is a host that lives, whatever the files say.
    let Some(_lock) = lock else { return Err(is_live(worker)) };
    worker.dir.remove().with_context(|| format!("cannot remove all of worker `{name}`")).map_err(|error| {
        Failure::from(error).hint(format!("see what is left in `{}`", worker.dir.path().display()))
    })
}

fn has_exited(report: &protocol::StatusReport) -> bool {
    matches!(report.state, protocol::WorkerState::Exited { .. })
}

fn is_live(worker: &Worker) -> Failure {
    let name = &worker.meta.name;
    Failure::no(format!("worker `{name}` is live"))
        .hint(format!("end it with `abide kill {name}` first, or do both with `abide rm --force {name}`"))
}
