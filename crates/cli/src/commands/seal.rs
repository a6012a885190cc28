//! `abide seal`: seals recordings. A host starts it when a segment is finished.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use home::{Home, Worker, WorkerDir};
use reading::Masks;

use crate::failure::Failure;
use crate::rest::{self, HomeMasks};
use crate::rules;
use crate::settings::Settings;

/// Out of the way of others. With 19 it would get nothing for seconds on a busy machine, and secrets stay unmasked until
/// it is done.
const LOWER_URGENCY: i32 = 10;

/// Another process that seals is done by then, or is stopped and never will be.
const TURN_WITHIN: Duration = Duration::from_secs(120);

/// Mask and compress the finished parts of recordings
#[derive(Args)]
pub(super) struct Seal {
    /// A worker's directory; by default all workers
    #[arg(value_name = "DIRECTORY")]
    dir: Option<PathBuf>,
}

impl Seal {
    /// Seals what can be sealed, keeps the bounds, and tells of the rest.
    pub(super) fn run(self) -> Result<u8, Failure> {
        // If the priority cannot be lowered, it stays as it is.
        let _ = rustix::process::nice(LOWER_URGENCY);
        let (home, workers) = match &self.dir {
            Some(path) => {
                let dir = WorkerDir::at(path).context("this is not a worker's directory")?;
                let root = dir.root().context("this is not a worker's directory")?;
                let meta = dir.meta().context("cannot read the worker's meta.json")?;
                (Home::at(root), vec![Worker { dir, meta }])
            }
            None => {
                let home = crate::workers::home()?;
                home.finish_removals().context("cannot finish the removal of workers")?;
                let workers = home.workers().context("cannot list the workers")?;
                (home, workers)
            }
        };
        // A full disk gets room before more is written.
        keep_bounds(&home)?;
        let (masks, trouble) = Masks::read_at_least(&home);
        let masks = HomeMasks { masks, are_complete: trouble.is_none() };
        if let Some(trouble) = trouble {
            rules::failure(trouble).tell();
        }
        let mut code = 0;
        for worker in &workers {
            if let Err(failure) = seal(&masks, worker) {
                failure.tell();
                code = failure.code();
            }
        }
        keep_bounds(&home)?;
        Ok(code)
    }
}

fn seal(masks: &HomeMasks, worker: &Worker) -> Result<(), Failure> {
    let name = &worker.meta.name;
    let sealed = rest::seal(masks, worker, TURN_WITHIN);
    let sealed = sealed.with_context(|| format!("cannot seal the recording of worker `{name}`"))?;
    if sealed.damaged_bytes > 0 {
        eprintln!("{} bytes of the recording of worker `{name}` were damaged", sealed.damaged_bytes);
    }
    Ok(())
}

/// Removes what is over the bounds.
fn keep_bounds(home: &Home) -> Result<(), Failure> {
    let settings = Settings::read(home)?;
    let workers = home.workers().context("cannot list the workers")?;
    for file in rest::too_much(&workers, &settings).files {
        file.remove().context("cannot remove the oldest parts of the recordings")?;
    }
    Ok(())
}
