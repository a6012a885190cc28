//! Plain text: the lines that settled.

use std::io::Write;

use jiff::Timestamp;
use model::Offset;
use playback::{Player, Source, lines};
use terminal::HistoryLimit;

use crate::error::ExportError;
use crate::subject::Subject;

/// Only the place in the recording is of interest, not what is above the screen there.
const NO_HISTORY: HistoryLimit = HistoryLimit { lines: 0, bytes: 0 };

/// Writes a recording as plain text: every line that was printed, once; of full-screen programs what they left.
///
/// With `times`, each line begins with the time (UTC) at which it settled.
///
/// # Errors
///
/// When nothing is recorded, or it cannot be written.
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
    let from = subject
        .range
        .from_us
        .map_or(Offset(0), |from_us| Player::new(source, NO_HISTORY).seek_to_time(from_us).at);
    // A line that settled at the very end of the range's beginning belongs to what was before, by its time.
    let lines = lines(source, from).skip_while(|line| line.time_us < from_us);
    for line in lines.take_while(|line| line.time_us <= to_us) {
        if times {
            write!(out, "{}  ", shown_time(line.time_us))?;
        }
        writeln!(out, "{}", line.text)?;
    }
    Ok(out.flush()?)
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
pub(crate) fn shown_length(length_us: u64) -> String {
    let seconds = length_us / 1_000_000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, _) => format!("{minutes} min {seconds} s"),
        _ => format!("{hours} h {minutes} min"),
    }
}
