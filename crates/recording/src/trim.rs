//! Keeping a recording within its bound.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::directory;
use crate::segment_reader::SegmentReader;

/// Removes the oldest segments until the rest take at most `most_bytes`, and says which.
///
/// The newest segment that has a whole snapshot stays, whatever its size, and so does all that comes after it.
///
/// # Errors
///
/// When the directory or a segment cannot be opened, or a file cannot be removed.
pub fn trim(dir: &Path, most_bytes: u64) -> io::Result<Vec<PathBuf>> {
    let segments = directory::active_segments(dir)?;
    let mut bytes: u64 = segments.iter().map(|segment| segment.bytes).sum();
    let mut removed = Vec::new();
    if bytes <= most_bytes {
        return Ok(removed);
    }
    let kept = newest_whole(&segments)?;
    for segment in segments.into_iter().take(kept) {
        if bytes <= most_bytes {
            break;
        }
        match fs::remove_file(&segment.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => bytes -= segment.bytes,
        }
        removed.push(segment.path);
    }
    Ok(removed)
}

/// The place of the newest segment that has a whole snapshot; of the newest if none has.
fn newest_whole(segments: &[directory::Entry]) -> io::Result<usize> {
    for (index, segment) in segments.iter().enumerate().rev() {
        if SegmentReader::open_whole(&segment.path)?.is_some() {
            return Ok(index);
        }
    }
    Ok(segments.len().saturating_sub(1))
}
