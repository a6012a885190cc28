//! Changing the size.

mod wrapping;

use std::collections::VecDeque;

use model::TermSize;
use wrapping::{Wrapping, fit};

use crate::cell::Cell;
use crate::row::Row;
use crate::screen::{Margins, Position, Screen};
use crate::state::{ALTERNATE, MAIN, State};
use crate::style::StyleId;

impl State {
    /// Lines of the main screen and its history are wrapped anew at the new width.
    pub(crate) fn resize(&mut self, size: TermSize) {
        if size == self.size {
            return;
        }
        let (cols, rows) = (usize::from(size.cols()), usize::from(size.rows()));
        self.size = size;
        self.resize_main(cols, rows);
        let alternate = &mut self.screens[ALTERNATE];
        if self.active == ALTERNATE {
            resize_plainly(alternate, cols, rows);
        } else {
            *alternate = Screen::hidden(size, alternate.saved);
        }
        alternate.saved.col = alternate.saved.col.min(cols - 1);
        alternate.saved.line = alternate.saved.line.min(rows - 1);
        self.joinable = 0;
        if self.modes.private(2048) == Some(true) {
            self.report_size_in_band();
        }
    }

    fn resize_main(&mut self, cols: usize, rows: usize) {
        let old_cols = self.screens[MAIN].cols();
        let saved_line = self.screens[MAIN].saved.line as isize - self.history.len() as isize;
        self.change_height(rows);
        if cols != old_cols {
            self.reflow(old_cols, cols);
        }
        let screen = &mut self.screens[MAIN];
        screen.set_cols(cols);
        screen.margins = Margins::whole(rows);
        screen.cursor.col = screen.cursor.col.min(cols - 1);
        screen.cursor.row = screen.cursor.row.min(rows - 1);
        screen.saved.col = screen.saved.col.min(cols - 1);
        let last = self.history.len() + rows - 1;
        screen.saved.line =
            saved_line.saturating_add_unsigned(self.history.len()).clamp(0, last as isize) as usize;
    }

    /// New rows come from the history when the cursor stands at the bottom, else they are blank; rows go from
    /// below the cursor first, then from the top into the history.
    fn change_height(&mut self, rows: usize) {
        let screen = &mut self.screens[MAIN];
        let row = screen.cursor.row.min(screen.height() - 1);
        let mut from_history = 0;
        while screen.height() < rows {
            let at_bottom = screen.height() <= row + from_history + 1;
            match if at_bottom { self.history.pop(&mut self.tables) } else { None } {
                Some(line) => {
                    screen.rows.push_front(line);
                    from_history += 1;
                }
                None => screen.rows.push_back(Row::default()),
            }
        }
        while screen.height() > rows {
            if screen.height() > row + 1 {
                screen.rows.pop_back();
            } else if let Some(top) = screen.rows.pop_front() {
                self.history.push(&top, &self.tables);
            }
        }
        screen.cursor.row = row.min(rows - 1) + from_history;
    }

    /// The line under the cursor is left as it is: its program is still at it and will draw it anew, and moving it
    /// would only leave it there twice.
    fn reflow(&mut self, old_cols: usize, cols: usize) {
        let mut cursor = self.screens[MAIN].cursor;
        let mut wrapping = Wrapping::new(old_cols, cols);

        // A line may begin in the history and end on the screen.
        let shared = self.screens[MAIN].rows.iter().take_while(|row| row.wrapped).count();
        let under_cursor = cursor.row < shared;
        let left = if under_cursor { self.history.rows_of_last_line() } else { 0 };
        self.reflow_history(&mut wrapping, left, shared > 0);
        let mut rows = std::mem::take(&mut self.screens[MAIN].rows);
        let height = rows.len();
        if !under_cursor {
            for row in rows.drain(..shared) {
                wrapping.add(row, |row| self.history.push(&row, &self.tables));
            }
            cursor.row -= shared;
        }
        wrapping.finish(|row| self.history.push(&row, &self.tables));

        let line_start = (0..=cursor.row).rev().find(|&row| !rows[row].wrapped).unwrap_or(0);
        let line_end = (cursor.row + 1..rows.len()).find(|&row| !rows[row].wrapped).unwrap_or(rows.len());
        let mut new: Vec<Row> = Vec::with_capacity(rows.len());
        let mut new_cursor = cursor;
        for (index, mut row) in rows.into_iter().enumerate() {
            if (line_start..line_end).contains(&index) {
                wrapping.finish(|row| new.push(row));
                if index == cursor.row {
                    new_cursor.row = new.len();
                }
                fit(&mut row, old_cols, cols);
                new.push(row);
            } else {
                wrapping.add(row, |row| new.push(row));
            }
        }
        wrapping.finish(|row| new.push(row));
        self.settle(new, new_cursor, height);
    }

