//! A recording as a file for other people.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use export::{ExportError, Motion, Picture, Range, Subject};
use home::WorkerDir;
use jiff::Timestamp;
use masking::Rules;
use reading::Stop;

use super::error::RecordingError;
use super::moment::time_us;
use super::open::open;

/// Players shorten longer pauses to this.
const IDLE_LIMIT: Duration = Duration::from_secs(2);

/// The formats of an export.
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
    /// A picture that plays it, for a README or any page.
    Svg {
        /// Whether it shows the last screen alone.
        still: bool,
    },
}

/// Exports the part of a recording between two times.
///
/// # Errors
///
/// When this part of the recording is empty, cannot be read or written, is too large for the format, or when the export
/// was stopped. Then `out` has an incomplete file.
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
        Format::Svg { still } => {
            let motion = if still { Motion::Still } else { Motion::default() };
            ::export::svg(&source, &subject, &Picture { motion, ..Picture::default() }, out)
        }
    };
    // A source that was stopped looks as if it had ended.
    stop.check()?;
    written.map_err(|error| match error {
        ExportError::Empty => RecordingError::Empty,
        ExportError::TooLong => RecordingError::TooLong,
        ExportError::TooLarge => RecordingError::TooLarge,
        ExportError::Write(error) => RecordingError::Write(error),
    })
}

/// The title of an export: the worker's name, or its id if its meta cannot be read any more.
fn subject(dir: &WorkerDir, rules: &Rules) -> Subject {
    let meta = dir.meta().ok();
    let name = meta.as_ref().map_or_else(|| dir.id().to_string(), |meta| meta.name.to_string());
    let command = meta.map(|meta| rules.mask_text(&meta.command.join(" ")).into_owned());
    Subject { title: name.clone(), worker: name, command, range: Range::default() }
}
