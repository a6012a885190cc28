//! Keeping a recording within its bound.

use std::io;
use std::path::{Path, PathBuf};

use crate::directory;
use crate::retention::{Bounded, Excess, Surplus, excess};
use crate::segment_reader::SegmentReader;

/// Removes the oldest segments until the rest take at most `most_bytes`, and says which.
///
/// The newest segment that has a whole snapshot stays, even if it is too large, and so does all that comes after it.
///
/// # Errors
///
/// When the directory or a segment cannot be opened, or a file cannot be removed.
pub fn trim(dir: &Path, most_bytes: u64) -> io::Result<Vec<PathBuf>> {
    let Excess { files, unreadable } = excess(&[Bounded { dir: dir.to_owned(), most_bytes }], u64::MAX);
    if let Some((_, error)) = unreadable.into_iter().next() {
        return Err(error);
    }
    files.iter().try_for_each(Surplus::remove)?;
    Ok(files.into_iter().map(|file| file.path).collect())
}

/// The number of the newest segment that has a whole snapshot; of the newest if none has.
pub(crate) fn newest_whole(segments: &[directory::Entry]) -> io::Result<u32> {
    for segment in segments.iter().rev() {
        if SegmentReader::open_whole(&segment.path)?.is_some() {
            return Ok(segment.number);
        }
    }
    Ok(segments.last().map_or(0, |segment| segment.number))
}
