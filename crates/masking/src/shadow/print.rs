//! Putting characters on the shadow.

use terminal::width;

use super::{Printed, Shadow};
use crate::columns::{BORDER, column_byte};
use crate::place::Place;

/// One sequence prints at most so many characters, as in `terminal`.
const MAX_REPEAT: usize = 1 << 14;
const MAX_REPEAT_OTHER: usize = 1 << 12;

/// Characters of a box that are written at once.
const MAX_SAME: usize = 128;

impl Shadow {
    /// Prints ASCII, of which the first character came at `at`.
    pub(crate) fn print_ascii(&mut self, text: &[u8], at: u64) {
        match self.prints_plainly() {
            true => self.print_run(text, at, 1),
            false => self.print_slowly(text, at),
        }
    }

    /// Whether ASCII shows as itself and moves nothing.
    #[inline]
    pub(super) fn prints_plainly(&self) -> bool {
        !self.modes.insert && !self.modes.line_drawing[self.modes.charset]
    }

    /// Prints characters of one column and `len` bytes each, wherever rows have to be looked at or are full.
    fn print_run(&mut self, mut text: &[u8], mut at: u64, len: usize) {
        loop {
            let col = self.make_way(1);
            let (now, later) = text.split_at(text.len().min(self.cols - col));
            let row = self.begin_sweep(col);
            let screen = self.screen();
            screen.row_mut(row).write_run(col, now, at, len);
            screen.cursor.col = col + now.len();
            self.swept_to = (row, col + now.len());
            if later.is_empty() {
                break;
            }
            at += (now.len() * len) as u64;
            text = later;
        }
        self.last = Some(Printed { byte: text[text.len() - 1], cols: 1 });
    }

    /// Prints a character several times, as boxes are drawn.
    pub(crate) fn print_same(&mut self, c: char, at: u64, len: usize, times: usize) {
        if width(c) != 1 || self.modes.insert {
            for time in 0..times {
                self.print_char(c, at + (time * len) as u64, len);
            }
            return;
        }
        let run = [column_byte(c); MAX_SAME];
        for first in (0..times).step_by(MAX_SAME) {
            let (run, at) = (&run[..MAX_SAME.min(times - first)], at + (first * len) as u64);
            if !self.pen().is_some_and(|mut pen| pen.print(run, at, len)) {
                self.print_run(run, at, len);
            }
        }
    }

    /// Looks at the cursor's row, if writing from `col` on may lose something of it; says which row that is.
    ///
    /// Once for characters that follow each other, with any sequences between: otherwise every colour would cost a
    /// look, and how a stream is split would matter.
    #[inline]
    fn begin_sweep(&mut self, col: usize) -> usize {
        let row = self.screens[self.active].cursor.row;
        if self.row(row).would_lose(col) && self.swept_to != (row, col) {
            self.look_at(row);
        }
        row
    }

    #[cold]
    fn print_slowly(&mut self, text: &[u8], at: u64) {
        for (at, &byte) in (at..).zip(text) {
            let draws = self.modes.line_drawing[self.modes.charset] && (0x5f..0x7f).contains(&byte);
            self.put(if draws { BORDER } else { byte }, 1, Place::new(at, 1));
        }
    }

    /// Prints any other character.
    pub(crate) fn print_char(&mut self, c: char, at: u64, len: usize) {
        let place = Place::new(at, len);
        match usize::from(width(c)) {
            0 => self.join(c, place),
            cols => self.put(column_byte(c), cols, place),
        }
    }

    fn put(&mut self, byte: u8, cols: usize, place: Place) {
        let before = self.screens[self.active].cursor.col;
        if !self.modes.autowrap && cols == 2 && before + 2 > self.cols {
            self.screen().cursor.col = self.cols - 1;
            return;
        }
        let col = self.make_way(cols);
        let place = if cols == 2 { place.wide() } else { place };
        let row = self.begin_sweep(col);
        if self.modes.insert {
            let width = self.cols;
            self.look_at(row);
            self.row_mut(row).insert(col, cols, width);
        }
        let screen = self.screen();
        screen.row_mut(row).write(col, byte, cols, place);
        screen.cursor.col = col + cols;
        self.swept_to = (row, col + cols);
        self.last = Some(Printed { byte, cols: cols as u8 });
    }

    /// A mark joins the character before it; one that has none takes a column of its own.
    fn join(&mut self, mark: char, place: Place) {
        let cursor = self.screens[self.active].cursor;
        match self.last {
            Some(last) => {
                let col = cursor.col.saturating_sub(usize::from(last.cols));
                self.row_mut(cursor.row).add_mark(col, place);
            }
            None => self.put(column_byte(mark), 1, Place::NOWHERE),
        }
    }

    /// Prints the last character again (REP). Where it is masked, a terminal repeats the mask.
    pub(crate) fn repeat(&mut self, times: usize) {
        let Some(last) = self.last else { return };
        if last.cols > 1 || last.byte >= BORDER || self.modes.insert || !self.modes.autowrap {
            for _ in 0..times.min(MAX_REPEAT_OTHER) {
                self.put(last.byte, usize::from(last.cols), Place::NOWHERE);
            }
            return;
        }
        let mut left = times.min(MAX_REPEAT);
        while left > 0 {
            let col = self.make_way(1);
            let now = left.min(self.cols - col);
            let row = self.begin_sweep(col);
            let screen = self.screen();
            screen.row_mut(row).fill(col, last.byte, now);
            screen.cursor.col = col + now;
            self.swept_to = (row, col + now);
            left -= now;
        }
    }

    /// Wraps if the next character has no room in this row; says in which column it goes.
    #[inline]
    fn make_way(&mut self, cols: usize) -> usize {
        let col = self.screens[self.active].cursor.col;
        if col + cols <= self.cols {
            return col;
        }
        if !self.modes.autowrap {
            return self.cols - 1;
        }
        self.wrap();
        0
    }

    /// Goes to the start of the next row, which continues this one.
    fn wrap(&mut self) {
        let screen = self.screen();
        screen.cursor.col = 0;
        if screen.cursor.row == screen.bottom {
            self.scroll(true);
        } else {
            let next = (screen.cursor.row + 1).min(screen.height() - 1);
            screen.cursor.row = next;
            screen.row_mut(next).wrapped = true;
        }
    }
}
