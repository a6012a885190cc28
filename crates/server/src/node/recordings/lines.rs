//! The output of a worker, as lines of text.

use std::sync::Arc;

use home::WorkerDir;
use jiff::Timestamp;
use masking::{Rules, TextMasker};
use model::Offset;
use playback::{Source, segment_times};
use reading::Stop;

use super::cursor::{Cursor, Filling, Page};
use super::error::RecordingError;
use super::moment::{time_us, timestamp};
use super::open::open;

/// One answer has at most this many lines.
const MOST_LINES: usize = 10_000;

/// The lines of one answer take at most this much, not counting the last one.
const MOST_BYTES: usize = 4 << 20;

/// A settled line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its text.
    pub text: String,
    /// The offset at which it settled.
    pub offset: Offset,
    /// The time at which it settled.
    pub at: Timestamp,
}

/// The lines to read; by default all, as many as fit an answer.
#[derive(Clone, Copy, Debug)]
pub struct WantedLines {
    /// Only lines that settled at this time or later.
    pub since: Option<Timestamp>,
    /// Only lines that settled at this time or earlier.
    pub until: Option<Timestamp>,
    /// Only lines after this cursor.
    pub after: Option<Cursor>,
    /// At most this many.
    pub limit: usize,
}

impl Default for WantedLines {
    fn default() -> WantedLines {
        WantedLines { since: None, until: None, after: None, limit: usize::MAX }
    }
}

/// The lines that a worker printed, each once, oldest first.
///
/// If the worker has not ended, the last lines are those on its screen now. They come again when they have settled.
///
/// # Errors
///
/// When there is no recording, it cannot be read, or reading was stopped.
pub fn lines(
    dir: &WorkerDir,
    rules: &Arc<Rules>,
    wanted: WantedLines,
    stop: &Stop,
) -> Result<Page<Line>, RecordingError> {
    let opened = open(dir, rules)?;
    let source = opened.until(stop);
    let since_us = wanted.since.map_or(0, time_us);
    let until_us = wanted.until.map_or(u64::MAX, time_us);
    let from = first_offset(&source, since_us, wanted.after);
    let to = last_offset(&source, until_us);
    let mut filling = Filling::new(wanted.after, wanted.limit.min(MOST_LINES), MOST_BYTES);
    // A program may draw a line in pieces. Only here the pieces are one text that the masks can check.
    let mut masker = TextMasker::new(Arc::clone(rules));
    for line in playback::lines(&source, from) {
        stop.check()?;
        if line.at > to {
            break;
        }
        let text = masker.line(&line.text).text;
        if !(since_us..=until_us).contains(&line.time_us) {
            continue;
        }
        let at = timestamp(line.time_us);
        let give = || Line { offset: line.at, at, text: text.into_owned() };
        if !filling.take(line.at, line.text.len(), give) {
            break;
        }
    }
    stop.check()?;
    Ok(filling.page())
}

/// The end of the last segment in which a wanted line can have settled.
fn last_offset(source: &impl Source, until_us: u64) -> Offset {
    let behind = segment_times(source).partition_point(|(begins_us, _)| *begins_us <= until_us);
    source.segments().get(behind).map_or(Offset(u64::MAX), |segment| segment.head.at)
}

/// The beginning of the segment in which the first wanted line settled. The lines before it show whether a private key
/// continues in it.
fn first_offset(source: &impl Source, since_us: u64, after: Option<Cursor>) -> Offset {
    let times = segment_times(source);
    let by_time = times.partition_point(|(_, ends_us)| *ends_us < since_us);
    let segments = source.segments();
    let by_cursor = after.and_then(|after| segments.iter().rposition(|segment| segment.head.at <= after.at));
    let first = by_time.max(by_cursor.unwrap_or(0).saturating_sub(1));
    segments.get(first).or(segments.last()).map_or(Offset(0), |segment| segment.head.at)
}
