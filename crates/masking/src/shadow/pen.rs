//! Printing several times in one row.

use super::row::Row;
use super::screen::Cursor;
use super::{Printed, Shadow};

/// Prints from left to right in the cursor's row, as long as that has room. What is between two colours is short, and
/// finding the row would cost more than writing to it.
pub(crate) struct Pen<'s> {
    cursor: &'s mut Cursor,
    row: &'s mut Row,
    cols: usize,
    swept_to: &'s mut (usize, usize),
    last: &'s mut Option<Printed>,
}

impl Shadow {
    /// A pen at the cursor; none where characters are inserted or drawn as lines, or the row has to be looked at first.
    #[inline(always)]
    pub(crate) fn pen(&mut self) -> Option<Pen<'_>> {
        if !self.prints_plainly() {
            return None;
        }
        let (cursor, row) = self.screens[self.active].cursor_and_row();
        if row.would_lose(cursor.col) && self.swept_to != (cursor.row, cursor.col) {
            return None;
        }
        Some(Pen { cursor, row, cols: self.cols, swept_to: &mut self.swept_to, last: &mut self.last })
    }
}

impl Pen<'_> {
    /// Prints characters of one column and `len` bytes each, all or none; says whether it did.
    #[inline(always)]
    pub(crate) fn print(&mut self, text: &[u8], at: u64, len: usize) -> bool {
        let Cursor { row, col } = *self.cursor;
        let end = col + text.len();
        if end > self.cols {
            return false;
        }
        self.row.write_run(col, text, at, len);
        self.cursor.col = end;
        *self.swept_to = (row, end);
        *self.last = text.last().map(|&byte| Printed { byte, cols: 1 });
        true
    }

    /// A sequence that changes no cell came by.
    #[inline(always)]
    pub(crate) fn styled(&mut self) {
        *self.last = None;
    }
}
