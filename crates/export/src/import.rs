//! Other people's recordings: asciicast, versions 1 to 3.
//!
//! A file from elsewhere may be anything. It is read line by line, and nothing in it makes us hold more than a line:
//! what is longer, or more, than [`Limits`] says is refused. Only version 1 is one JSON text as a whole, and so gets a
//! limit of its own.

mod event;
mod header;
mod limits;
mod lines;
mod old;
mod refused;

use std::io::BufRead;

use lines::Lines;
use old::OldEvents;

pub use event::{Event, EventKind};
pub use header::CastHeader;
pub use limits::Limits;
pub use refused::{ImportError, Refused};

/// Begins to read an asciicast file; the events come from the iterator that this gives.
///
/// # Errors
///
/// When this is no asciicast file of a version from 1 to 3, or its first line is beyond the limits.
pub fn import<R: BufRead>(reader: R, limits: Limits) -> Result<Import<R>, ImportError> {
    let mut lines = Lines::new(reader, limits);
    let first = lines.first()?;
    let number = lines.number();
    let refused = |why| ImportError { line: number, why };
    let (header, rest) = match CastHeader::read(&first).map_err(refused)? {
        header::Read::Whole(header) => (header, Rest::Lines),
        header::Read::Old => {
            let text = lines.all_after(first)?;
            let (header, events) = old::read(&text, limits).map_err(refused)?;
            (header, Rest::Old(events))
        }
    };
    Ok(Import {
        header,
        lines,
        rest,
        limits,
        time_us: 0,
        events: 0,
        resizes: 0,
        output_bytes: 0,
        ended: false,
    })
}

/// The events of an asciicast file, one after the other. After an error there are no more.
///
/// Times never fall. Typed keys are skipped, and so are events that no known version describes.
#[derive(Debug)]
pub struct Import<R> {
    header: CastHeader,
    lines: Lines<R>,
    rest: Rest,
    limits: Limits,
    /// The time of the latest event.
    time_us: u64,
    events: u64,
    resizes: u64,
    output_bytes: u64,
    ended: bool,
}

/// Where further events come from.
#[derive(Debug)]
enum Rest {
    Lines,
    Old(OldEvents),
}

impl<R: BufRead> Import<R> {
    /// What the file says of itself.
    pub fn header(&self) -> &CastHeader {
        &self.header
    }

    fn read(&mut self) -> Result<Option<Event>, ImportError> {
        loop {
            let found = match &mut self.rest {
                Rest::Lines => match self.lines.next_line()? {
                    None => return Ok(None),
                    Some(line) => event::read(line, self.header.times(), &mut self.time_us),
                },
                Rest::Old(events) => match events.next(&mut self.time_us) {
                    None => return Ok(None),
                    Some(event) => Ok(Some(event)),
                },
            };
            let line = self.lines.number();
            let refused = |why| ImportError { line, why };
            let found = match found {
                // The recorder was stopped in the middle of a line.
                Err(Refused::Json(error)) if error.is_eof() && self.lines.is_torn() => return Ok(None),
                found => found.map_err(refused)?,
            };
            self.events += 1;
            if self.events > self.limits.events {
                return Err(refused(Refused::Events(self.limits.events)));
            }
            if let Some(event) = found {
                self.count(&event).map_err(refused)?;
                return Ok(Some(event));
            }
        }
    }

    fn count(&mut self, event: &Event) -> Result<(), Refused> {
        match &event.kind {
            EventKind::Output(text) => self.output_bytes += text.len() as u64,
            EventKind::Resize(_) => self.resizes += 1,
            EventKind::Marker(_) | EventKind::Exit(_) => (),
        }
        let Limits { output_bytes, resizes, .. } = self.limits;
        if self.output_bytes > output_bytes {
            return Err(Refused::Output(output_bytes));
        }
        if self.resizes > resizes { Err(Refused::Resizes(resizes)) } else { Ok(()) }
    }
}

impl<R: BufRead> Iterator for Import<R> {
    type Item = Result<Event, ImportError>;

    fn next(&mut self) -> Option<Result<Event, ImportError>> {
        if self.ended {
            return None;
        }
        let event = self.read().transpose();
        self.ended = !matches!(event, Some(Ok(_)));
        event
    }
}
