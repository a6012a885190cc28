//! How lines settle: blocks in, lines out.

pub(crate) mod cuts;
pub(crate) mod frame;
mod main_screen;
mod out;
mod text;

use model::{Offset, TermSize};
use recording::{Block, BlockKind, Line, SegmentHead};
use terminal::{HistoryLimit, Terminal};

use frame::Frame;
use main_screen::MainScreen;
use out::Out;

pub(crate) use cuts::{Cut, CutKind};
pub(crate) use frame::FrameLine;
pub(crate) use text::{is_blank, joined};

/// How much is fed at once. A line's offset is the end of the piece that settled it, so this is how exact those are;
/// and all rows that a piece can scroll away must fit the history.
const PIECE_BYTES: usize = 1 << 10;

/// Rows that one piece can scroll away, with room to spare, and memory for them.
const HISTORY: HistoryLimit = HistoryLimit { lines: 100_000, bytes: 256 << 20 };

/// How long a frame of a full-screen program has to stand until it counts.
const STILL_US: u64 = 5_000_000;

/// Takes in the blocks of a segment, and gives out the lines that they settled.
///
/// What it knows at the beginning of a segment follows from the segment's snapshot alone, and at its end it holds
/// nothing back that the next snapshot does not show. So each segment can be read by itself.
pub(crate) struct Settling {
    terminal: Terminal,
    main: MainScreen,
    frame: Frame,
    out: Out,
    /// The beginning of a sequence that may take lines off the screen; it is not fed before its rest has come.
    held: Vec<u8>,
    /// When the screen may have changed last.
    changed_us: u64,
}

impl Settling {
    /// Before the first block of a segment.
    pub(crate) fn new(head: &SegmentHead) -> Settling {
        Settling {
            terminal: Terminal::new(head.size, HISTORY),
            main: MainScreen::default(),
            frame: Frame::default(),
            out: Out::new(head.at, head.time_us),
            held: Vec::new(),
            changed_us: head.time_us,
        }
    }

    /// The offset after the blocks taken in so far.
    pub(crate) fn at(&self) -> Offset {
        self.out.at + self.held.len()
    }

    /// The next line that has settled.
    pub(crate) fn next_line(&mut self) -> Option<Line> {
        self.out.next_line()
    }

    /// All lines that have settled.
    pub(crate) fn into_lines(self) -> Vec<Line> {
        self.out.into_lines()
    }

    /// Takes in a block.
    pub(crate) fn take_in(&mut self, block: &Block) {
        let time_us = self.out.time_us.max(block.time_us);
        if let BlockKind::Output(_) | BlockKind::Resize(_) = block.kind {
            self.settle_still_frame(time_us);
        }
        self.out.time_us = time_us;
        match &block.kind {
            BlockKind::Snapshot(snapshot) => self.begin(snapshot),
            BlockKind::Output(bytes) => self.output(bytes),
            BlockKind::Resize(size) => self.resize(*size),
            BlockKind::Gap { to } => {
                self.play_held();
                self.out.at = to.unwrap_or(block.at);
            }
            BlockKind::Epoch(_) | BlockKind::Exit(_) => (),
        }
    }

    /// Settles what the end of the segment settles: everything if it `is_last`, else what the next one cannot know of.
    pub(crate) fn end(&mut self, is_last: bool) {
        self.play_held();
        let on_alternate = self.terminal.on_alternate_screen();
        if on_alternate {
            self.frame.settle_last(frame::lines(&self.terminal), &mut self.out);
        }
        if !is_last {
            return self.main.settle_open(&mut self.out);
        }
        if on_alternate {
            // The main screen comes back, even inside an unfinished sequence.
            self.terminal.feed(b"\x18\x1b[?47l");
        }
        let rows = self.terminal.text_rows().collect();
        self.main.settle_screen(rows, self.cols(), &mut self.out);
    }

    fn cols(&self) -> u16 {
        self.terminal.size().cols()
    }

    fn begin(&mut self, snapshot: &[u8]) {
        self.feed_terminal(snapshot);
        self.out.allow(snapshot.len());
        self.main.begin(&self.terminal);
        if self.terminal.on_alternate_screen() {
            self.frame.begin(frame::lines(&self.terminal));
        }
    }

    fn resize(&mut self, size: TermSize) {
        self.play_held();
        self.main.resize(&mut self.terminal, size, &mut self.out);
        self.changed_us = self.out.time_us;
    }

    /// A frame that has stood long enough is settled before it changes.
    fn settle_still_frame(&mut self, now_us: u64) {
        let still_us = self.changed_us.saturating_add(STILL_US);
        if now_us >= still_us && self.terminal.on_alternate_screen() {
            self.out.time_us = self.out.time_us.max(still_us);
            self.frame.settle(frame::lines(&self.terminal), &mut self.out);
        }
    }

    fn output(&mut self, bytes: &[u8]) {
        self.out.allow(bytes.len());
        if self.held.is_empty() {
            self.play_up_to_held(bytes);
        } else {
            let mut whole = std::mem::take(&mut self.held);
            whole.extend_from_slice(bytes);
            self.play_up_to_held(&whole);
        }
        self.changed_us = self.out.time_us;
    }

    fn play_up_to_held(&mut self, bytes: &[u8]) {
        let (bytes, held) = bytes.split_at(cuts::held_from(bytes));
        self.held.extend_from_slice(held);
        let mut rest = bytes;
        while let Some(Cut { start, end, kind }) = cuts::find(rest) {
            self.play(&rest[..start]);
            self.play_cut(&rest[start..end], kind);
            rest = &rest[end..];
        }
        self.play(rest);
    }

    fn play_held(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.play(&held);
    }

    /// Plays output that takes lines off the screen only by scrolling.
    fn play(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(PIECE_BYTES) {
            self.feed_terminal(piece);
            self.out.at += piece.len();
            self.main.take_scrolled(&mut self.terminal, &mut self.out);
        }
    }

    /// Plays a sequence that may take everything off the screen, and settles what it took.
    fn play_cut(&mut self, sequence: &[u8], kind: CutKind) {
        let was_on_alternate = self.terminal.on_alternate_screen();
        let frame = was_on_alternate.then(|| frame::lines(&self.terminal));
        let clears = !was_on_alternate && matches!(kind, CutKind::Clear | CutKind::Reset);
        let rows = clears.then(|| self.terminal.text_rows().collect());

        let cols = self.cols();
        self.feed_terminal(sequence);
        self.out.at += sequence.len();
        match (frame, self.terminal.on_alternate_screen()) {
            (Some(lines), false) => self.frame.settle_last(lines, &mut self.out),
            (Some(lines), true) if kind == CutKind::Clear => self.frame.cleared(lines),
            _ => (),
        }
        if let Some(rows) = rows.filter(|_| self.terminal.text_rows().all(|row| text::is_blank(&row))) {
            self.main.settle_cleared(rows, cols, &mut self.out);
        }
        self.main.history_changed(&self.terminal);
    }

    fn feed_terminal(&mut self, bytes: &[u8]) {
        self.terminal.set_stamp(self.out.stamp());
        self.terminal.feed(bytes);
        // Questions of the past were answered then.
        self.terminal.take_replies();
        self.terminal.take_signals();
    }
}
