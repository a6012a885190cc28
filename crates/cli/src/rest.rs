//! Seals finished segments of recordings, and removes the surplus.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io;
use std::time::{Duration, SystemTime};

use home::Worker;
use playback::{Growth, Masks, SealedRecording, count_unsealed, seal_recording};
use recording::{Bounded, Excess, excess};

use crate::settings::Settings;

/// A host that is gone without a word may be replaced within seconds. After so long it will not be.
const ABANDONED_AFTER: Duration = Duration::from_secs(60);

/// What is masked in a home.
pub(crate) struct HomeMasks {
    pub(crate) masks: reading::Masks,
    /// Whether the user's own rules are among them.
    pub(crate) are_complete: bool,
}

/// Seals what is finished of a worker's recording. Waits this long for another process that seals it.
///
/// # Errors
///
/// When the disk refuses, or it was not our turn. What could not be sealed stays as it was.
pub(crate) fn seal(masks: &HomeMasks, worker: &Worker, patience: Duration) -> io::Result<SealedRecording> {
    let knows_secrets = masks.masks.knows_secrets_of(&worker.dir);
    let masks = Masks {
        policy: worker.meta.mask,
        rules: masks.masks.of(&worker.dir),
        are_complete: masks.are_complete && knows_secrets,
    };
    seal_with(worker, &masks, knows_secrets, patience)
}

/// The same with masks that the caller has. `knows_secrets`: they hold the secrets of the worker's own environment.
///
/// # Errors
///
/// As for [`seal`].
pub(crate) fn seal_with(
    worker: &Worker,
    masks: &Masks,
    knows_secrets: bool,
    patience: Duration,
) -> io::Result<SealedRecording> {
    // Held until all is sealed, so that no host takes the worker up meanwhile.
    let lock = RefCell::new(None);
    let growth = || {
        let (growth, held) = growth(worker, knows_secrets);
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
pub(crate) fn unsealed(masks: &HomeMasks, worker: &Worker) -> io::Result<usize> {
    let knows_secrets = masks.masks.knows_secrets_of(&worker.dir);
    match count_unsealed(&worker.dir.recording(), growth(worker, knows_secrets).0) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        counted => counted,
    }
}

/// Whether anything may still be appended to a worker's recording. If nothing may, although no exit note says how the
/// worker ended, then because of the worker's lock, which is given along.
///
/// A worker that has only just ended is left to the process that its host started: other processes do not know its
/// secrets.
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
