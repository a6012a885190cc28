//! Searching all recorded output.
//!
//! What is searched are settled lines. Sealed segments have theirs beside them, with filters that tell which stretches
//! cannot match, so that most of a recording is never decompressed; of active ones they are made on the way.

mod needles;
mod passage;
mod pattern;
mod query;
mod texts;

use std::{io, vec};

use recording::{Block, Line, OpenError, SegmentKind, SegmentReader};

use crate::lines::lines_of_segment;
use crate::masked::MaskedRecording;
use crate::source::Source;
use crate::time_line::TimeLine;
use passage::{Lines, passages};
pub use passage::{Passage, PassageLine};
pub use query::{Case, Query, QueryError};

/// What is wanted of what matches.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// How many lines before and after each.
    pub context: usize,
    /// None that settled before this time.
    pub since_us: u64,
    /// None that settled after this time.
    pub until_us: u64,
    /// At most so many lines, the newest.
    pub most: usize,
}

impl Default for Wanted {
    fn default() -> Wanted {
        Wanted { context: 0, since_us: 0, until_us: u64::MAX, most: usize::MAX }
    }
}

/// The hits in a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    /// What matches, oldest first, with times as [`lines`](crate::lines()) gives them.
    pub passages: Vec<Passage>,
    /// Whether some of it is damaged and could not be searched.
    pub is_damaged: bool,
}

/// The passages.
impl IntoIterator for Searched {
    type Item = Passage;
    type IntoIter = vec::IntoIter<Passage>;

    fn into_iter(self) -> vec::IntoIter<Passage> {
        self.passages.into_iter()
    }
}

/// When the lines of each segment settled: none before the first of two times, and none after the second.
pub fn segment_times<S: Source + ?Sized>(source: &S) -> Vec<(u64, u64)> {
    let times = TimeLine::new(source.segments());
    (0..source.segments().len()).map(|index| (times.beginning(index), times.time(index, u64::MAX))).collect()
}

/// What matches in one segment of a recording.
///
/// Where its text is damaged, it is made from the blocks.
///
/// # Errors
///
/// When its file cannot be read. One that was removed meanwhile holds nothing.
pub fn search_segment(
    recording: &MaskedRecording,
    index: usize,
    query: &Query,
    wanted: &Wanted,
) -> io::Result<Searched> {
    let Some(segment) = recording.segments().get(index) else { return Ok(Searched::default()) };
    let reader = match SegmentReader::open(&segment.path) {
        Ok(reader) => reader,
        Err(OpenError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Searched::default());
        }
        Err(OpenError::Io(error)) => return Err(error),
        Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
    };
    if reader.kind() == SegmentKind::Active {
        let passages = search_blocks(recording, index, query, wanted);
        return Ok(Searched { passages, is_damaged: recording.damaged_bytes_of(index) > 0 });
    }
    let searched = texts::search(recording, index, &reader, query, wanted)?;
    if searched.is_damaged && are_whole(reader) {
        return Ok(Searched { passages: search_blocks(recording, index, query, wanted), is_damaged: false });
    }
    Ok(searched)
}

/// Whether no block of a sealed segment is damaged.
fn are_whole(mut reader: SegmentReader) -> bool {
    reader.by_ref().for_each(drop);
    reader.bytes_left() == 0
}

/// Searches lines that are made from a segment's blocks.
fn search_blocks(recording: &MaskedRecording, index: usize, query: &Query, wanted: &Wanted) -> Vec<Passage> {
    let lines = Settled::of(recording, index);
    let hits = lines.lines.iter().enumerate().filter(|(_, line)| query.is_in(&line.text));
    let hits = hits.map(|(number, _)| number).collect();
    passages(&lines, hits, query, wanted, wanted.most)
}

/// The lines that settled in a segment.
struct Settled {
    lines: Vec<Line>,
}

impl Settled {
    fn of(recording: &MaskedRecording, index: usize) -> Settled {
        let segments = recording.segments();
        let blocks: Vec<Block> = recording.blocks(index).collect();
        let end = blocks.last().and_then(Block::end);
        // A segment that holds nothing is as if it were not there.
        let mut later = segments[index + 1..].iter();
        let next = later.find_map(|later| SegmentReader::open(&later.path).ok()?.next());
        let is_last = next.is_none_or(|next| end.is_none_or(|end| next.at > end));
        let mut lines = lines_of_segment(&segments[index].head, blocks.into_iter(), is_last);
        let times = TimeLine::new(segments);
        for line in &mut lines {
            line.time_us = times.time(index, line.time_us);
        }
        Settled { lines }
    }
}

impl Lines for Settled {
    fn count(&self) -> usize {
        self.lines.len()
    }

    fn time_us(&self, number: usize) -> u64 {
        self.lines[number].time_us
    }

    fn line(&self, number: usize) -> Line {
        self.lines[number].clone()
    }
}
