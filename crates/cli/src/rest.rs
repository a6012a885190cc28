//! Recordings come to rest: finished segments are sealed, and what is too much goes.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use home::{Home, Worker};
use playback::{Growth, SealedRecording, seal_recording};
use recording::Surplus;

use crate::rules::rules_at_least;
use crate::settings::Settings;

/// A host that is gone without a word may be replaced within seconds. After so long it will not be.
const ABANDONED_AFTER: Duration = Duration::from_secs(60);

/// Seals what is finished of a worker's recording.
///
/// # Errors
///
/// When the disk refuses. What could not be sealed stays as it was.
pub(crate) fn seal(home: &Home, worker: &Worker) -> io::Result<SealedRecording> {
    let dir = worker.dir.recording();
    if !dir.exists() {
        return Ok(SealedRecording::default());
    }
    let (rules, trouble) = rules_at_least(home);
    if let Some(trouble) = trouble {
        trouble.tell();
    }
    seal_recording(&dir, growth(worker), worker.meta.mask, &rules)
}

/// Whether a finished part of a worker's recording is not sealed.
pub(crate) fn is_unsealed(worker: &Worker) -> bool {
    let recording = recording::Recording::open(&worker.dir.recording());
    recording.is_ok_and(|recording| {
        let segments = recording.segments();
        let finished = match growth(worker) {
            Growth::Finished => segments.len(),
            Growth::Growing => segments.len().saturating_sub(1),
        };
        segments[..finished].iter().any(|segment| segment.kind == recording::SegmentKind::Active)
    })
}

fn growth(worker: &Worker) -> Growth {
    if worker.dir.exit_note().is_some() {
        return Growth::Finished;
    }
    let is_hosted = worker.dir.identity().is_some_and(|identity| identity.is_alive());
    if is_hosted || !is_abandoned(worker) { Growth::Growing } else { Growth::Finished }
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

/// A file that is too much, and whose it is.
#[derive(Debug)]
pub(crate) struct TooMuch {
    /// The worker.
    pub(crate) worker: usize,
    /// The file.
    pub(crate) file: Surplus,
    /// Which bound it is over.
    pub(crate) over: Bound,
}

/// A bound on recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Of one worker.
    Worker,
    /// Of all together.
    Total,
}

/// What of these workers' recordings is over a bound, oldest first.
///
/// # Errors
///
/// When a recording cannot be read.
pub(crate) fn too_much(workers: &[Worker], settings: &Settings) -> io::Result<Vec<TooMuch>> {
    let mut all = Vec::new();
    for (worker, Worker { dir, meta }) in workers.iter().enumerate() {
        let surplus = recording::surplus(&[dir.recording()], meta.recording_bytes)?;
        all.extend(surplus.into_iter().map(|file| TooMuch { worker, file, over: Bound::Worker }));
    }
    let dirs: Vec<PathBuf> = workers.iter().map(|worker| worker.dir.recording()).collect();
    let goes_already: u64 = all.iter().map(|gone| gone.file.bytes).sum();
    let most_bytes = (settings.recordings_mib << 20).saturating_add(goes_already);
    for file in recording::surplus(&dirs, most_bytes)? {
        if !all.iter().any(|gone| gone.file.path == file.path) {
            all.push(TooMuch { worker: file.recording, file, over: Bound::Total });
        }
    }
    Ok(all)
}
