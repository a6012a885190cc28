//! The recording, on a thread of its own: disks may be slow, full or gone, and the terminal goes on.

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::{self, Thread};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use home::{ExitNote, WorkerDir};
use model::{Epoch, Offset, TermSize};
use protocol::RecordingReport;
use recording::{SegmentHead, Writer};

use crate::faults::Faults;
use crate::log;
use crate::sealing::Sealing;
use crate::tape::Tape;
use crate::thrift::Thrift;
use crate::told::{Board, Snapshot};
use crate::viewer::Ticket;

/// How much goes into one block.
const CHUNK_BYTES: usize = 64 << 10;

/// How long a disk that failed is left alone.
const RETRY: Duration = Duration::from_millis(500);

/// How often somebody else may take the segment away before we look whether it is there.
const LOOK: Duration = Duration::from_secs(1);

/// How often the last words are tried on a disk that fails.
const LAST_TRIES: u32 = 4;

/// The recording is cut into at least so many segments, so that what goes first is at most an eighth of it.
const SEGMENTS: u64 = 8;

/// No segment is smaller, or snapshots would take most of it.
const LEAST_SEGMENT_BYTES: u64 = 1 << 20;

/// No segment is larger: a moment in the past is found by playing half a segment on average.
const MOST_SEGMENT_BYTES: u64 = 8 << 20;

/// Deep enough for writing, and no more than needed: every worker has one.
const STACK_BYTES: usize = 128 << 10;

/// Something to write once everything before it is written.
#[derive(Debug)]
enum Ask {
    Resize {
        at: Offset,
        size: TermSize,
    },
    /// A new segment begins with this screen.
    Segment {
        at: Offset,
        ticket: Ticket,
        snapshot: Option<Arc<Snapshot>>,
    },
    Exit {
        at: Offset,
        note: ExitNote,
    },
    /// Somebody wants to know when everything before this is written.
    Written {
        at: Offset,
    },
}

impl Ask {
    fn at(&self) -> Offset {
        match self {
            Ask::Resize { at, .. } | Ask::Segment { at, .. } | Ask::Exit { at, .. } | Ask::Written { at } => {
                *at
            }
        }
    }
}

#[derive(Debug)]
struct Common {
    asks: Mutex<VecDeque<Ask>>,
    /// How far the recording is.
    at: AtomicU64,
    /// Whether a new segment is due.
    full: AtomicBool,
    /// Whether somebody waits for the recording to move on.
    awaited: AtomicBool,
    /// Whether somebody came or went, for whom memory was needed.
    visited: AtomicBool,
    /// Whether nothing will be recorded any more.
    is_over: AtomicBool,
}

/// What a recording is of.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    /// Where the segments are.
    pub(crate) dir: WorkerDir,
    /// Which incarnation of the host writes.
    pub(crate) epoch: Epoch,
    /// How large the terminal is.
    pub(crate) size: TermSize,
    /// How large they may become in all.
    pub(crate) most_bytes: u64,
}

impl Subject {
    /// How large one segment may become.
    fn segment_bytes(&self) -> u64 {
        (self.most_bytes / SEGMENTS).clamp(LEAST_SEGMENT_BYTES, MOST_SEGMENT_BYTES)
    }

    fn head(&self, at: Offset) -> SegmentHead {
        SegmentHead { worker: self.dir.id(), epoch: self.epoch, at, time_us: now_us(), size: self.size }
    }
}

/// The door to the recorder's thread.
#[derive(Debug)]
pub(crate) struct Recorder {
    common: Arc<Common>,
    thread: Thread,
}

impl Recorder {
    /// Starts the thread at an offset.
    pub(crate) fn start(
        subject: Subject,
        sealing: Sealing,
        opening: Opening,
        gaps: u64,
        at: Offset,
        tape: Arc<RwLock<Tape>>,
        board: Arc<Board>,
    ) -> io::Result<Recorder> {
        let common = Common {
            asks: Mutex::default(),
            at: AtomicU64::new(at.0),
            full: AtomicBool::new(false),
            awaited: AtomicBool::new(false),
            visited: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        };
        let common = Arc::new(common);
        let life = Life {
            faults: Faults::from_environment(),
            sealing,
            subject,
            disk: None,
            unopened: None,
            at,
            gap_from: None,
            gaps,
            tries_left: LAST_TRIES,
            looked: Instant::now(),
            common: Arc::clone(&common),
            tape,
            board,
            trouble: None,
        };
        let thread = thread::Builder::new().name("recorder".into()).stack_size(STACK_BYTES);
        let thread = thread.spawn(move || life.record(opening))?.thread().clone();
        Ok(Recorder { common, thread })
    }

