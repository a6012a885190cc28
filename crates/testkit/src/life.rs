//! Workers' lives, made up and recorded.

use std::fs;

use home::{ExitNote, Home, WorkerDir};
use jiff::Timestamp;
use model::{Epoch, ExitStatus, Offset, TermSize};
use recording::{SegmentHead, Writer};
use tempfile::TempDir;

/// A clear screen and no lines above it.
pub const BLANK: &[u8] = b"\x1b[H\x1b[2J";

/// A data directory that is gone when this is.
#[derive(Debug)]
pub struct DataDirectory {
    /// What is in it.
    pub home: Home,
    _root: TempDir,
}

impl DataDirectory {
    /// An empty one.
    ///
    /// # Panics
    ///
    /// When it cannot be made.
    #[expect(clippy::new_without_default, reason = "it makes a directory")]
    pub fn new() -> DataDirectory {
        let root = tempfile::tempdir().expect("a directory");
        let home = Home::at(root.path().join("home"));
        home.make().expect("made");
        DataDirectory { home, _root: root }
    }
}

/// A worker's life. Every step is in the recording as soon as the call returns.
#[derive(Debug)]
pub struct Life {
    /// Where it is recorded.
    pub dir: WorkerDir,
    /// How much the worker has printed.
    pub at: Offset,
    /// What time it is.
    pub time_us: u64,
    size: TermSize,
    writer: Writer,
}

impl Life {
    /// Begins a life and its recording, with an empty screen.
    ///
    /// # Panics
    ///
    /// Like all steps of a life: when the disk refuses.
    pub fn begin(dir: WorkerDir, time_us: u64, size: TermSize) -> Life {
        fs::create_dir_all(dir.recording()).expect("made");
        let head = SegmentHead { worker: dir.id(), epoch: Epoch(0), at: Offset(0), time_us, size };
        let writer = Writer::create(&dir.recording(), &head, b"\x1bc").expect("begun");
        Life { dir, at: Offset(0), time_us, size, writer }
    }

    /// Time goes by.
    pub fn wait_ms(&mut self, ms: u64) -> &mut Life {
        self.time_us += ms * 1_000;
        self
    }

    /// The worker prints something.
    pub fn print(&mut self, bytes: impl AsRef<[u8]>) -> &mut Life {
        let bytes = bytes.as_ref();
        self.writer.output(self.at, self.time_us, bytes).expect("written");
        self.at += bytes.len();
        self
    }

    /// The terminal gets another size.
    pub fn resize(&mut self, cols: u16, rows: u16) -> &mut Life {
        self.size = TermSize::clamped(cols, rows);
        self.writer.resize(self.at, self.time_us, self.size).expect("written");
        self
    }

    /// The worker printed so many bytes that were not recorded; an unknown number if none is given.
    pub fn miss(&mut self, bytes: Option<usize>) -> &mut Life {
        let to = bytes.map(|bytes| self.at + bytes);
        self.writer.gap(self.at, self.time_us, to).expect("written");
        self.at = to.unwrap_or(self.at);
        self
    }

    /// Clears the screen, so that nothing stands on it, and begins a segment.
    pub fn segment(&mut self) -> &mut Life {
        self.print(BLANK);
        self.segment_showing(b"\x1bc")
    }

    /// Begins a segment with a screen that these bytes draw.
    pub fn segment_showing(&mut self, snapshot: &[u8]) -> &mut Life {
        let (at, time_us, size) = (self.at, self.time_us, self.size);
        let head = SegmentHead { worker: self.dir.id(), epoch: Epoch(0), at, time_us, size };
        self.writer.begin_segment(&head, snapshot).expect("begun");
        self
    }

    /// The worker exits with code 3.
    pub fn exit(&mut self) -> &mut Life {
        let status = ExitStatus::Exited { code: 3 };
        self.writer.exit(self.at, self.time_us, status).expect("written");
        let at = Timestamp::from_microsecond(self.time_us.cast_signed()).expect("a time");
        let note = ExitNote { status, at, offset: self.at, survivors: 0, on_request: false };
        self.dir.write_exit_note(&note).expect("written");
        self
    }
}
