//! Scrolling, erasing, and text that moves.

use super::{MAIN, Shadow};
use crate::open::Open;

/// Columns of a line that are kept when its rows have left the screen. Most keys are far shorter, and a screen
/// of any use holds the rest.
const KEPT_ABOVE: usize = 4096;

impl Shadow {
    /// Scrolls the region up by one row; the new one goes on from the one above if `wrapped`.
    #[inline]
    pub(super) fn scroll(&mut self, wrapped: bool) {
        let screen = &self.screens[self.active];
        let (top, bottom) = (screen.top, screen.bottom);
        let goes_on = if bottom > top { screen.row(top + 1).wrapped } else { wrapped };
        // Nearly always, the row that leaves has to do with no other.
        let alone = top == 0 && !goes_on && self.above.is_empty() && screen.row(0).stands_alone();
        if alone && self.row(0).is_dirty() && self.stirs_anew(0) {
            self.look_at_line(0, true);
            self.leave(false);
        } else if !alone {
            self.look_before_scrolling(top, goes_on);
        }
        let (main, screen) = (self.active == MAIN, &mut self.screens[self.active]);
        if top == 0 {
            self.history += usize::from(main);
            // A saved cursor moves up with its line.
            screen.saved.row = screen.saved.row.saturating_sub(1);
        }
        screen.scroll_up_by_one(top, bottom).wrapped = wrapped;
    }

    /// Looks at what may be lost when the row at `top` goes, and keeps what may go on after it.
    fn look_before_scrolling(&mut self, top: usize, goes_on: bool) {
        self.look_at(top);
        if top == 0 {
            self.leave(goes_on);
        } else if goes_on && top < self.screens[self.active].bottom {
            self.look_at(top + 1);
        }
    }

    /// The first row is about to leave. It is kept while a secret may go on from it on the screen.
    #[inline]
    fn leave(&mut self, goes_on: bool) {
        let row = self.screens[self.active].row_mut(0);
        let open_before = self.above.open;
        if !row.text.is_empty() {
            self.above.open = row.open;
        }
        if !goes_on && !row.stirred && !row.joined {
            if !self.above.rows.is_empty() {
                let open = self.above.open;
                self.above.clear();
                self.above.open = open;
            }
            return;
        }
        let above = &mut self.above;
        if !row.wrapped && !row.joined {
            above.spare.extend(above.rows.drain(..));
        }
        if above.rows.is_empty() {
            above.open_before = open_before;
        }
        let spare = above.spare.pop().unwrap_or_default();
        above.rows.push_back(std::mem::replace(row, spare));
        while above.rows.len() > KEPT_ABOVE.div_ceil(self.cols) {
            if let Some(mut gone) = above.rows.pop_front() {
                gone.clear();
                above.spare.push(gone);
            }
        }
        above.spare.truncate(8);
    }

    /// Scrolls the region up by several rows (SU).
    pub(super) fn scroll_up(&mut self, n: usize) {
        let screen = self.screen();
        for _ in 0..n.min(screen.bottom + 1 - screen.top) {
            self.scroll(false);
        }
    }

    /// Scrolls rows up (DL) or down (IL, SD, RI), from `top` to the end of the region.
    pub(super) fn move_rows(&mut self, top: usize, n: usize, down: bool) {
        let bottom = self.screens[self.active].bottom;
        (top..=bottom).for_each(|row| self.look_at(row));
        let screen = self.screen();
        if down {
            screen.scroll_down(top, bottom, n);
        } else {
            screen.scroll_up(top, bottom, n);
        }
    }

    /// ED.
    pub(super) fn erase_in_display(&mut self, how: usize) {
        let (cursor, height) = (self.screens[self.active].cursor, self.height());
        match how {
            0 => {
                self.erase_in_line(0);
                self.erase_rows(cursor.row + 1, height);
            }
            1 => {
                self.erase_in_line(1);
                self.erase_rows(0, cursor.row);
            }
            2 => {
                self.erase_rows(0, height);
                if self.above.open != Open::Key {
                    self.above.clear();
                }
            }
            3 => self.history = 0,
            _ => {}
        }
    }

    fn erase_rows(&mut self, from: usize, to: usize) {
        for row in from..to {
            self.look_at(row);
        }
        (from..to).for_each(|row| self.row_mut(row).clear());
    }

    /// EL.
    pub(super) fn erase_in_line(&mut self, how: usize) {
        let (cursor, cols) = (self.screens[self.active].cursor, self.cols);
        match how {
            0 => self.erase(cursor.col, cols, cursor.col == 0),
            1 => self.erase(0, cursor.col + 1, false),
            2 => self.erase(0, cols, true),
            _ => {}
        }
    }

    /// Erases columns of the cursor's row.
    pub(super) fn erase(&mut self, from: usize, to: usize, unwrap: bool) {
        let row = self.screens[self.active].cursor.row;
        let len = self.row(row).text.len();
        if from < len {
            self.look_at(row);
            match from == 0 && to >= len {
                true => {
                    let wrapped = self.row(row).wrapped;
                    self.row_mut(row).clear();
                    self.row_mut(row).wrapped = wrapped;
                }
                false => self.row_mut(row).erase(from, to),
            }
        }
        if unwrap {
            self.row_mut(row).wrapped = false;
        }
    }

    /// ICH and DCH.
    pub(super) fn shift(&mut self, n: usize, insert: bool) {
        let (cursor, cols) = (self.screens[self.active].cursor, self.cols);
        let col = cursor.col.min(cols - 1);
        self.look_at(cursor.row);
        let row = self.row_mut(cursor.row);
        if insert { row.insert(col, n, cols) } else { row.delete(col, n) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::TermSize;

    use crate::{Masker, Rules};

    #[test]
    fn a_key_that_its_program_wrapped_is_masked_although_its_first_row_was_looked_at_and_has_left() {
        let rules = Arc::new(Rules::builtin());
        let (first, second) = ("my key ghp_aB3dE5gH7jK9mN1pQ3", "sT5vW7xY9zA2cD4eF6");
        for (height, looks) in [(1, false), (1, true), (2, false), (2, true)] {
            let mut masker = Masker::new(rules.clone(), TermSize::clamped(30, height));
            let above = "\r\n".repeat(usize::from(height) - 1);
            masker.feed(format!("{above}{first}").as_bytes());
            if looks {
                masker.look();
            }
            masker.feed(format!("\r\n{second}\r\n\r\n").as_bytes());
            masker.look();
            let masks = masker.take_masks();
            let secret = first.len() - 7 + second.len();
            assert_eq!(masks.len(), secret, "{height} rows, looked at: {looks}");
        }
    }
}