    /// How far the recording is.
    pub(crate) fn at(&self) -> Offset {
        Offset(self.common.at.load(Ordering::Acquire))
    }

    /// Its thread, for whoever wakes it.
    pub(crate) fn thread(&self) -> Thread {
        self.thread.clone()
    }

    /// Says that somebody came or went: when the host is at rest again, its thread gives memory back.
    pub(crate) fn note_visit(&self) {
        self.common.visited.store(true, Ordering::Release);
        self.notify();
    }

    /// Says that there is more on the tape.
    pub(crate) fn notify(&self) {
        self.thread.unpark();
    }

    /// Has the board woken when the recording moves on.
    pub(crate) fn await_progress(&self, awaited: bool) {
        self.common.awaited.store(awaited, Ordering::Release);
    }

    /// Whether the recorder wants a new segment; says so once.
    pub(crate) fn take_full(&self) -> bool {
        self.common.full.load(Ordering::Relaxed) && self.common.full.swap(false, Ordering::AcqRel)
    }

    /// The size changes after the first `at` bytes.
    pub(crate) fn resize(&self, at: Offset, size: TermSize) {
        self.ask(Ask::Resize { at, size });
    }

    /// A new segment shall begin after the first `at` bytes, with a screen that comes later.
    pub(crate) fn begin_segment(&self, at: Offset, ticket: Ticket) {
        self.ask(Ask::Segment { at, ticket, snapshot: None });
    }

    /// The screen that a new segment waits for. False if none does.
    pub(crate) fn deliver(&self, screen: &Arc<Snapshot>) -> bool {
        let mut asks = lock(&self.common.asks);
        let waiting = asks.iter_mut().find_map(|ask| match ask {
            Ask::Segment { ticket, snapshot, .. } if *ticket == screen.ticket => Some(snapshot),
            _ => None,
        });
        let Some(waiting) = waiting else { return false };
        *waiting = Some(Arc::clone(screen));
        drop(asks);
        self.notify();
        true
    }

    /// The child has ended after the first `at` bytes: the last that is recorded. When it is on disk, the recording is
    /// over.
    pub(crate) fn exit(&self, at: Offset, note: ExitNote) {
        self.ask(Ask::Exit { at, note });
    }

    /// Whether nothing will be recorded any more: the exit is on disk, or could not be brought there. The board is woken
    /// when that comes.
    pub(crate) fn is_over(&self) -> bool {
        self.common.is_over.load(Ordering::Acquire)
    }

    /// Segments whose screen has not come are not begun: what comes behind them has waited long enough.
    pub(crate) fn give_up_segments(&self) {
        lock(&self.common.asks).retain(|ask| !matches!(ask, Ask::Segment { snapshot: None, .. }));
        self.notify();
    }

    /// The board is told when the first `at` bytes are written. They are not forced to the disk: a host that becomes
    /// another program must not wait for that, and loses nothing without.
    pub(crate) fn tell_when_written(&self, at: Offset) {
        self.ask(Ask::Written { at });
    }

    fn ask(&self, ask: Ask) {
        lock(&self.common.asks).push_back(ask);
        self.notify();
    }
}

/// What a recorder begins with.
#[derive(Debug)]
pub(crate) enum Opening {
    /// A segment that is there already.
    Going(Writer),
    /// A segment of its own, which begins with this screen. The worker does not wait for the disk to make it.
    Fresh { screen: Vec<u8> },
    /// The same in place of a host that was killed before it had recorded anything.
    AfterDeath { screen: Vec<u8> },
    /// A disk that failed, and may get better.
    Failed(io::Error),
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Microseconds since 1970; a clock before that counts as 1970.
pub(crate) fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// The thread's own side.
struct Life {
    subject: Subject,
    faults: Faults,
    sealing: Sealing,
    /// Nothing until a segment could be made.
    disk: Option<Writer>,
    /// The screen that the first segment begins with, while the disk does not take it.
    unopened: Option<Vec<u8>>,
    at: Offset,
    /// From where on output is missing, until that is written down.
    gap_from: Option<Offset>,
    gaps: u64,
    /// How often the last output is tried on a disk that fails.
    tries_left: u32,
    looked: Instant,
    common: Arc<Common>,
    tape: Arc<RwLock<Tape>>,
    board: Arc<Board>,
    trouble: Option<String>,
}

/// However the thread ends: a host waits for its recording, and must not wait for ever.
impl Drop for Life {
    fn drop(&mut self) {
        self.common.is_over.store(true, Ordering::Release);
        self.board.wake();
    }
}

/// What there is to do.
enum Next {
    Write,
    Answer,
    Wait,
}

impl Life {
    fn open(&mut self, opening: Opening) {
        let opened = match opening {
            Opening::Going(writer) => Ok(writer),
            Opening::Fresh { screen } => {
                self.unopened = Some(screen);
                if let Err(error) = self.open_late() {
                    self.fail(&error);
                }
                return;
            }
            Opening::AfterDeath { screen } => self.create(&screen).and_then(|mut writer| {
                writer.gap(self.at, now_us(), None)?;
                Ok(writer)
            }),
            Opening::Failed(error) => Err(error),
        };
        match opened {
            Ok(writer) => self.disk = Some(writer),
            // A disk that refuses is no reason not to start.
            Err(error) => self.fail(&error),
        }
    }

