//! `abide rm`: removes ended workers.

use std::time::Duration;

use anyhow::Context;
use clap::Args;
use home::Worker;

use crate::commands::kill;
use crate::failure::Failure;
use crate::workers;
use viewer::reach::{self, Condition};

/// A process that was killed is gone before the last of its threads, which still hold what it held.
const LAST_THREAD: Duration = Duration::from_secs(2);

/// Remove ended workers and their recordings
#[derive(Args)]
pub(super) struct Rm {
    /// The workers' names, or the beginnings of their ids
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    /// First end workers that are live
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
    match reach::condition(&worker.dir) {
        Condition::Live(report) if !has_exited(&report) => {
            if !force {
                return Err(live_failure(worker));
            }
            kill::end(worker)?;
        }
        Condition::NotAnswering { pid } => return Err(workers::not_answering(worker, pid)),
        Condition::Live(_) | Condition::Exited(_) | Condition::Lost => {}
    }
    // A host that has told its worker's end may still be writing.
    reach::wait_for_host(&worker.dir);
    let lock = worker.dir.lock_within(LAST_THREAD).with_context(|| format!("cannot lock worker `{name}`"))?;
    // The holder of the lock is a living host, even if the files say otherwise.
    let Some(_lock) = lock else { return Err(live_failure(worker)) };
    worker.dir.remove().with_context(|| format!("cannot remove all of worker `{name}`")).map_err(|error| {
        Failure::from(error).hint(format!("see what is left in `{}`", worker.dir.path().display()))
    })
}

fn has_exited(report: &protocol::StatusReport) -> bool {
    matches!(report.state, protocol::ChildState::Exited { .. })
}

fn live_failure(worker: &Worker) -> Failure {
    let name = &worker.meta.name;
    Failure::no(format!("worker `{name}` is live"))
        .hint(format!("end it with `abide kill {name}` first, or do both with `abide rm --force {name}`"))
}
