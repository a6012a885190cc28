//! Keeping many recordings within one bound.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::directory;
use crate::segment_reader::SegmentReader;
use crate::trim::newest_whole;

/// A file that has to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surplus {
    /// The file.
    pub path: PathBuf,
    /// Which of the recordings it belongs to.
    pub recording: usize,
    /// When it began, in microseconds since the Unix epoch; if it does not say, when the one before did, or zero.
    pub time_us: u64,
    /// Its size.
    pub bytes: u64,
}

impl Surplus {
    /// Removes it.
    ///
    /// # Errors
    ///
    /// When it is there and cannot be removed.
    pub fn remove(&self) -> io::Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// What has to go, oldest first, for the recordings in these directories to take at most `most_bytes` together.
///
/// The newest segment of each that has a whole snapshot stays, whatever its size.
///
/// # Errors
///
/// When a directory or a segment cannot be opened. A directory that is not there holds nothing.
pub fn surplus(dirs: &[impl AsRef<Path>], most_bytes: u64) -> io::Result<Vec<Surplus>> {
    let mut recordings = Vec::new();
    for dir in dirs {
        recordings.push(match directory::all_files(dir.as_ref()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            files => files?,
        });
    }
    let mut bytes: u64 = recordings.iter().flatten().map(|file| file.bytes).sum();
    // Most of the time everything fits, and then no file is opened.
    if bytes <= most_bytes {
        return Ok(Vec::new());
    }
    let mut removable = Vec::new();
    for (recording, (dir, files)) in dirs.iter().zip(recordings).enumerate() {
        if !files.is_empty() {
            removable.extend(removable_of(recording, dir.as_ref(), files)?);
        }
    }
    removable.sort_by(|a, b| (a.time_us, &a.path).cmp(&(b.time_us, &b.path)));
    let goes = removable.into_iter().take_while(|file| {
        let is_over = bytes > most_bytes;
        bytes = bytes.saturating_sub(file.bytes);
        is_over
    });
    Ok(goes.collect())
}

/// What of a recording may go.
fn removable_of(recording: usize, dir: &Path, files: Vec<directory::Entry>) -> io::Result<Vec<Surplus>> {
    let kept = newest_whole(&directory::segments(dir)?)?;
    // Within a recording the number says what is older, even if a clock was set back meanwhile.
    let mut time_us = 0;
    let files = files.into_iter().filter(|file| file.number < kept);
    let removable = files.map(|file| {
        let begun_us = SegmentReader::open(&file.path).map_or(0, |reader| reader.head().time_us);
        time_us = begun_us.max(time_us);
        Surplus { path: file.path, recording, time_us, bytes: file.bytes }
    });
    Ok(removable.collect())
}