    /// Begins the first segment, if that was not possible before.
    fn open_late(&mut self) -> io::Result<()> {
        if let Some(screen) = &self.unopened {
            self.disk = Some(self.create(screen)?);
            self.unopened = None;
            self.count_gap();
        }
        Ok(())
    }

    /// What is missing before a segment is told by the offset at which it begins.
    fn count_gap(&mut self) {
        if self.gap_from.take().is_some() {
            self.gaps += 1;
        }
    }

    fn create(&self, screen: &[u8]) -> io::Result<Writer> {
        Writer::create(&self.subject.dir.recording(), &self.subject.head(self.at), screen)
    }

    fn record(mut self, opening: Opening) {
        self.open(opening);
        let mut chunk = Vec::new();
        let mut thrift = Thrift::new();
        let mut going_on = ControlFlow::Continue(());
        while going_on.is_continue() {
            match self.next(&mut chunk) {
                Next::Write => {
                    thrift.note(chunk.len());
                    if let Err(error) = self.write(&chunk) {
                        self.fail(&error);
                        self.give_up_rest_if_hopeless();
                        thread::sleep(RETRY);
                    }
                }
                Next::Answer => going_on = self.answer(),
                Next::Wait => {
                    if self.common.visited.swap(false, Ordering::AcqRel) {
                        thrift.note_visit();
                    }
                    thrift.park();
                }
            }
        }
    }

    /// Looks what there is to do, and takes the bytes for it off the tape.
    fn next(&mut self, chunk: &mut Vec<u8>) -> Next {
        chunk.clear();
        self.skip_to_segment();
        let ask = {
            let asks = lock(&self.common.asks);
            asks.front().map(|ask| (ask.at(), !matches!(ask, Ask::Segment { snapshot: None, .. })))
        };
        {
            let tape = self.tape.read().unwrap_or_else(PoisonError::into_inner);
            if tape.start() > self.at {
                self.gap_from.get_or_insert(self.at);
                self.at = tape.start();
                // What the first segment should have begun with is no longer the screen here.
                if self.unopened.take().is_some() {
                    self.want_segment();
                }
            }
            let most = ask.map_or(CHUNK_BYTES, |(at, _)| CHUNK_BYTES.min(at - self.at));
            tape.copy(self.at, most, chunk);
        }
        match ask {
            _ if !chunk.is_empty() => Next::Write,
            Some((at, true)) if at <= self.at => Next::Answer,
            _ => {
                *chunk = Vec::new();
                Next::Wait
            }
        }
    }

    /// Without a segment to write to, what comes before the next one is lost.
    fn skip_to_segment(&mut self) {
        let next = match lock(&self.common.asks).front() {
            Some(Ask::Segment { at, snapshot: Some(_), .. }) if self.disk.is_none() => *at,
            _ => return,
        };
        if next > self.at {
            self.gap_from.get_or_insert(self.at);
            self.move_on(next - self.at);
        }
    }

    /// Once the child has ended, a disk that fails is tried a few times more. Then the rest is missing, and the exit comes.
    fn give_up_rest_if_hopeless(&mut self) {
        let exit = lock(&self.common.asks).iter().find_map(|ask| match ask {
            Ask::Exit { at, .. } => Some(*at),
            _ => None,
        });
        let Some(exit) = exit else { return };
        self.tries_left = self.tries_left.saturating_sub(1);
        if self.tries_left == 0 {
            self.gap_from.get_or_insert(self.at);
            self.move_on(exit - self.at);
        }
    }

    fn write(&mut self, chunk: &[u8]) -> io::Result<()> {
        self.look();
        self.faults.on_write(chunk)?;
        self.open_late()?;
        self.mark_gap()?;
        let Some(writer) = &mut self.disk else { return Err(io::Error::other("there is no segment")) };
        writer.output(self.at, now_us(), chunk)?;
        let full = writer.bytes() >= self.subject.segment_bytes();
        self.move_on(chunk.len());
        if full && !lock(&self.common.asks).iter().any(|ask| matches!(ask, Ask::Segment { .. })) {
            self.want_segment();
        }
        if self.trouble.take().is_some() {
            log::line(&format!("recording again from {}", self.at));
            self.report();
        }
        Ok(())
    }

