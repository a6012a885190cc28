//! Writes an imported recording in our format.

use std::io;
use std::path::Path;

use model::{Epoch, Offset, TermSize, WorkerId};
use recording::{MAX_OUTPUT_BYTES, SegmentHead, Writer};
use terminal::{HistoryLimit, SnapshotForm, Terminal};
use thiserror::Error;

use crate::import::{Event, EventKind, ImportError};

/// A new segment begins so many bytes after a snapshot: no moment is further from one.
const SEGMENT_BYTES: u64 = 8 << 20;

/// What a snapshot keeps above the screen.
const HISTORY: HistoryLimit = HistoryLimit { lines: 2_000, bytes: 4 << 20 };

/// Microseconds.
const SECOND_US: u64 = 1_000_000;

/// The result of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Bytes of output.
    pub output_bytes: u64,
    /// How long it took when it was recorded.
    pub length_us: u64,
    /// Markers, for which a recording has no place. Those of commands are made anew from what the shell printed.
    pub markers_left_out: u64,
}

/// Why an imported file did not become a recording. The part written until then stays.
#[derive(Debug, Error)]
pub enum WriteRecordingError {
    /// The file cannot be read on.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The recording cannot be written.
    #[error("cannot write the recording")]
    Write(#[from] io::Error),
}

/// Writes imported events as the recording of a worker into `dir`, which is made if it is not there.
///
/// `size` is the terminal's at the beginning, and `begin_us` is when that was, in microseconds since the Unix epoch.
///
/// # Errors
///
/// The first error of the events, and errors of the file system.
pub fn write_recording(
    events: impl IntoIterator<Item = Result<Event, ImportError>>,
    dir: &Path,
    worker: WorkerId,
    size: TermSize,
    begin_us: u64,
) -> Result<Imported, WriteRecordingError> {
    let mut making = Making::begin(dir, worker, size, begin_us)?;
    for event in events {
        making.add(event?)?;
    }
    Ok(making.imported)
}

impl crate::import::CastHeader {
    /// When it began, in microseconds since the Unix epoch, if the file says so.
    pub fn begin_us(&self) -> Option<u64> {
        self.timestamp.map(|seconds| seconds.saturating_mul(SECOND_US))
    }
}

/// A recording that is being made.
struct Making {
    writer: Writer,
    terminal: Terminal,
    head: SegmentHead,
    /// What the present segment had with its snapshot alone.
    begun_bytes: u64,
    at: Offset,
    begin_us: u64,
    imported: Imported,
}

impl Making {
    fn begin(dir: &Path, worker: WorkerId, size: TermSize, begin_us: u64) -> io::Result<Making> {
        let terminal = Terminal::new(size, HISTORY);
        let head = SegmentHead { worker, epoch: Epoch(0), at: Offset(0), time_us: begin_us, size };
        let writer = Writer::create(dir, &head, &snapshot(&terminal))?;
        let begun_bytes = writer.bytes();
        let imported = Imported::default();
        Ok(Making { writer, terminal, head, begun_bytes, at: Offset(0), begin_us, imported })
    }

    fn add(&mut self, event: Event) -> io::Result<()> {
        let time_us = self.begin_us.saturating_add(event.time_us);
        self.imported.length_us = event.time_us;
        match event.kind {
            EventKind::Output(text) => {
                for bytes in text.as_bytes().chunks(MAX_OUTPUT_BYTES) {
                    self.output(time_us, bytes)?;
                }
            }
            EventKind::Resize(size) => {
                self.terminal.resize(size);
                self.writer.resize(self.at, time_us, size)?;
            }
            EventKind::Exit(status) => self.writer.exit(self.at, time_us, status)?,
            EventKind::Marker(_) => self.imported.markers_left_out += 1,
        }
        Ok(())
    }

    fn output(&mut self, time_us: u64, bytes: &[u8]) -> io::Result<()> {
        if self.writer.bytes() - self.begun_bytes > SEGMENT_BYTES {
            let (at, size) = (self.at, self.terminal.size());
            self.head = SegmentHead { at, time_us, size, ..self.head };
            self.writer.begin_segment(&self.head, &snapshot(&self.terminal))?;
            self.begun_bytes = self.writer.bytes();
        }
        self.writer.output(self.at, time_us, bytes)?;
        self.at += bytes.len();
        self.imported.output_bytes += bytes.len() as u64;
        self.terminal.feed(bytes);
        self.terminal.take_replies();
        self.terminal.take_signals();
        Ok(())
    }
}

fn snapshot(terminal: &Terminal) -> Vec<u8> {
    terminal.snapshot(SnapshotForm::Full { history: HISTORY.lines })
}
