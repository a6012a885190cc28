//! Exact screens at any moment of a recording.

mod seek;

use model::{Epoch, Offset, TermSize};
use recording::{Block, BlockKind};
use terminal::{HistoryLimit, Signal, Terminal};

use crate::event::{Event, EventKind};
use crate::source::Source;
use crate::time_line::{Moment, TimeLine};

/// Plays a recording: block by block, or by jumping to a moment.
///
/// A jump costs one segment at most: its snapshot is loaded and what follows is played up to the moment asked for.
/// Playing on into the next segment passes over its snapshot, since the terminal is there already, unless something is
/// missing before it. The screens are exact; of the history a terminal has after a jump what the segment's snapshot
/// had, and what has scrolled off since.
///
/// What a program asked its terminal in the past was answered then: replies and signals are dropped.
pub struct Player<S> {
    source: S,
    history: HistoryLimit,
    times: TimeLine,
    terminal: Terminal,
    segment: LoadedSegment,
    at: Offset,
    time_us: u64,
    epoch: Epoch,
    /// Output is missing since the last snapshot, so that the terminal may be wrong.
    doubtful: bool,
}

/// The segment that is being played.
#[derive(Default)]
struct LoadedSegment {
    index: usize,
    blocks: Vec<Block>,
    /// Which block comes next.
    next: usize,
    /// How many bytes of that block's output have been played.
    played: usize,
    /// The latest time of a block so far.
    latest_us: u64,
}

/// A signal that was noticed while output was played.
pub(crate) struct Heard<'a> {
    /// The terminal right behind the bytes that gave the signal.
    pub(crate) terminal: &'a Terminal,
    /// How many bytes had been printed then.
    pub(crate) at: Offset,
    /// When.
    pub(crate) time_us: u64,
    /// What the program said.
    pub(crate) signal: Signal,
}

