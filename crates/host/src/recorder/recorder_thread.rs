//! The recorder's thread: it follows the tape and writes to disk.

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{self};
use std::time::{Duration, Instant};

use home::ExitNote;
use model::Offset;
use protocol::RecordingReport;
use recording::Writer;

use super::disk::Disk;
use super::{RecorderOrder, RecorderShared, Subject, lock, now_us};
use crate::faults::Faults;
use crate::log;
use crate::sealing::Sealing;
use crate::tape::Tape;
use crate::thrift::Thrift;
use crate::told::{Board, Snapshot};

/// How much goes into one block.
const CHUNK_BYTES: usize = 64 << 10;

/// How long a disk that failed is left alone.
const RETRY: Duration = Duration::from_millis(500);

/// How often we check that the file of the segment is still there.
const LOOK: Duration = Duration::from_secs(1);

/// How often the last words are tried on a disk that fails.
pub(super) const LAST_TRIES: u32 = 4;

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

/// The thread's own side.
pub(super) struct RecorderThread {
    pub(super) subject: Subject,
    pub(super) faults: Faults,
    pub(super) sealing: Sealing,
    pub(super) disk: Disk,
    /// What comes next is at this offset.
    pub(super) at: Offset,
    /// Output before this offset is recorded, or it is written down that it is missing. From here to `at` it is missing.
    pub(super) accounted_to: Offset,
    pub(super) gaps: u64,
    /// How often the last output is tried on a disk that fails.
    pub(super) tries_left: u32,
    pub(super) looked: Instant,
    pub(super) shared: Arc<RecorderShared>,
    pub(super) tape: Arc<RwLock<Tape>>,
    pub(super) board: Arc<Board>,
}

/// However the thread ends: a host waits for its recording, and must not wait for ever.
impl Drop for RecorderThread {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Release);
        self.board.wake();
    }
}

/// What there is to do.
enum Next {
    Write,
    Answer,
    Wait,
}

impl RecorderThread {
    fn open(&mut self, opening: Opening) {
        let opened = match opening {
            Opening::Going(writer) => Ok(writer),
            Opening::Fresh { screen } => match self.create(&screen) {
                Ok(writer) => Ok(writer),
                Err(error) => {
                    self.log_trouble(&error);
                    self.disk = Disk::Unopened { screen, why: error.to_string() };
                    return self.report();
                }
            },
            Opening::AfterDeath { screen } => self.create(&screen).and_then(|mut writer| {
                writer.gap(self.at, now_us(), None)?;
                Ok(writer)
            }),
            Opening::Failed(error) => Err(error),
        };
        match opened {
            Ok(writer) => self.disk.begin(writer),
            // A disk that refuses is no reason not to start.
            Err(error) => self.fail(&error),
        }
    }

    /// Begins the first segment, if the disk did not take it before.
    fn open_late(&mut self) -> io::Result<()> {
        if let Disk::Unopened { screen, .. } = &self.disk {
            let writer = self.create(screen)?;
            self.disk.begin(writer);
            self.count_gap();
        }
        Ok(())
    }

    /// What is missing before a segment is told by the offset at which it begins.
    fn count_gap(&mut self) {
        if self.accounted_to < self.at {
            self.accounted_to = self.at;
            self.gaps += 1;
        }
    }

    fn create(&self, screen: &[u8]) -> io::Result<Writer> {
        Writer::create(&self.subject.dir.recording(), &self.subject.head(self.at), screen)
    }