    /// Writes down that output is missing, if some is.
    fn mark_gap(&mut self) -> io::Result<()> {
        if let (Some(from), Some(writer)) = (self.gap_from, &mut self.disk) {
            writer.gap(from, now_us(), Some(self.at))?;
            self.gap_from = None;
            self.gaps += 1;
            self.report();
        }
        Ok(())
    }

    /// Notices a segment that somebody removed or cut: another one is begun.
    fn look(&mut self) {
        if self.looked.elapsed() < LOOK {
            return;
        }
        self.looked = Instant::now();
        if self.disk.as_ref().is_some_and(|writer| !writer.is_intact()) {
            log::line("somebody took the recording's segment away; beginning another");
            self.disk = None;
            self.want_segment();
        }
    }

    fn want_segment(&self) {
        self.common.full.store(true, Ordering::Release);
        self.board.wake();
    }

    fn move_on(&mut self, bytes: usize) {
        self.at += bytes;
        self.common.at.store(self.at.0, Ordering::Release);
        if self.common.awaited.load(Ordering::Acquire) {
            self.board.wake();
        }
    }

    fn fail(&mut self, error: &io::Error) {
        if self.disk.is_none() && self.unopened.is_none() {
            self.want_segment();
        }
        if self.trouble.is_none() {
            log::line(&format!("cannot record after {}: {error}", self.at));
        }
        self.trouble = Some(error.to_string());
        self.report();
    }

    fn report(&self) {
        let report = RecordingReport { recorded: self.at, gaps: self.gaps, trouble: self.trouble.clone() };
        self.board.tell(|told| told.recording = Some(report));
    }

    fn answer(&mut self) -> ControlFlow<()> {
        let Some(ask) = lock(&self.common.asks).pop_front() else { return ControlFlow::Continue(()) };
        match ask {
            Ask::Resize { size, .. } => {
                self.subject.size = size;
                self.last(|writer, at| writer.resize(at, now_us(), size));
            }
            Ask::Segment { at, snapshot: Some(snapshot), .. } => self.begin_segment(at, &snapshot),
            Ask::Segment { snapshot: None, .. } => {}
            Ask::Written { at } => self.board.tell(|told| told.written = Some(at)),
            Ask::Exit { note, .. } => {
                self.finish(&note);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Writes down how the child ended, and brings everything to disk. It is the only time that a host waits for that,
    /// which may take as long as it likes: the terminal is over, and everyone is told of it meanwhile.
    fn finish(&mut self, note: &ExitNote) {
        self.last(|writer, at| writer.exit(at, now_us(), note.status));
        self.faults.on_sync();
        if self.write_down(note) {
            self.sealing.recording_finished();
        }
        self.last(|writer, _| writer.sync());
    }

    /// Tried a few times: without it, nobody ever learns how the worker ended.
    fn write_down(&self, note: &ExitNote) -> bool {
        for _ in 0..LAST_TRIES {
            match self.subject.dir.write_exit_note(note) {
                Ok(()) => return true,
                Err(error) => log::line(&format!("cannot write down how the child ended: {error}")),
            }
            thread::sleep(RETRY);
        }
        false
    }

    fn begin_segment(&mut self, at: Offset, snapshot: &Snapshot) {
        let head = self.subject.head(at);
        let begun = match &mut self.disk {
            Some(writer) => writer.begin_segment(&head, &snapshot.bytes),
            None => self.create(&snapshot.bytes).map(|writer| self.disk = Some(writer)),
        };
        if let Err(error) = begun {
            self.fail(&error);
            thread::sleep(RETRY);
            return;
        }
        self.count_gap();
        // The new segment will fill, and then the whole is as large as it may be.
        let most = self.subject.most_bytes.saturating_sub(self.subject.segment_bytes());
        if let Err(error) = recording::trim(&self.subject.dir.recording(), most) {
            log::line(&format!("cannot remove the oldest of the recording: {error}"));
        }
        self.sealing.segment_finished();
    }

    /// Writes something that comes once: tried a few times, since nobody will ask again.
    fn last(&mut self, mut write: impl FnMut(&mut Writer, Offset) -> io::Result<()>) {
        for _ in 0..LAST_TRIES {
            let at = self.at;
            let opened = self.open_late();
            let written = opened.and_then(|()| self.mark_gap()).and_then(|()| match &mut self.disk {
                Some(writer) => write(writer, at),
                None => Ok(()),
            });
            match written {
                Ok(()) => return,
                Err(error) => self.fail(&error),
            }
            thread::sleep(RETRY);
        }
    }
}
