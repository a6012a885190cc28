//! A recording as a file for other people.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use export::{ExportError, Range, Subject};
use home::WorkerDir;
use jiff::Timestamp;
use masking::Rules;

use super::error::RecordingError;
use super::moment::time_us;
use super::open::open;
use super::stop::Stop;

/// Players need not wait for longer pauses.
const IDLE_LIMIT: Duration = Duration::from_secs(2);

/// What a recording can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For asciinema and its players: every byte, with times.
    Asciicast,
    /// Every printed line, once.
    Text {
        /// Whether each begins with its time.
        times: bool,
    },
    /// A page of every printed line, with colours.
    Html,
    /// One page that plays it, with a time line, without any server.
    Player,
}

/// Writes what happened to a worker from one time to another.
///
/// # Errors
///
/// When nothing is recorded there, it cannot be read or written, it is more than the format can take, or it was
/// stopped. What was written until then is of no use.
pub fn export(
    dir: &WorkerDir,
    rules: &Arc<Rules>,
    format: Format,
    (since, until): (Option<Timestamp>, Option<Timestamp>),
    out: &mut dyn Write,
    stop: &Stop,
) -> Result<(), RecordingError> {
    let opened = open(dir, rules)?;
    let source = opened.until(stop);
    let range = Range { from_us: since.map(time_us), to_us: until.map(time_us) };
    let subject = Subject { range, ..subject(dir, rules) };
    let written = match format {
        Format::Asciicast => ::export::asciicast(&source, &subject, Some(IDLE_LIMIT), out),
        Format::Text { times } => ::export::text(&source, &subject, times, out),
        Format::Html => ::export::html(&source, &subject, out),
        Format::Player => ::export::player(&source, &subject, out),
    };
    // What ends early because somebody said stop looks as if it were whole.
    stop.check()?;
    written.map_err(|error| match error {
        ExportError::Empty => RecordingError::Empty,
        ExportError::TooLong => RecordingError::TooLong,
        ExportError::Write(error) => RecordingError::Write(error),
    })
}

/// How it is introduced; by its id if what was asked for cannot be read any more.
fn subject(dir: &WorkerDir, rules: &Rules) -> Subject {
    let meta = dir.meta().ok();
    let name = meta.as_ref().map_or_else(|| dir.id().to_string(), |meta| meta.name.to_string());
    let command = meta.map(|meta| rules.mask_text(&meta.command.join(" ")).into_owned());
    Subject { title: name.clone(), worker: name, command, range: Range::default() }
}
