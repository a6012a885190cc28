//! `abide gc`: recordings come to rest, and what is too much goes.

use anyhow::Context;
use clap::Args;
use home::{Home, Worker};
use serde::Serialize;

use crate::bytes::bytes;
use crate::failure::Failure;
use crate::rest::{self, Bound, TooMuch};
use crate::settings::Settings;
use crate::{moment, output, workers};

/// Seal what is left of recordings, and remove what is over their bounds
///
/// Finished parts of recordings that nobody sealed are masked and compressed. Then the oldest parts go until each
/// recording is within `recording_mib` and all together are within `recordings_mib`. The newest part of each stays.
#[derive(Args)]
pub(super) struct Gc {
    /// Only say what would be done
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// What was done, or would be.
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
        for worker in &workers {
            done.sealed.extend(seal(&home, worker, self.dry_run)?);
        }
        for gone in rest::too_much(&workers, &settings).context("cannot read the recordings")? {
            if !self.dry_run {
                let removed = gone.file.remove();
                removed.with_context(|| format!("cannot remove `{}`", gone.file.path.display()))?;
            }
            done.removed.push(removed(&workers, &gone));
        }
        done.bytes = workers.iter().map(rest::bytes_of).sum();
        if self.json {
            output::write_json(&done)?
        } else {
            output::write(words(&done))?
        }
        Ok(0)
    }
}

fn seal(home: &Home, worker: &Worker, dry_run: bool) -> Result<Option<Sealed>, Failure> {
    let name = worker.meta.name.to_string();
    if !rest::is_unsealed(worker) {
        return Ok(None);
    }
    let sizes = if dry_run {
        None
    } else {
        let sealed = rest::seal(home, worker);
        let sealed = sealed.with_context(|| format!("cannot seal the recording of worker `{name}`"))?;
        let rest = Sizes {
            segments: sealed.segments,
            before_bytes: sealed.before_bytes,
            after_bytes: sealed.after_bytes,
        };
        Some(rest).filter(|sizes| sizes.segments > 0)
    };
    let is_done = dry_run || sizes.is_some();
    Ok(is_done.then(|| Sealed { worker: worker.dir.id().to_string(), name, sizes }))
}

fn removed(workers: &[Worker], gone: &TooMuch) -> Removed {
    let worker = &workers[gone.worker];
    Removed {
        worker: worker.dir.id().to_string(),
        name: worker.meta.name.to_string(),
        began_at: moment::rfc3339(gone.file.time_us),
        bytes: gone.file.bytes,
        over: match gone.over {
            Bound::Worker => "recording_mib",
            Bound::Total => "recordings_mib",
        },
    }
}

fn words(done: &Done) -> String {
    let mut text = String::new();
    for sealed in &done.sealed {
        let name = &sealed.name;
        text += &match &sealed.sizes {
            None => format!("would seal what is finished of `{name}`\n"),
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
