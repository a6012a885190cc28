//! Rows that nothing changes any more, with their styles.
//!
//! A row has settled when it scrolled off the main screen, when a clear took it off, or when everything ended. Of
//! full-screen programs there are screens: those that stood for a while, and the last one.

use std::collections::{HashSet, VecDeque};
use std::io::{self, Write};

use model::TermSize;
use terminal::{HistoryLimit, SnapshotForm, StyledRow, Terminal};

use super::given::Given;
use super::page::Page;
use super::redraw::Redraw;
use super::rows::{is_blank, texts, used};

/// How much is fed at once. All rows that it can scroll away must fit the history.
const PIECE_BYTES: usize = 16 << 10;

/// Rows that one piece can scroll away, with room to spare, and memory for them.
const HISTORY: HistoryLimit = HistoryLimit { lines: 200_000, bytes: 256 << 20 };

/// How long a full-screen program's screen has to stand until it counts.
const STILL_US: u64 = 5_000_000;

/// A screen that stood for this long was meant to be seen. If a program wipes its screen before it leaves, the last of
/// these is the one it left.
const SEEN_US: u64 = 500_000;

/// Sequences that clear the screen or the history, or change to the other screen, as programs write them. Something
/// that looks like one and is none does no harm: whether it was is seen on the screen.
const CUTS: [&[u8]; 10] = [
    b"\x1b[2J",
    b"\x1b[J",
    FORGET_HISTORY,
    b"\x1bc",
    b"\x1b[?1049h",
    b"\x1b[?1049l",
    b"\x1b[?1047h",
    b"\x1b[?1047l",
    b"\x1b[?47h",
    b"\x1b[?47l",
];

const FORGET_HISTORY: &[u8] = b"\x1b[3J";

/// Turns output into rows that have settled.
pub(super) struct Settled {
    terminal: Terminal,
    time_us: u64,
    given: Given,
    redraw: Option<Redraw>,
    /// The rows of the main screen that were given out when a full-screen program took its place, from the first on.
    given_early: VecDeque<String>,
    /// The full-screen program's screen that stood last.
    seen: Vec<StyledRow>,
    /// The lines of the full-screen program's screen that was given last.
    framed: HashSet<String>,
}

impl Settled {
    /// Begins with a terminal as it is.
    pub(super) fn begin(terminal: &Terminal) -> Settled {
        Settled {
            terminal: copy(terminal),
            time_us: 0,
            given: Given::default(),
            redraw: None,
            given_early: VecDeque::new(),
            seen: Vec::new(),
            framed: HashSet::new(),
        }
    }

    /// Takes output in.
    pub(super) fn feed<W: Write>(
        &mut self,
        time_us: u64,
        bytes: &[u8],
        page: &mut Page<W>,
    ) -> io::Result<()> {
        self.pass_time(time_us, page)?;
        self.given.allow(bytes.len());
        let mut rest = bytes;
        while !rest.is_empty() {
            let (length, cut) = next_piece(rest);
            let (piece, after) = rest.split_at(length);
            let (sequence, after) = after.split_at(cut);
            self.feed_piece(piece, page)?;
            if !sequence.is_empty() {
                self.feed_cut(sequence, page)?;
            }
            rest = after;
        }
        Ok(())
    }

    /// Changes the size.
    pub(super) fn resize<W: Write>(
        &mut self,
        time_us: u64,
        size: TermSize,
        page: &mut Page<W>,
    ) -> io::Result<()> {
        self.pass_time(time_us, page)?;
        self.end_redraw(page)?;
        self.terminal.resize(size);
        self.take_scrolled(page)
    }

    /// Goes on with another terminal: something is missing between.
    pub(super) fn restart<W: Write>(&mut self, terminal: &Terminal, page: &mut Page<W>) -> io::Result<()> {
        self.give_all(page)?;
        *self = Settled::begin(terminal);
        Ok(())
    }

    /// Gives out all that is left.
    pub(super) fn end<W: Write>(mut self, page: &mut Page<W>) -> io::Result<()> {
        self.give_all(page)
    }

    fn feed_piece<W: Write>(&mut self, piece: &[u8], page: &mut Page<W>) -> io::Result<()> {
        self.terminal.feed(piece);
        self.terminal.take_replies();
        self.terminal.take_signals();
        self.take_scrolled(page)
    }

    fn feed_cut<W: Write>(&mut self, sequence: &[u8], page: &mut Page<W>) -> io::Result<()> {
        let was_alternate = self.terminal.on_alternate_screen();
        let rows: Vec<StyledRow> = self.terminal.rows().collect();
        self.feed_piece(sequence, page)?;
        if sequence == FORGET_HISTORY {
            self.given.may_come_again(self.time_us);
            return Ok(());
        }
        let is_alternate = self.terminal.on_alternate_screen();
        if was_alternate && !is_alternate {
            self.give_last_frame(&rows, page)?;
        } else if !was_alternate && is_alternate {
            // What is on the main screen was printed before what comes now, and is read before it.
            self.end_redraw(page)?;
            rows[..used(&rows)].iter().try_for_each(|row| self.give(row, page))?;
            self.given_early = rows[..used(&rows)].iter().map(StyledRow::text).collect();
        } else if !is_alternate && used(&rows) > 0 && self.terminal.rows().all(|row| is_blank(&row)) {
            self.end_redraw(page)?;
            self.redraw = Some(Redraw::begin(rows, self.time_us));
        }
        Ok(())
    }

