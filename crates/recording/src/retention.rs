//! Keeping recordings within bounds: of each, and of all together.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::directory;
use crate::segment_reader::SegmentReader;
use crate::trim::newest_whole;

/// A recording, and what it may take.
#[derive(Clone, Debug)]
pub struct Bounded {
    /// Its directory.
    pub dir: PathBuf,
    /// What it alone may take.
    pub most_bytes: u64,
}

/// What has to go, and what could not be looked at.
#[derive(Debug, Default)]
pub struct Excess {
    /// What has to go: first what is over the bound of its own recording, then what is over that of all.
    pub files: Vec<Surplus>,
    /// The recordings, by their numbers, that could not be read. They count for nothing.
    pub unreadable: Vec<(usize, io::Error)>,
}

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
    /// Which bound it is over.
    pub over: Bound,
}

/// A bound on recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Of one recording.
    Each,
    /// Of all together.
    All,
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

/// What has to go, oldest first, for each recording to keep its bound, and all together to take at most `all_bytes`.
///
/// The newest segment of each that has a whole snapshot stays, even if it is too large.
pub fn excess(recordings: &[Bounded], all_bytes: u64) -> Excess {
    let mut excess = Excess::default();
    let mut all = Vec::new();
    for (number, recording) in recordings.iter().enumerate() {
        match directory::all_files(&recording.dir) {
            Ok(files) => all.push((number, recording, files)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => excess.unreadable.push((number, error)),
        }
    }
    let bytes_of = |files: &[directory::Entry]| files.iter().map(|file| file.bytes).sum::<u64>();
    let mut bytes: u64 = all.iter().map(|(_, _, files)| bytes_of(files)).sum();
    let is_over = bytes > all_bytes;
    let mut rest = Vec::new();
    for (number, recording, files) in all {
        let mut own_bytes = bytes_of(&files);
        // Most of the time everything fits, and then no file is opened.
        if !is_over && own_bytes <= recording.most_bytes {
            continue;
        }
        match removable(number, &recording.dir, files) {
            Err(error) => excess.unreadable.push((number, error)),
            Ok(files) => {
                for file in files {
                    if own_bytes > recording.most_bytes {
                        own_bytes = own_bytes.saturating_sub(file.bytes);
                        bytes = bytes.saturating_sub(file.bytes);
                        excess.files.push(file);
                    } else {
                        rest.push(Surplus { over: Bound::All, ..file });
                    }
                }
            }
        }
    }
    rest.sort_by(|a, b| (a.time_us, &a.path).cmp(&(b.time_us, &b.path)));
    excess.files.extend(rest.into_iter().take_while(|file| {
        let is_over = bytes > all_bytes;
        bytes = bytes.saturating_sub(file.bytes);
        is_over
    }));
    excess
}

/// What of a recording may go, oldest first.
fn removable(recording: usize, dir: &Path, files: Vec<directory::Entry>) -> io::Result<Vec<Surplus>> {
    let kept = newest_whole(&directory::segments(dir)?)?;
    // Within a recording the number says what is older, even if a clock was set back meanwhile.
    let mut time_us = 0;
    let files = files.into_iter().filter(|file| file.number < kept);
    let removable = files.map(|file| {
        let begun_us = SegmentReader::open(&file.path).map_or(0, |reader| reader.head().time_us);
        time_us = begun_us.max(time_us);
        Surplus { path: file.path, recording, time_us, bytes: file.bytes, over: Bound::Each }
    });
    Ok(removable.collect())
}