    /// Wraps the history but for its last `left` rows. Blocks in which nothing changes are kept as they are; the last
    /// line stays open, since it may go on on the screen.
    fn reflow_history(&mut self, wrapping: &mut Wrapping, left: usize, continues: bool) {
        let wrapped = self.history.len() - left;
        let mut blocks = self.history.take_blocks(continues);
        let mut done = 0;
        while let Some(block) = blocks.next() {
            if wrapping.is_empty()
                && done + block.len() <= wrapped
                && wrapping.leaves(&block)
                && !blocks.next_continues()
            {
                done += block.len();
                self.history.push_block(block);
                continue;
            }
            for stored in block.lines() {
                let mut row = stored.to_row(&mut self.tables);
                if done < wrapped {
                    wrapping.add(row, |row| self.history.push(&row, &self.tables));
                } else {
                    wrapping.finish(|row| self.history.push(&row, &self.tables));
                    wrapping.fit(&mut row);
                    self.history.push(&row, &self.tables);
                }
                done += 1;
            }
            // Rows that are held refer to the tables; between two lines there are none.
            if blocks.next_begins() {
                wrapping.finish(|row| self.history.push(&row, &self.tables));
                if self.tables.want_sweep() {
                    self.sweep();
                }
            }
        }
    }

    /// Puts the new rows on the screen: what is too much goes into the history, what is missing comes from it.
    fn settle(&mut self, mut new: Vec<Row>, mut cursor: Position, height: usize) {
        if self.history.len() == 0 {
            while new.len() > height.max(cursor.row + 1) && new.last().is_some_and(is_empty) {
                new.pop();
            }
        }
        let above = new.len().saturating_sub(height).min(cursor.row);
        for row in new.drain(..above) {
            self.history.push(&row, &self.tables);
        }
        cursor.row -= above;
        new.truncate(height);
        let mut rows = VecDeque::with_capacity(height);
        rows.extend(new);
        while rows.len() < height {
            match self.history.pop(&mut self.tables) {
                Some(line) => {
                    rows.push_front(line);
                    cursor.row += 1;
                }
                None => rows.push_back(Row::default()),
            }
        }
        let screen = &mut self.screens[MAIN];
        screen.rows = rows;
        screen.cursor = cursor;
    }
}

fn is_empty(row: &Row) -> bool {
    let blank = Cell::blank(StyleId::DEFAULT);
    row.cells().iter().all(|&cell| cell == blank) && row.fill == StyleId::DEFAULT && !row.wrapped
}

/// Cuts or extends a screen whose program redraws it.
fn resize_plainly(screen: &mut Screen, cols: usize, rows: usize) {
    let old_cols = screen.cols();
    let row = screen.cursor.row;
    while screen.height() < rows {
        screen.rows.push_back(Row::default());
    }
    while screen.height() > rows {
        if screen.height() > row + 1 {
            screen.rows.pop_back();
        } else {
            screen.rows.pop_front();
        }
    }
    for row in &mut screen.rows {
        fit(row, old_cols, cols);
    }
    screen.set_cols(cols);
    screen.margins = Margins::whole(rows);
    screen.cursor.col = screen.cursor.col.min(cols - 1);
    screen.cursor.row = row.min(rows - 1);
}
