//! Workers' lives, made up and recorded.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use home::{ExitNote, Home, WorkerDir};
use jiff::Timestamp;
use masking::Rules;
use model::{Epoch, ExitStatus, MaskPolicy, Offset, TermSize, WorkerId};
use playback::{Growth, seal_recording};
use recording::{SegmentHead, Writer};
use tempfile::TempDir;
use testkit::Random;

/// When every life begins.
pub(crate) const BEGIN_US: u64 = 1_700_000_000_000_000;

/// A clear screen and no lines above it: what every segment begins with.
const BLANK: &[u8] = b"\x1b[H\x1b[2J";

/// A secret that is one by its looks alone, put together here so that nobody takes this file for a leak.
pub(crate) fn secret() -> String {
    format!("ghp_{}", "q7Zt2XbK9mR4vLd8HwPf3NsJ6yGc5TaQ1xVe")
}

/// A data directory that is gone when this is.
pub(crate) struct House {
    pub(crate) home: Home,
    _root: TempDir,
}

impl House {
    pub(crate) fn new() -> House {
        let root = tempfile::tempdir().expect("a directory");
        let home = Home::at(root.path().join("home"));
        home.make().expect("made");
        House { home, _root: root }
    }

    /// A worker that begins to live.
    pub(crate) fn life(&self, number: u8) -> Life {
        let dir = self.home.worker(WorkerId::from_random([number; 8]));
        std::fs::create_dir_all(dir.recording()).expect("made");
        let mut life = Life { dir, writer: None, at: Offset(0), time_us: BEGIN_US, size: size(80, 24) };
        life.begin_segment();
        life
    }
}

/// A worker's life.
pub(crate) struct Life {
    pub(crate) dir: WorkerDir,
    writer: Option<Writer>,
    pub(crate) at: Offset,
    pub(crate) time_us: u64,
    size: TermSize,
}

impl Life {
    pub(crate) fn wait_ms(&mut self, ms: u64) -> &mut Life {
        self.time_us += ms * 1_000;
        self
    }

    pub(crate) fn print(&mut self, bytes: impl AsRef<[u8]>) -> &mut Life {
        let (at, time_us, bytes) = (self.at, self.time_us, bytes.as_ref());
        self.writer().output(at, time_us, bytes).expect("written");
        self.at += bytes.len();
        self
    }

    pub(crate) fn resize(&mut self, cols: u16, rows: u16) -> &mut Life {
        let (at, time_us) = (self.at, self.time_us);
        self.size = size(cols, rows);
        let size = self.size;
        self.writer().resize(at, time_us, size).expect("written");
        self
    }

    /// So many bytes were printed and not recorded; nobody knows how many if none are given.
    pub(crate) fn miss(&mut self, bytes: Option<usize>) -> &mut Life {
        let (at, time_us) = (self.at, self.time_us);
        let to = bytes.map(|bytes| at + bytes);
        self.writer().gap(at, time_us, to).expect("written");
        self.at = to.unwrap_or(at);
        self
    }

    /// Clears the screen, so that nothing stands on it, and begins a segment.
    pub(crate) fn segment(&mut self) -> &mut Life {
        self.print(BLANK);
        self.begin_segment();
        self
    }

    /// Begins a segment with a screen of this text.
    pub(crate) fn segment_showing(&mut self, snapshot: &[u8]) -> &mut Life {
        let (at, time_us, size) = (self.at, self.time_us, self.size);
        let head = SegmentHead { worker: self.dir.id(), epoch: Epoch(0), at, time_us, size };
        match &mut self.writer {
            Some(writer) => writer.begin_segment(&head, snapshot).expect("begun"),
            None => {
                let writer = Writer::create(&self.dir.recording(), &head, snapshot).expect("begun");
                self.writer = Some(writer);
            }
        }
        self
    }

    fn begin_segment(&mut self) {
        self.segment_showing(b"\x1bc");
    }

    pub(crate) fn exit(&mut self) -> &mut Life {
        let (at, time_us, status) = (self.at, self.time_us, ExitStatus::Exited { code: 3 });
        self.writer().exit(at, time_us, status).expect("written");
        let note = ExitNote { status, at: timestamp(time_us), offset: at, survivors: 0 };
        self.dir.write_exit_note(&note).expect("written");
        self
    }

    /// Brings the recording to rest.
    pub(crate) fn seal(&self, policy: MaskPolicy) {
        let masks = playback::Masks { policy, rules: rules(), are_complete: true };
        seal_recording(&self.dir.recording(), || Growth::Finished, &masks, Duration::ZERO).expect("sealed");
    }

    fn writer(&mut self) -> &mut Writer {
        self.writer.as_mut().expect("there is a segment")
    }
}

/// A life of numbered lines in segments, and everything it printed.
pub(crate) fn numbered(life: &mut Life, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut printed = Vec::new();
    for number in 0..random.between(20, 120) {
        let line = format!("line {number} {}\r\n", "x".repeat(random.below(200)));
        life.print(&line);
        printed.extend_from_slice(line.as_bytes());
        life.wait_ms(random.below(3) as u64 * 500);
        if random.percent(8) {
            life.segment();
            printed.extend_from_slice(BLANK);
        }
    }
    life.exit();
    printed
}

/// The rules that come with abide.
pub(crate) fn rules() -> Arc<Rules> {
    static RULES: LazyLock<Arc<Rules>> = LazyLock::new(|| Arc::new(Rules::builtin()));
    Arc::clone(&RULES)
}

pub(crate) fn size(cols: u16, rows: u16) -> TermSize {
    TermSize::clamped(cols, rows)
}

pub(crate) fn timestamp(time_us: u64) -> Timestamp {
    Timestamp::from_microsecond(time_us as i64).expect("a time")
}

/// So many milliseconds after the beginning.
pub(crate) fn after_ms(ms: u64) -> Timestamp {
    timestamp(BEGIN_US + ms * 1_000)
}
