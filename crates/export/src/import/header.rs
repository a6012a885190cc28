//! The first line of a file.

use model::TermSize;
use serde::Deserialize;

use super::refused::Refused;

/// What a file says of itself. Its texts are not trusted: make them safe before you show them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CastHeader {
    /// The version of the format.
    pub version: u8,
    /// The terminal's size at the beginning.
    pub size: TermSize,
    /// When it began, in seconds since the Unix epoch.
    pub timestamp: Option<u64>,
    /// The title.
    pub title: Option<String>,
    /// The command.
    pub command: Option<String>,
}

/// What the times of events are counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Times {
    /// From the beginning.
    Absolute,
    /// From the event before.
    Relative,
}

/// What a first line turned out to be.
pub(super) enum Read {
    /// The header of version 2 or 3; events follow.
    Whole(CastHeader),
    /// A file of version 1, or its beginning.
    Old,
}

/// All versions together: what one has not, is not there.
#[derive(Deserialize)]
struct Fields {
    version: u64,
    width: Option<u64>,
    height: Option<u64>,
    term: Option<Term>,
    timestamp: Option<f64>,
    title: Option<String>,
    command: Option<String>,
}

#[derive(Deserialize)]
struct Term {
    cols: Option<u64>,
    rows: Option<u64>,
}

impl CastHeader {
    pub(super) fn read(line: &[u8]) -> Result<Read, Refused> {
        let fields: Fields = match serde_json::from_slice(line) {
            Ok(fields) => fields,
            // Written for people, a file of version 1 has many lines.
            Err(error) if error.is_eof() && line.trim_ascii_start().starts_with(b"{") => {
                return Ok(Read::Old);
            }
            Err(_) => return Err(Refused::NotACast),
        };
        let (cols, rows) = match fields.version {
            1 => return Ok(Read::Old),
            2 => (fields.width, fields.height),
            3 => fields.term.map_or((None, None), |term| (term.cols, term.rows)),
            other => return Err(Refused::Version(other)),
        };
        Ok(Read::Whole(CastHeader {
            version: fields.version as u8,
            size: size(cols, rows)?,
            timestamp: fields.timestamp.map(|seconds| seconds as u64),
            title: fields.title,
            command: fields.command,
        }))
    }

    pub(super) fn times(&self) -> Times {
        if self.version < 3 { Times::Absolute } else { Times::Relative }
    }
}

/// The size that a header gives, clamped to what a terminal may have.
pub(super) fn size(cols: Option<u64>, rows: Option<u64>) -> Result<TermSize, Refused> {
    let number = |number: Option<u64>| number.filter(|&number| number > 0).ok_or(Refused::NoSize);
    let limit = |number: u64| u16::try_from(number).unwrap_or(u16::MAX);
    Ok(TermSize::clamped(limit(number(cols)?), limit(number(rows)?)))
}