    /// Takes what scrolled off the main screen.
    fn take_scrolled<W: Write>(&mut self, page: &mut Page<W>) -> io::Result<()> {
        if self.terminal.history_len() == 0 {
            return Ok(());
        }
        let rows: Vec<StyledRow> = self.terminal.history_rows(usize::MAX).collect();
        self.terminal.forget_history(0);
        for row in rows {
            match &mut self.redraw {
                Some(redraw) => redraw.scrolled(row),
                None => self.give(&row, page)?,
            }
        }
        if self.redraw.as_ref().is_some_and(Redraw::is_long) { self.end_redraw(page) } else { Ok(()) }
    }

    /// The screen was cleared, and the rows in its place have been drawn.
    fn end_redraw<W: Write>(&mut self, page: &mut Page<W>) -> io::Result<()> {
        let Some(redraw) = self.redraw.take() else { return Ok(()) };
        let screen: Vec<StyledRow> = self.terminal.rows().collect();
        redraw.rows_to_give(&screen).try_for_each(|row| self.give(&row, page))
    }

    /// Gives a row of the main screen out, unless it was given early.
    fn give<W: Write>(&mut self, row: &StyledRow, page: &mut Page<W>) -> io::Result<()> {
        if self.given_early.pop_front().is_some_and(|early| early == row.text()) {
            return Ok(());
        }
        self.given_early.clear();
        self.given.give(row, self.terminal.size().cols(), self.time_us, page)
    }

    fn pass_time<W: Write>(&mut self, time_us: u64, page: &mut Page<W>) -> io::Result<()> {
        if self.redraw.as_ref().is_some_and(|redraw| redraw.is_over(time_us)) {
            self.end_redraw(page)?;
        }
        let stood_us = time_us.saturating_sub(self.time_us);
        self.time_us = time_us;
        if stood_us < SEEN_US || !self.terminal.on_alternate_screen() {
            return Ok(());
        }
        let rows: Vec<StyledRow> = self.terminal.rows().collect();
        let lines: Vec<String> = texts(&rows).collect();
        let new = lines.iter().filter(|line| !self.framed.contains(*line)).count();
        if stood_us >= STILL_US && new * 2 > lines.len() {
            self.give_frame(&rows, page)?;
        }
        if !lines.is_empty() {
            self.seen = rows;
        }
        Ok(())
    }

    fn give_last_frame<W: Write>(&mut self, rows: &[StyledRow], page: &mut Page<W>) -> io::Result<()> {
        let seen = std::mem::take(&mut self.seen);
        self.give_frame(if used(rows) == 0 { &seen } else { rows }, page)?;
        self.framed.clear();
        Ok(())
    }

    fn give_frame<W: Write>(&mut self, rows: &[StyledRow], page: &mut Page<W>) -> io::Result<()> {
        let lines: HashSet<String> = texts(rows).collect();
        if !lines.is_subset(&self.framed) && self.given.spend(rows) {
            page.frame(&rows[..used(rows)])?;
        }
        self.framed = lines;
        Ok(())
    }

    fn give_all<W: Write>(&mut self, page: &mut Page<W>) -> io::Result<()> {
        self.end_redraw(page)?;
        if self.terminal.on_alternate_screen() {
            let rows: Vec<StyledRow> = self.terminal.rows().collect();
            self.give_last_frame(&rows, page)?;
            // The main screen comes back, even inside an unfinished sequence.
            self.feed_piece(b"\x18\x1b[?47l", page)?;
        }
        let rows: Vec<StyledRow> = self.terminal.rows().collect();
        rows[..used(&rows)].iter().try_for_each(|row| self.give(row, page))
    }
}

/// The length of what comes before the next sequence that is looked at closely, and that of the sequence.
fn next_piece(bytes: &[u8]) -> (usize, usize) {
    let near = &bytes[..bytes.len().min(PIECE_BYTES)];
    let escapes = near.iter().enumerate().filter(|(_, byte)| **byte == 0x1b);
    let mut cuts = escapes.filter_map(|(at, _)| {
        let cut = CUTS.iter().find(|cut| bytes[at..].starts_with(cut))?;
        Some((at, cut.len()))
    });
    cuts.next().unwrap_or((near.len(), 0))
}

fn copy(terminal: &Terminal) -> Terminal {
    let mut copy = Terminal::new(terminal.size(), HISTORY);
    copy.feed(&terminal.snapshot(SnapshotForm::Full { history: 0 }));
    copy
}
