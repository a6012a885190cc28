//! Lines of the main screen.

use std::collections::{HashSet, VecDeque};

use model::TermSize;
use recording::LineKind;
use terminal::{Terminal, TextRow};

use super::out::Out;
use super::text::{self, Growing};

/// Rows of history that stay with the terminal, for a larger screen to bring back.
const KEPT_ROWS: usize = 1_000;

/// A longer line is given out in parts, or an endless one would take endless memory.
const LONGEST_LINE_BYTES: usize = 64 << 10;

/// A screen that is cleared again before this time has passed is being redrawn.
const REDRAWN_US: u64 = 5_000_000;

/// What has been taken of the main screen and its history.
#[derive(Default)]
pub(crate) struct MainScreen {
    /// Rows of the history that have been taken, counted from the oldest.
    taken: usize,
    /// A line whose first rows have scrolled off, while it goes on on the screen.
    open: Option<Growing>,
    /// Whether that line has parts that were given out before.
    open_has_parts: bool,
    /// Rows that had been taken before a larger screen brought them back; the first of them is its first row. They
    /// are not taken again, unless they change.
    returned: VecDeque<String>,
    /// The rows of the screen when it was last cleared.
    cleared: HashSet<String>,
    /// When that was.
    cleared_us: u64,
}

impl MainScreen {
    /// Begins with a terminal whose history has been given out.
    pub(crate) fn begin(&mut self, terminal: &Terminal) {
        *self = MainScreen { taken: terminal.history_len(), ..MainScreen::default() };
    }

    /// A program may have cleared its history, of which everything was taken.
    pub(crate) fn history_changed(&mut self, terminal: &Terminal) {
        self.taken = self.taken.min(terminal.history_len());
    }

    /// Takes the rows that have scrolled off.
    pub(crate) fn take_scrolled(&mut self, terminal: &mut Terminal, out: &mut Out) {
        self.history_changed(terminal);
        let scrolled = terminal.history_len();
        if scrolled == self.taken {
            return;
        }
        let cols = terminal.size().cols();
        for row in terminal.history_text_rows(scrolled - self.taken) {
            self.take_row(row, cols, out);
        }
        self.taken = scrolled;
        let goes_on =
            terminal.on_alternate_screen() || terminal.text_rows().next().is_some_and(|row| row.wrapped);
        if !goes_on {
            self.settle_open(out);
        }
        if scrolled > 2 * KEPT_ROWS {
            terminal.forget_history(KEPT_ROWS);
            self.taken = terminal.history_len();
        }
    }

    fn take_row(&mut self, row: TextRow, cols: u16, out: &mut Out) {
        if let Some(returned) = self.returned.pop_front() {
            if returned == row.text {
                return;
            }
            self.returned.clear();
        }
        if !row.wrapped {
            self.settle_open(out);
        }
        match &mut self.open {
            Some(open) => open.add(row, cols),
            None => self.open = Some(Growing::of(row)),
        }
        if self.open.as_ref().is_some_and(|open| open.text.len() > LONGEST_LINE_BYTES) {
            self.settle_open(out);
            self.open_has_parts = true;
        }
    }

    /// Gives out what has been taken of a line, as if it ended there.
    pub(crate) fn settle_open(&mut self, out: &mut Out) {
        self.open_has_parts = false;
        if let Some(open) = self.open.take() {
            out.give(LineKind::Printed, open.text, open.stamp);
        }
    }

    /// Gives out the rows that were cleared off the screen. A program that clears the screen to draw it anew, again
    /// and again, leaves of each screen only what the one before had not.
    pub(crate) fn settle_cleared(&mut self, rows: Vec<TextRow>, cols: u16, out: &mut Out) {
        let texts = rows.iter().filter(|row| !text::is_blank(row)).map(|row| row.text.clone()).collect();
        let before = std::mem::replace(&mut self.cleared, texts);
        let is_redrawn = out.time_us < self.cleared_us.saturating_add(REDRAWN_US);
        self.cleared_us = out.time_us;
        let is_new = |row: &TextRow| !is_redrawn || !before.contains(&row.text);
        self.settle_screen(rows.into_iter().filter(is_new).collect(), cols, out);
    }

    /// Gives out what stood on the screen: these rows.
    pub(crate) fn settle_screen(&mut self, mut rows: Vec<TextRow>, cols: u16, out: &mut Out) {
        rows.truncate(rows.iter().rposition(|row| !text::is_blank(row)).map_or(0, |last| last + 1));
        rows.into_iter().for_each(|row| self.take_row(row, cols, out));
        self.settle_open(out);
        self.returned.clear();
    }

    /// Changes the terminal's size. Lines are wrapped anew, and a larger screen brings rows back from the history.
    pub(crate) fn resize(&mut self, terminal: &mut Terminal, size: TermSize, out: &mut Out) {
        if size == terminal.size() {
            return;
        }
        let taken = self.lines_taken(terminal);
        if taken.is_none() {
            // There is no telling which part of a line was taken once it is wrapped anew: nothing may come back.
            self.settle_open(out);
            terminal.forget_history(0);
        }
        self.open = None;
        self.returned.clear();
        terminal.resize(size);

        let row = first_row_of_line(all_rows(terminal), taken.unwrap_or(0));
        self.taken = row.min(terminal.history_len());
        let returned = terminal.text_rows().take(row - self.taken).map(|row| row.text);
        self.returned = returned.collect();
        self.take_scrolled(terminal, out);
    }

    /// How many lines of history and screen have been taken; nothing if a part of one was.
    fn lines_taken(&self, terminal: &Terminal) -> Option<usize> {
        if self.open_has_parts || terminal.on_alternate_screen() {
            return None;
        }
        let same =
            terminal.text_rows().zip(&self.returned).take_while(|(row, returned)| row.text == **returned);
        let rows_taken = terminal.history_len() + same.count();
        let goes_on = all_rows(terminal).nth(rows_taken).is_some_and(|row| row.wrapped);
        let lines = all_rows(terminal).take(rows_taken).enumerate().filter(begins).count();
        match (&self.open, goes_on) {
            // It is taken again from its beginning, if that is still there.
            (Some(_), _) => lines.checked_sub(1),
            (None, false) => Some(lines),
            (None, true) => None,
        }
    }
}

/// The rows of the history and of the screen that is shown.
fn all_rows(terminal: &Terminal) -> impl Iterator<Item = TextRow> + '_ {
    terminal.history_text_rows(usize::MAX).chain(terminal.text_rows())
}

/// Whether a row begins a line. The first of all always does.
fn begins((index, row): &(usize, TextRow)) -> bool {
    *index == 0 || !row.wrapped
}

/// The row with which a line begins.
fn first_row_of_line(rows: impl Iterator<Item = TextRow>, line: usize) -> usize {
    let mut count = 0;
    let mut beginnings = rows.enumerate().inspect(|_| count += 1).filter(begins).map(|(index, _)| index);
    let first = beginnings.nth(line);
    drop(beginnings);
    first.unwrap_or(count)
}
