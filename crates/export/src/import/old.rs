//! Version 1: the whole file is one JSON text.

use std::vec;

use serde::Deserialize;

use super::event::{Event, EventKind, later};
use super::header::{CastHeader, size};
use super::limits::Limits;
use super::refused::Refused;

/// The pieces of output that are still to come, each with the seconds since the one before.
#[derive(Debug)]
pub(super) struct OldEvents(vec::IntoIter<(f64, String)>);

#[derive(Deserialize)]
struct File {
    version: u64,
    width: Option<u64>,
    height: Option<u64>,
    title: Option<String>,
    command: Option<String>,
    stdout: Vec<(f64, String)>,
}

pub(super) fn read(text: &[u8], limits: Limits) -> Result<(CastHeader, OldEvents), Refused> {
    let file: File = serde_json::from_slice(text).map_err(Refused::Json)?;
    if file.version != 1 {
        return Err(Refused::Version(file.version));
    }
    if file.stdout.len() as u64 > limits.events {
        return Err(Refused::Events(limits.events));
    }
    let header = CastHeader {
        version: 1,
        size: size(file.width, file.height)?,
        timestamp: None,
        title: file.title,
        command: file.command,
    };
    Ok((header, OldEvents(file.stdout.into_iter())))
}

impl OldEvents {
    pub(super) fn next(&mut self, time_us: &mut u64) -> Option<Event> {
        let (delay, text) = self.0.next()?;
        *time_us = later(*time_us, delay);
        Some(Event { time_us: *time_us, kind: EventKind::Output(text) })
    }
}