    pub(super) fn record(mut self, opening: Opening) {
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
                    if self.shared.visited.swap(false, Ordering::AcqRel) {
                        thrift.note_visit();
                    }
                    thrift.park();
                }
            }
        }
    }

    /// Finds the next work, and takes its bytes off the tape.
    fn next(&mut self, chunk: &mut Vec<u8>) -> Next {
        chunk.clear();
        self.skip_to_segment();
        let order = {
            let orders = lock(&self.shared.orders);
            orders
                .front()
                .map(|order| (order.at(), !matches!(order, RecorderOrder::Segment { snapshot: None, .. })))
        };
        {
            let tape = self.tape.read().unwrap_or_else(PoisonError::into_inner);
            if tape.start() > self.at {
                self.at = tape.start();
                // What the first segment should have begun with is no longer the screen here.
                if let Disk::Unopened { .. } = self.disk {
                    self.disk.lose();
                    self.want_segment();
                }
            }
            let most = order.map_or(CHUNK_BYTES, |(at, _)| CHUNK_BYTES.min(at - self.at));
            tape.copy(self.at, most, chunk);
        }
        match order {
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
        if self.disk.segment().is_some() {
            return;
        }
        let next = match lock(&self.shared.orders).front() {
            Some(RecorderOrder::Segment { at, snapshot: Some(_), .. }) => *at,
            _ => return,
        };
        if next > self.at {
            self.move_on(next - self.at);
        }
    }

    /// Once the child has ended, a disk that fails is tried a few times more. Then the rest is missing, and the exit comes.
    fn give_up_rest_if_hopeless(&mut self) {
        let exit = lock(&self.shared.orders).iter().find_map(|order| match order {
            RecorderOrder::Exit { at, .. } => Some(*at),
            _ => None,
        });
        let Some(exit) = exit else { return };
        self.tries_left = self.tries_left.saturating_sub(1);
        if self.tries_left == 0 {
            self.move_on(exit - self.at);
        }
    }

    fn write(&mut self, chunk: &[u8]) -> io::Result<()> {
        self.look();
        self.faults.on_write(chunk)?;
        self.open_late()?;
        self.mark_gap()?;
        let Some(writer) = self.disk.segment() else { return Err(io::Error::other("there is no segment")) };
        writer.output(self.at, now_us(), chunk)?;
        let full = writer.bytes() >= self.subject.segment_bytes();
        self.move_on(chunk.len());
        self.accounted_to = self.at;
        if full
            && !lock(&self.shared.orders).iter().any(|order| matches!(order, RecorderOrder::Segment { .. }))
        {
            self.want_segment();
        }
        if self.disk.took() {
            log::line(&format!("recording again from {}", self.at));
            self.report();
        }
        Ok(())
    }

    /// Writes down that output is missing, if some is.
    fn mark_gap(&mut self) -> io::Result<()> {
        if self.accounted_to < self.at
            && let Some(writer) = self.disk.segment()
        {
            writer.gap(self.accounted_to, now_us(), Some(self.at))?;
            self.accounted_to = self.at;
            self.gaps += 1;
            self.report();
        }
        Ok(())
    }

    /// Begins another segment if the file of this one was removed or cut.
    fn look(&mut self) {
        if self.looked.elapsed() < LOOK {
            return;
        }
        self.looked = Instant::now();
        if self.disk.segment().is_some_and(|writer| !writer.is_intact()) {
            log::line("the recording's segment was removed; beginning another");
            self.disk.lose();
            self.want_segment();
        }
    }

    fn want_segment(&self) {
        self.shared.full.store(true, Ordering::Release);
        self.board.wake();
    }

    fn move_on(&mut self, bytes: usize) {
        self.at += bytes;
        self.shared.at.store(self.at.0, Ordering::Release);
        if self.shared.awaited.load(Ordering::Acquire) {
            self.board.wake();
        }
    }

    fn fail(&mut self, error: &io::Error) {
        self.log_trouble(error);
        self.disk.refuse(error.to_string());
        if let Disk::Lost { .. } = self.disk {
            self.want_segment();
        }
        self.report();
    }

    /// Once, however often the disk refuses.
    fn log_trouble(&self, error: &io::Error) {
        if self.disk.trouble().is_none() {
            log::line(&format!("cannot record after {}: {error}", self.at));
        }
    }

    fn report(&self) {
        let trouble = self.disk.trouble().map(str::to_owned);
        let report = RecordingReport { recorded: self.at, gaps: self.gaps, trouble };
        self.board.tell(|told| told.recording = Some(report));
    }

    fn answer(&mut self) -> ControlFlow<()> {
        let Some(order) = lock(&self.shared.orders).pop_front() else { return ControlFlow::Continue(()) };
        match order {
            RecorderOrder::Resize { size, .. } => {
                self.subject.size = size;
                self.last(|writer, at| writer.resize(at, now_us(), size));
            }
            RecorderOrder::Segment { at, snapshot: Some(snapshot), .. } => self.begin_segment(at, &snapshot),
            RecorderOrder::Segment { snapshot: None, .. } => {}
            RecorderOrder::Written { at } => self.board.tell(|told| told.written = Some(at)),
            RecorderOrder::Exit { note, .. } => {
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

    /// Tried a few times: without it, the worker's exit code stays unknown.
    fn write_down(&self, note: &ExitNote) -> bool {
        for _ in 0..LAST_TRIES {
            match self.subject.dir.write_exit_note(note) {
                Ok(()) => return true,
                Err(error) => log::line(&format!("cannot write the exit note: {error}")),
            }
            thread::sleep(RETRY);
        }
        false
    }

    fn begin_segment(&mut self, at: Offset, snapshot: &Snapshot) {
        let head = self.subject.head(at);
        let begun = match self.disk.segment() {
            Some(writer) => writer.begin_segment(&head, &snapshot.bytes),
            None => self.create(&snapshot.bytes).map(|writer| self.disk.begin(writer)),
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
            log::line(&format!("cannot remove the oldest part of the recording: {error}"));
        }
        self.sealing.segment_finished();
    }

    /// Writes something that comes only once, so it tries a few times.
    fn last(&mut self, mut write: impl FnMut(&mut Writer, Offset) -> io::Result<()>) {
        for _ in 0..LAST_TRIES {
            let at = self.at;
            let opened = self.open_late();
            let written = opened.and_then(|()| self.mark_gap()).and_then(|()| match self.disk.segment() {
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
