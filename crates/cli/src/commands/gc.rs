//! `abide gc`: seals finished recordings, and removes the surplus.

use std::time::Duration;

use anyhow::Context;
use clap::Args;
use home::Worker;
use recording::{Bound, Surplus};
use serde::Serialize;

use crate::bytes::bytes;
use crate::failure::Failure;
use crate::rest::{self, HomeMasks};
use crate::settings::Settings;
use crate::{moment, output, rules, workers};

/// Seal finished recordings, and remove the oldest parts of those over their limits
///
/// abide masks and compresses finished parts of recordings that are not sealed yet. Then it removes the oldest parts
/// until each recording is within `recording_mib` and all together are within `recordings_mib`. It keeps the newest
/// part of each.
#[derive(Args)]
pub(super) struct Gc {
    /// Only say what abide would do
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Another process that seals is done by then, or is stopped.
const TURN_WITHIN: Duration = Duration::from_secs(10);

/// The steps done, or that would be done.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Done {
    dry_run: bool,
    sealed: Vec<Sealed>,
    removed: Vec<Removed>,
    /// What all recordings take now.
    bytes: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Sealed {
    worker: String,
    name: String,
    /// Unknown before it is done.
    #[serde(flatten)]
    sizes: Option<Sizes>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Sizes {
    segments: usize,
    before_bytes: u64,
    after_bytes: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Removed {
    worker: String,
    name: String,
    began_at: String,
    bytes: u64,
    over: &'static str,
}

impl Gc {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let settings = Settings::read(&home)?;
        let workers = home.workers().context("cannot list the workers")?;
        let mut done = Done { dry_run: self.dry_run, ..Done::default() };
        if !self.dry_run {
            home.finish_removals().context("cannot finish the removal of workers")?;
        }
        let mut failures = Vec::new();
        // A full disk gets room before more is written.
        done.keep_bounds(&workers, &settings, &mut failures);
        // Said once, not of every worker.
        match rules::masks(&home) {
            Ok(masks) => {
                let masks = HomeMasks { masks, are_complete: true };
                for worker in &workers {
                    match seal(&masks, worker, self.dry_run) {
                        Ok(sealed) => done.sealed.extend(sealed),
                        Err(failure) => failures.push(failure),
                    }
                }
            }
            Err(failure) => failures.push(failure),
        }
        if !self.dry_run {
            done.keep_bounds(&workers, &settings, &mut Vec::new());
        }
        done.bytes = workers.iter().map(rest::bytes_of).sum();
        match self.json {
            true => output::write_json(&done)?,
            false => output::write(words(&done))?,
        }
        failures.iter().for_each(Failure::tell);
        Ok(failures.iter().map(Failure::code).max().unwrap_or(0))
    }
}

impl Done {
    /// Removes what is over a bound, or says so, and tells of what cannot be.
    fn keep_bounds(&mut self, workers: &[Worker], settings: &Settings, failures: &mut Vec<Failure>) {
        let excess = rest::too_much(workers, settings);
        for (number, error) in excess.unreadable {
            let name = &workers[number].meta.name;
            let context = format!("cannot read the recording of worker `{name}`");
            failures.push(anyhow::Error::from(error).context(context).into());
        }
        for file in excess.files {
            let gone = if self.dry_run { Ok(()) } else { file.remove() };
            match gone.with_context(|| format!("cannot remove `{}`", file.path.display())) {
                Ok(()) => self.removed.push(removed(workers, &file)),
                Err(error) => failures.push(error.into()),
            }
        }
    }
}

fn seal(masks: &HomeMasks, worker: &Worker, dry_run: bool) -> Result<Option<Sealed>, Failure> {
    let name = worker.meta.name.to_string();
    let cannot = || format!("cannot seal the recording of worker `{name}`");
    let (is_done, sizes) = if dry_run {
        (rest::unsealed(masks, worker).with_context(cannot)? > 0, None)
    } else {
        let sealed = rest::seal(masks, worker, TURN_WITHIN).with_context(cannot).map_err(|error| {
            Failure::from(error)
                .hint("another process may be sealing it: try again, or read the worker's log")
        })?;
        if sealed.damaged_bytes > 0 {
            eprintln!("{} bytes of the recording of worker `{name}` were damaged", sealed.damaged_bytes);
        }
        let sizes = Sizes {
            segments: sealed.segments,
            before_bytes: sealed.before_bytes,
            after_bytes: sealed.after_bytes,
        };
        (sealed.segments > 0, Some(sizes))
    };
    Ok(is_done.then(|| Sealed { worker: worker.dir.id().to_string(), name, sizes }))
}

fn removed(workers: &[Worker], file: &Surplus) -> Removed {
    let worker = &workers[file.recording];
    Removed {
        worker: worker.dir.id().to_string(),
        name: worker.meta.name.to_string(),
        began_at: moment::rfc3339(file.time_us),
        bytes: file.bytes,
        over: match file.over {
            Bound::Each => "recording_mib",
            Bound::All => "recordings_mib",
        },
    }
}

fn words(done: &Done) -> String {
    let mut text = String::new();
    for sealed in &done.sealed {
        let name = &sealed.name;
        text += &match &sealed.sizes {
            None => format!("would seal the finished parts of `{name}`\n"),
            Some(sizes) => {
                let (before, after) = (bytes(sizes.before_bytes), bytes(sizes.after_bytes));
                format!("sealed {} of `{name}`: {before} became {after}\n", parts(sizes.segments))
            }
        };
    }
    let verb = if done.dry_run { "would remove" } else { "removed" };
    for gone in &done.removed {
        let (name, began_at, over) = (&gone.name, &gone.began_at, gone.over);
        text += &format!("{verb} {} of `{name}` from {began_at} (over {over})\n", bytes(gone.bytes));
    }
    if done.sealed.is_empty() && done.removed.is_empty() {
        text += "nothing to do\n";
    }
    text + &format!("recordings take {}\n", bytes(done.bytes))
}

fn parts(number: usize) -> String {
    if number == 1 { "1 part".to_owned() } else { format!("{number} parts") }
}
