//! Plain text: the lines that settled.

use std::io::Write;

use jiff::Timestamp;
use model::Offset;
use playback::{Source, lines, segment_times};

use crate::error::ExportError;
use crate::subject::{Range, Subject};

/// Writes a recording as plain text: every line that was printed, once; of full-screen programs what they left.
///
/// With `times`, each line begins with the time (UTC) of its last change.
///
/// # Errors
///
/// When nothing is recorded, or nothing in the range that is asked for, or it cannot be written.
pub fn text<S: Source>(
    source: &S,
    subject: &Subject,
    times: bool,
    mut out: impl Write,
) -> Result<(), ExportError> {
    if source.segments().is_empty() {
        return Err(ExportError::Empty);
    }
    let from_us = subject.range.from_us.unwrap_or(0);
    let to_us = subject.range.to_us.unwrap_or(u64::MAX);
    let (from, to) = offsets(source, from_us, to_us);
    let lines = lines(source, from).take_while(|line| line.at <= to);
    let mut is_empty = subject.range != Range::default();
    for line in lines.filter(|line| (from_us..=to_us).contains(&line.time_us)) {
        is_empty = false;
        if times {
            write!(out, "{}  ", shown_time(line.time_us))?;
        }
        writeln!(out, "{}", line.text)?;
    }
    if is_empty {
        return Err(ExportError::Empty);
    }
    Ok(out.flush()?)
}

/// The offsets between which every line settled that changed last between two times: those of whole segments.
fn offsets(source: &impl Source, from_us: u64, to_us: u64) -> (Offset, Offset) {
    let (segments, times) = (source.segments(), segment_times(source));
    let begins = |index: usize| segments.get(index).map(|segment| segment.head.at);
    let first = times.partition_point(|(_, ends_us)| *ends_us < from_us);
    let behind = times.partition_point(|(begins_us, _)| *begins_us <= to_us);
    (begins(first).unwrap_or(Offset(u64::MAX)), begins(behind).unwrap_or(Offset(u64::MAX)))
}

/// A day and a time in UTC, for people.
pub(crate) fn shown_day(time_us: u64) -> String {
    timestamp(time_us).strftime("%-d %B %Y, %H:%M UTC").to_string()
}

/// A time in UTC, to the second.
pub(crate) fn shown_time(time_us: u64) -> String {
    timestamp(time_us).to_string()
}

fn timestamp(time_us: u64) -> Timestamp {
    let seconds = i64::try_from(time_us / 1_000_000).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX)
}

/// A length of time in words.
pub fn shown_length(length_us: u64) -> String {
    let seconds = length_us / 1_000_000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, _) => format!("{minutes} min {seconds} s"),
        _ => format!("{hours} h {minutes} min"),
    }
}
