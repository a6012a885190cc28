//! asciicast, version 3: a line of JSON for what the recording is, and one for each thing that happened.

mod write;

use std::io::Write;
use std::time::Duration;

use model::ExitStatus;
use playback::Source;
use terminal::{HistoryLimit, SnapshotForm};

use crate::clean::Clean;
use crate::error::ExportError;
use crate::subject::Subject;
use crate::walk::{Step, Walk};
use write::CastWriter;

/// Players of other people show the screen alone.
const HISTORY: HistoryLimit = HistoryLimit { lines: 0, bytes: 0 };

/// Writes a recording as asciicast.
///
/// If the range begins later than the worker did, the first thing is a snapshot of the screen as it was. `idle_limit`
/// is advice to players: longer pauses need not be waited for.
///
/// # Errors
///
/// When nothing is recorded, or it cannot be written.
pub fn asciicast<S: Source>(
    source: &S,
    subject: &Subject,
    idle_limit: Option<Duration>,
    out: impl Write,
) -> Result<(), ExportError> {
    let mut walk = Walk::begin(source, subject.range, HISTORY)?;
    let size = walk.terminal().size();
    let mut cast = CastWriter::begin(out, subject, size, walk.begin_us(), idle_limit)?;
    let mut clean = Clean::default();
    if walk.begins_later() {
        let snapshot = walk.terminal().snapshot(SnapshotForm::Full { history: 0 });
        cast.event(walk.begin_us(), "o", clean.pass(&snapshot))?;
    }
    while let Some((time_us, step)) = walk.next() {
        match step {
            Step::Output(bytes) => {
                let shown = clean.pass(&bytes);
                if !shown.is_empty() {
                    cast.event(time_us, "o", shown)?;
                }
            }
            Step::Resize(size) => cast.event(time_us, "r", &size.to_string())?,
            Step::Redrawn => {
                clean.reset();
                cast.event(time_us, "r", &walk.terminal().size().to_string())?;
                let snapshot = walk.terminal().snapshot(SnapshotForm::Full { history: 0 });
                cast.event(time_us, "o", clean.pass(&snapshot))?;
            }
            Step::Marker(marker) => cast.event(time_us, "m", &marker.label)?,
            // The format has no word for an unknown exit.
            Step::Exit(ExitStatus::Unknown) => cast.event(time_us, "m", &ExitStatus::Unknown.to_string())?,
            Step::Exit(status) => cast.event(time_us, "x", &status.code().to_string())?,
        }
    }
    Ok(cast.end()?)
}
