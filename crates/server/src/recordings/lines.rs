//! What was printed, as lines of text.

use std::sync::Arc;

use home::WorkerDir;
use jiff::Timestamp;
use masking::{Rules, TextMasker};
use model::Offset;
use playback::{Source, segment_times};

use super::cursor::{Cursor, Filling, Page};
use super::error::RecordingError;
use super::moment::{time_us, timestamp};
use super::open::open;
use super::stop::Stop;

/// Of one answer.
const MOST_LINES: usize = 10_000;

/// What the lines of one answer take, but for the last of them.
const MOST_BYTES: usize = 4 << 20;

/// A line that nothing changes any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it says.
    pub text: String,
    /// The output after which it was settled.
    pub offset: Offset,
    /// When that was.
    pub at: Timestamp,
}

/// Which lines are wanted; by default all, as many as fit an answer.
#[derive(Clone, Copy, Debug)]
pub struct WantedLines {
    /// None that settled before.
    pub since: Option<Timestamp>,
    /// None that settled after.
    pub until: Option<Timestamp>,
    /// Those after a cursor.
    pub after: Option<Cursor>,
    /// At most so many.
    pub limit: usize,
}

impl Default for WantedLines {
    fn default() -> WantedLines {
        WantedLines { since: None, until: None, after: None, limit: usize::MAX }
    }
}

/// The lines that a worker printed, each once, oldest first.
///
/// Of a worker that has not ended, the last lines are those that stand on its screen now. They come again once they
/// have settled.
///
/// # Errors
///
/// When there is no recording, it cannot be read, or it was stopped.
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
    // What a program drew in pieces all over the screen is a line only here.
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

/// Where the last segment ends in which a wanted line can have settled.
fn last_offset(source: &impl Source, until_us: u64) -> Offset {
    let behind = segment_times(source).partition_point(|(begins_us, _)| *begins_us <= until_us);
    source.segments().get(behind).map_or(Offset(u64::MAX), |segment| segment.head.at)
}

/// Where the segment begins in which the first wanted line settled: the lines before it say whether a private key goes on
/// in it.
fn first_offset(source: &impl Source, since_us: u64, after: Option<Cursor>) -> Offset {
    let times = segment_times(source);
    let by_time = times.partition_point(|(_, ends_us)| *ends_us < since_us);
    let segments = source.segments();
    let by_cursor = after.and_then(|after| segments.iter().rposition(|segment| segment.head.at <= after.at));
    let first = by_time.max(by_cursor.unwrap_or(0).saturating_sub(1));
    segments.get(first).or(segments.last()).map_or(Offset(0), |segment| segment.head.at)
}
