//! Recordings come to rest: finished segments are sealed, and what is too much goes.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io;
use std::time::{Duration, SystemTime};

use home::{Home, Worker};
use playback::{Growth, Masks, SealedRecording, count_unsealed, seal_recording};
use recording::{Bounded, Excess, excess};

use crate::rules::{self, rules_at_least};
use crate::settings::Settings;

/// A host that is gone without a word may be replaced within seconds. After so long it will not be.
const ABANDONED_AFTER: Duration = Duration::from_secs(60);

/// Seals what is finished of a worker's recording. Somebody who does so already is waited for so long.
///
/// # Errors
///
/// When the disk refuses, or it was not our turn. What could not be sealed stays as it was.
pub(crate) fn seal(home: &Home, worker: &Worker, patience: Duration) -> io::Result<SealedRecording> {
    let at_least = rules_at_least(home, &worker.dir);
    if let Some(trouble) = &at_least.trouble {
        trouble.tell();
    }
    let masks =
        Masks { policy: worker.meta.mask, rules: at_least.rules, are_complete: at_least.are_complete };
    seal_with(worker, &masks, patience)
}

/// The same with masks that the caller knows.
///
/// # Errors
///
/// As for [`seal`].
pub(crate) fn seal_with(worker: &Worker, masks: &Masks, patience: Duration) -> io::Result<SealedRecording> {
    // Held until all is sealed, so that nobody takes the worker up meanwhile.
    let lock = RefCell::new(None);
    let growth = || {
        let (growth, held) = growth(worker, masks.are_complete);
        *lock.borrow_mut() = held;
        growth
    };
    match seal_recording(&worker.dir.recording(), growth, masks, patience) {
        // It was removed, or there was none yet.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(SealedRecording::default()),
        sealed => sealed,
    }
}

/// How many parts of a worker's recording could be sealed now.
///
/// # Errors
///
/// When it cannot be read.
pub(crate) fn unsealed(worker: &Worker) -> io::Result<usize> {
    match count_unsealed(&worker.dir.recording(), growth(worker, rules::are_known(&worker.dir)).0) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        counted => counted,
    }
}

/// Whether anything may still be appended to a worker's recording. If nothing may although nobody said how the worker
/// ended, then because of the worker's lock, which is given along.
///
/// A worker that has only just ended is left to the one whom its host started: whoever comes by does not know its secrets.
fn growth(worker: &Worker, knows_secrets: bool) -> (Growth, Option<File>) {
    if worker.dir.exit_note().is_some() {
        let is_ours = knows_secrets || is_abandoned(worker);
        return (if is_ours { Growth::Finished } else { Growth::Growing }, None);
    }
    let lock = if is_abandoned(worker) { worker.dir.try_lock().ok().flatten() } else { None };
    (if lock.is_some() { Growth::Finished } else { Growth::Growing }, lock)
}

/// Whether nothing was recorded for a while.
fn is_abandoned(worker: &Worker) -> bool {
    let Ok(files) = fs::read_dir(worker.dir.recording()) else { return false };
    let written = files.filter_map(|file| file.ok()?.metadata().ok()?.modified().ok()).max();
    written.is_some_and(|written| {
        SystemTime::now().duration_since(written).is_ok_and(|since| since >= ABANDONED_AFTER)
    })
}

/// What a worker's recording takes.
pub(crate) fn bytes_of(worker: &Worker) -> u64 {
    let files = fs::read_dir(worker.dir.recording()).into_iter().flatten();
    files.filter_map(|file| Some(file.ok()?.metadata().ok()?.len())).sum()
}

/// What of these workers' recordings is over a bound.
pub(crate) fn too_much(workers: &[Worker], settings: &Settings) -> Excess {
    let bounded =
        |worker: &Worker| Bounded { dir: worker.dir.recording(), most_bytes: worker.meta.recording_bytes };
    excess(&workers.iter().map(bounded).collect::<Vec<_>>(), settings.recordings_mib << 20)
}
