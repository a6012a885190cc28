//! A worker's life that was made up: as it was live, and as it was recorded.

use std::sync::Arc;
use std::time::Duration;

use masking::Rules;
use model::{Epoch, ExitStatus, MaskPolicy, Offset, TermSize};
use playback::{Growth, Masks, Player, seal_recording};
use recording::{Recording, SegmentHead, Writer};
use tempfile::TempDir;
use terminal::{HistoryLimit, SnapshotForm, Terminal};
use testkit::{Random, StreamGen};

/// Enough for everything that a life prints.
pub(crate) const HISTORY: HistoryLimit = HistoryLimit { lines: 100_000, bytes: 64 << 20 };

/// Something that happened.
#[derive(Clone, Debug)]
pub(crate) enum Happened {
    Output(Vec<u8>),
    Resize(TermSize),
    Exit,
}

/// Something that happened, where and when.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) at: Offset,
    pub(crate) time_us: u64,
    pub(crate) happened: Happened,
}

/// A life.
pub(crate) struct RecordedLife {
    pub(crate) dir: TempDir,
    pub(crate) size: TermSize,
    pub(crate) steps: Vec<Step>,
    /// How many steps came before each segment.
    pub(crate) segments: Vec<usize>,
    writer: Option<Writer>,
    terminal: Terminal,
    pub(crate) at: Offset,
    pub(crate) time_us: u64,
}

impl RecordedLife {
    /// A life that has just begun.
    pub(crate) fn begun(size: TermSize) -> RecordedLife {
        RecordedLife {
            dir: tempfile::tempdir().expect("a directory"),
            size,
            steps: Vec::new(),
            segments: Vec::new(),
            writer: None,
            terminal: Terminal::new(size, HISTORY),
            at: Offset(0),
            time_us: 1_000_000,
        }
        .with_segment()
    }

    fn with_segment(mut self) -> RecordedLife {
        self.begin_segment();
        self
    }

    /// A life that follows from its seed. Its clock may be set back.
    pub(crate) fn random(seed: u64, clock_falls: bool) -> RecordedLife {
        let stream = StreamGen::new(seed);
        let mut life = RecordedLife::begun(stream.size());
        let mut random = Random::new(seed ^ 0x11fe);
        let bytes = stream.bytes();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let length = random.between(1, 400).min(rest.len());
            life.print(&rest[..length]);
            rest = &rest[length..];
            life.wait(random.below(3) as u64 * 700_000);
            if clock_falls && random.percent(15) {
                life.time_us = life.time_us.saturating_sub(random.below(9_000_000) as u64);
            }
            if random.percent(12) {
                let (cols, rows) = (random.between(2, 90), random.between(1, 30));
                life.resize(TermSize::clamped(cols as u16, rows as u16));
            }
            if random.percent(20) && life.can_begin_segment() {
                life.begin_segment();
            }
        }
        life.exit();
        life
    }

    pub(crate) fn wait(&mut self, us: u64) {
        self.time_us += us;
    }

    pub(crate) fn print(&mut self, bytes: &[u8]) {
        self.terminal.feed(bytes);
        let (at, time_us) = (self.at, self.time_us);
        self.writer().output(at, time_us, bytes).expect("written");
        self.happened(Happened::Output(bytes.to_vec()));
        self.at += bytes.len();
    }

    pub(crate) fn resize(&mut self, size: TermSize) {
        self.terminal.resize(size);
        let (at, time_us) = (self.at, self.time_us);
        self.writer().resize(at, time_us, size).expect("written");
        self.happened(Happened::Resize(size));
    }

    pub(crate) fn exit(&mut self) {
        let (at, time_us) = (self.at, self.time_us);
        self.writer().exit(at, time_us, ExitStatus::Exited { code: 3 }).expect("written");
        self.happened(Happened::Exit);
    }

    fn happened(&mut self, happened: Happened) {
        self.steps.push(Step { at: self.at, time_us: self.time_us, happened });
    }

    /// Whether a snapshot can hold the terminal as it is.
    fn can_begin_segment(&self) -> bool {
        self.terminal.out_of_reach().is_none()
    }

    pub(crate) fn begin_segment(&mut self) {
        let head = SegmentHead {
            worker: "k7f2m3qa".parse().expect("an id"),
            epoch: Epoch(0),
            at: self.at,
            time_us: self.time_us,
            size: self.terminal.size(),
        };
        let snapshot = self.terminal.snapshot(SnapshotForm::Full { history: usize::MAX });
        match &mut self.writer {
            Some(writer) => writer.begin_segment(&head, &snapshot).expect("begun"),
            None => self.writer = Some(Writer::create(self.dir.path(), &head, &snapshot).expect("begun")),
        }
        self.segments.push(self.steps.len());
    }

    pub(crate) fn writer(&mut self) -> &mut Writer {
        self.writer.as_mut().expect("there is a segment")
    }

    pub(crate) fn recording(&self) -> Recording {
        Recording::open(self.dir.path()).expect("a recording")
    }

    /// Brings the recording to rest, with nothing masked but what the rules that come with abide know.
    pub(crate) fn seal(&self, policy: MaskPolicy) {
        let masks = Masks { policy, rules: Arc::new(Rules::builtin()), are_complete: true };
        seal_recording(self.dir.path(), || Growth::Finished, &masks, Duration::ZERO).expect("sealed");
    }

    pub(crate) fn player(&self) -> Player<Recording> {
        Player::new(self.recording(), HISTORY)
    }

    /// The terminal as it was live after the first `at` bytes, and after everything else that happened before the next one.
    pub(crate) fn live_at(&self, at: Offset) -> Terminal {
        let mut terminal = Terminal::new(self.size, HISTORY);
        for step in self.steps.iter().take_while(|step| step.at <= at) {
            match &step.happened {
                Happened::Output(bytes) => terminal.feed(&bytes[..bytes.len().min(at - step.at)]),
                Happened::Resize(size) => terminal.resize(*size),
                Happened::Exit => (),
            }
        }
        terminal
    }
}

/// Stops with what differs if two terminals are not alike.
#[track_caller]
pub(crate) fn assert_alike(played: &Terminal, live: &Terminal, what: &str) {
    let (played, live) = (played.describe(), live.describe());
    if played != live {
        let differs = played.lines().zip(live.lines()).find(|(played, live)| played != live);
        panic!("{what}: played and live differ in {differs:#?}");
    }
}
