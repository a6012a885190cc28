//! One line of a file: something that happened.

use std::borrow::Cow;

use model::{ExitStatus, TermSize};

use super::header::Times;
use super::refused::Refused;

/// An event in a recording of another program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, in microseconds since its beginning.
    pub time_us: u64,
    /// What.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The program printed this.
    Output(String),
    /// The terminal got this size.
    Resize(TermSize),
    /// The person marked the moment.
    Marker(String),
    /// The program ended.
    Exit(ExitStatus),
}

/// A moment beyond this is no longer counted; it is thirty years after the beginning.
const LATEST_SECONDS: f64 = 1e9;

/// Reads an event and moves the time on; none if it is not for us.
pub(super) fn read(line: &[u8], times: Times, time_us: &mut u64) -> Result<Option<Event>, Refused> {
    let (time, code, data): (f64, Cow<'_, str>, String) =
        serde_json::from_slice(line).map_err(Refused::Json)?;
    *time_us = match times {
        Times::Absolute => microseconds(time).max(*time_us),
        Times::Relative => later(*time_us, time),
    };
    let kind = match code.as_ref() {
        "o" => EventKind::Output(data),
        "r" => EventKind::Resize(data.parse().map_err(Refused::Size)?),
        "m" => EventKind::Marker(data),
        "x" => EventKind::Exit(exit_status(&data)),
        _ => return Ok(None),
    };
    Ok(Some(Event { time_us: *time_us, kind }))
}

/// The moment so many seconds after another.
pub(super) fn later(time_us: u64, seconds: f64) -> u64 {
    time_us.saturating_add(microseconds(seconds)).min(microseconds(LATEST_SECONDS))
}

fn microseconds(seconds: f64) -> u64 {
    (seconds.clamp(0.0, LATEST_SECONDS) * 1e6).round() as u64
}

/// The status as a shell would tell it; the meaning of any other text is unknown.
fn exit_status(text: &str) -> ExitStatus {
    text.trim().parse().map_or(ExitStatus::Unknown, |code| ExitStatus::Exited { code })
}