/// Takes signals in while output is played.
type Hear<'a> = &'a mut dyn FnMut(Heard<'_>);

impl<S: Source> Player<S> {
    /// A player that stands at the beginning of a recording.
    pub fn new(source: S, history: HistoryLimit) -> Player<S> {
        let times = TimeLine::new(source.segments());
        let size = source.segments().first().map_or(TermSize::clamped(80, 24), |first| first.head.size);
        let mut player = Player {
            times,
            history,
            terminal: Terminal::new(size, history),
            segment: LoadedSegment::default(),
            at: Offset(0),
            time_us: 0,
            epoch: Epoch(0),
            doubtful: false,
            source,
        };
        player.go_to_beginning();
        player
    }

    /// Where the blocks come from.
    pub fn source(&self) -> &S {
        &self.source
    }

    /// The terminal as it was at the present moment.
    pub fn terminal(&self) -> &Terminal {
        &self.terminal
    }

    /// How much output had come before the present moment.
    pub fn at(&self) -> Offset {
        self.at
    }

    /// When the present moment was. Times never fall while a recording is played: one that a clock gave which had been
    /// set back counts as the latest before it.
    pub fn time_us(&self) -> u64 {
        self.time_us
    }

    /// The present moment.
    pub fn moment(&self) -> Moment {
        Moment { at: self.at, time_us: self.time_us }
    }

    /// The epoch of the worker's host at the present moment.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Whether output is missing since the last snapshot, so that the screen may be wrong.
    pub fn is_doubtful(&self) -> bool {
        self.doubtful
    }

    /// Plays the next block; nothing if there is none.
    pub fn step(&mut self) -> Option<Event> {
        self.step_hearing(&mut |_| ())
    }

    /// When the next block was printed or happened; nothing if there is none.
    pub fn next_time_us(&mut self) -> Option<u64> {
        while self.segment.next >= self.segment.blocks.len() {
            self.load_next()?;
        }
        let block = &self.segment.blocks[self.segment.next];
        Some(self.times.time(self.segment.index, block.time_us.max(self.segment.latest_us)))
    }

    pub(crate) fn step_hearing(&mut self, hear: Hear<'_>) -> Option<Event> {
        loop {
            while self.segment.next >= self.segment.blocks.len() {
                self.load_next()?;
            }
            if let Some(event) = self.play_next(usize::MAX, hear) {
                return Some(event);
            }
        }
    }

    /// Plays the next block of the loaded segment, of output `most` bytes at most. A block that changes nothing is no
    /// event.
    fn play_next(&mut self, most: usize, hear: Hear<'_>) -> Option<Event> {
        let segment = &mut self.segment;
        let block = &segment.blocks[segment.next];
        segment.latest_us = segment.latest_us.max(block.time_us);
        self.time_us = self.times.time(segment.index, segment.latest_us);
        if let BlockKind::Output(_) = block.kind {
            return self.play_output(most, hear);
        }
        let (from, block_at) = (self.at, block.at);
        let kind = match block.kind {
            BlockKind::Snapshot(_) => return self.play_snapshot(),
            BlockKind::Resize(size) => {
                self.terminal.resize(size);
                EventKind::Resize(size)
            }
            BlockKind::Gap { to } => {
                self.doubtful = true;
                self.at = to.unwrap_or(block_at).max(self.at);
                EventKind::Gap { to }
            }
            BlockKind::Epoch(epoch) => {
                self.epoch = epoch;
                EventKind::Epoch(epoch)
            }
            BlockKind::Exit(status) => EventKind::Exit(status),
            BlockKind::Output(_) => return None,
        };
        self.segment.next += 1;
        forget_answers(&mut self.terminal);
        Some(Event { at: from, time_us: self.time_us, kind })
    }

    fn play_output(&mut self, most: usize, hear: Hear<'_>) -> Option<Event> {
        let LoadedSegment { blocks, next, played, .. } = &mut self.segment;
        let Block { at, kind: BlockKind::Output(bytes), .. } = &blocks[*next] else { return None };
        // A segment may begin before the end of the one before it; output that was played is not played again.
        let first = (self.at - *at).max(*played).min(bytes.len());
        let last = bytes.len().min(first.saturating_add(most));
        let (from, time_us) = (self.at, self.time_us);
        for piece in pieces(&bytes[first..last]) {
            self.terminal.feed(piece);
            self.terminal.take_replies();
            self.at += piece.len();
            for signal in self.terminal.take_signals() {
                hear(Heard { terminal: &self.terminal, at: self.at, time_us, signal });
            }
        }
        let output = bytes[first..last].to_vec();
        *played = last;
        if last == bytes.len() {
            (*next, *played) = (*next + 1, 0);
        }
        (!output.is_empty()).then_some(Event { at: from, time_us, kind: EventKind::Output(output) })
    }

    /// Passes over the snapshot with which a segment begins, unless something is missing before it.
    fn play_snapshot(&mut self) -> Option<Event> {
        let block = &self.segment.blocks[self.segment.next];
        let head = self.source.segments().get(self.segment.index)?.head;
        let (from, time_us) = (self.at, self.time_us);
        if block.at > self.at {
            self.at = block.at;
            self.doubtful = true;
            return Some(Event { at: from, time_us, kind: EventKind::Gap { to: Some(block.at) } });
        }
        // A resize that is missing has no offset that would tell; only the size does.
        if block.at == self.at && (self.doubtful || self.terminal.size() != head.size) {
            self.apply_snapshot();
            return Some(Event { at: from, time_us, kind: EventKind::Screen });
        }
        self.segment.next += 1;
        if head.epoch != self.epoch {
            self.epoch = head.epoch;
            return Some(Event { at: from, time_us, kind: EventKind::Epoch(head.epoch) });
        }
        None
    }

    /// Begins anew with the snapshot of the loaded segment; says whether there is one.
    fn apply_snapshot(&mut self) -> bool {
        let segment = &mut self.segment;
        let head = self.source.segments().get(segment.index).map(|segment| segment.head);
        let (Some(head), Some(Block { kind: BlockKind::Snapshot(snapshot), .. })) =
            (head, segment.blocks.first())
        else {
            return false;
        };
        self.terminal = Terminal::new(head.size, self.history);
        self.terminal.feed(snapshot);
        forget_answers(&mut self.terminal);
        (segment.next, segment.played, segment.latest_us) = (1, 0, head.time_us);
        self.at = head.at;
        self.time_us = self.times.time(segment.index, head.time_us);
        self.epoch = head.epoch;
        self.doubtful = false;
        true
    }

    /// Reads a segment; its first block comes next.
    fn load(&mut self, index: usize) {
        let blocks = self.source.blocks(index).collect();
        self.segment = LoadedSegment { index, blocks, ..LoadedSegment::default() };
    }

    /// Reads the segment that follows; nothing if there is none. The loaded one then stays.
    fn load_next(&mut self) -> Option<()> {
        let index = self.segment.index + 1;
        if index >= self.source.segments().len() {
            return None;
        }
        self.load(index);
        Some(())
    }
}

/// Bytes in pieces that end where control strings and bells do, so that it is known behind which byte a signal came.
fn pieces(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr2(0x07, b'\\', rest).map_or(rest.len(), |end| end + 1);
        let (piece, others) = rest.split_at(end);
        rest = others;
        Some(piece)
    })
}

/// Drops answers: questions of the past were answered then.
fn forget_answers(terminal: &mut Terminal) {
    terminal.take_replies();
    terminal.take_signals();
}
