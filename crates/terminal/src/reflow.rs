//! Changing the size.

use model::TermSize;

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
        screen.saved.line = saved_line.saturating_add_unsigned(self.history.len()).max(0) as usize;
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

    fn reflow(&mut self, old_cols: usize, cols: usize) {
        let rows = self.screens[MAIN].height();
        self.rejoin_line_above();
        self.reflow_history(old_cols, cols);

        let cursor = self.screens[MAIN].cursor;
        let mut old = std::mem::take(&mut self.screens[MAIN].rows).into_iter().enumerate().peekable();
        let mut new: Vec<Row> = Vec::with_capacity(rows);
        let mut new_cursor = cursor;
        while let Some((first, row)) = old.next() {
            let mut line = vec![row];
            while let Some((_, row)) = old.next_if(|(_, row)| row.wrapped) {
                line.push(row);
            }
            if (first..first + line.len()).contains(&cursor.row) {
                // The program is still at this line and will draw it anew: moving it would only leave it twice.
                new_cursor.row = new.len() + cursor.row - first;
                line.iter_mut().for_each(|row| fit(row, old_cols, cols));
                new.append(&mut line);
            } else {
                wrap(line, old_cols, cols, &mut new);
            }
        }
        self.settle(new, new_cursor, rows);
    }

    /// Brings back from the history the beginning of a line that goes on at the top of the screen; the cursor moves
    /// down with it.
    fn rejoin_line_above(&mut self) {
        let screen = &mut self.screens[MAIN];
        while screen.rows.front().is_some_and(|row| row.wrapped) {
            let Some(line) = self.history.pop(&mut self.tables) else { break };
            screen.rows.push_front(line);
            screen.cursor.row += 1;
        }
    }

    /// Blocks in which nothing changes are kept as they are.
    fn reflow_history(&mut self, old_cols: usize, cols: usize) {
        let mut blocks = self.history.take_blocks();
        let mut line: Vec<Row> = Vec::new();
        let mut new = Vec::new();
        while let Some(block) = blocks.next() {
            if line.is_empty() && block.fits(cols) && !blocks.next_continues() {
                self.history.push_block(block);
                continue;
            }
            for stored in block.lines() {
                if !stored.wrapped {
                    self.push_wrapped(&mut line, old_cols, cols, &mut new);
                }
                line.push(stored.to_row(&mut self.tables));
            }
            if !blocks.next_continues() {
                self.push_wrapped(&mut line, old_cols, cols, &mut new);
            }
            if line.is_empty() && self.tables.want_sweep() {
                self.sweep();
            }
        }
    }

    fn push_wrapped(&mut self, line: &mut Vec<Row>, old_cols: usize, cols: usize, new: &mut Vec<Row>) {
        wrap(std::mem::take(line), old_cols, cols, new);
        new.drain(..).for_each(|row| self.history.push(&row, &self.tables));
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
        let screen = &mut self.screens[MAIN];
        screen.rows = new.into();
        while screen.height() < height {
            match self.history.pop(&mut self.tables) {
                Some(line) => {
                    screen.rows.push_front(line);
                    cursor.row += 1;
                }
                None => screen.rows.push_back(Row::default()),
            }
        }
        screen.cursor = cursor;
    }
}

fn is_empty(row: &Row) -> bool {
    row.content_len() == 0 && row.fill == StyleId::DEFAULT && !row.wrapped
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

fn fit(row: &mut Row, old_cols: usize, cols: usize) {
    if cols > old_cols {
        row.widen_from(old_cols);
    } else {
        row.truncate(cols);
    }
}

/// Wraps a logical line, given as the rows that continue each other, at a new width.
fn wrap(line: Vec<Row>, old_cols: usize, cols: usize, new: &mut Vec<Row>) {
    let [first, rest @ ..] = line.as_slice() else { return };
    if rest.is_empty() && first.content_len() <= cols {
        new.extend(line.into_iter().map(|mut row| {
            fit(&mut row, old_cols, cols);
            row
        }));
        return;
    }
    let cells = join(&line, old_cols);
    // New columns have no colour, even where the end of the line had one.
    let last_fill = if cols <= old_cols { line[line.len() - 1].fill } else { StyleId::DEFAULT };
    let mut wrapped = first.wrapped;
    let mut mark = first.mark;
    let mut rest = cells.as_slice();
    loop {
        let mut len = rest.len().min(cols);
        let splits_wide = len < rest.len() && rest[len - 1].width() == 2;
        if splits_wide {
            len -= 1;
        }
        let (now, later) = rest.split_at(len);
        let mut piece = now.to_vec();
        if splits_wide {
            piece.push(Cell::blank(later[0].style()));
        }
        let fill = if later.is_empty() { last_fill } else { StyleId::DEFAULT };
        new.push(Row::from_cells(piece, fill, wrapped, mark.take()));
        if later.is_empty() {
            return;
        }
        rest = later;
        wrapped = true;
    }
}

/// The cells of a logical line, as far as it was printed on.
fn join(line: &[Row], cols: usize) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (row, next) in line.iter().zip(line.iter().skip(1).map(Some).chain([None])) {
        let Some(next) = next else {
            cells.extend((0..row.content_len()).map(|col| row.cell(col)));
            break;
        };
        // A row that goes on fills the screen's width, but for a wide character that did not fit.
        let last = row.cell(cols - 1);
        let gap = !last.has_content() && last.width() == 1 && next.cell(0).width() == 2;
        cells.extend((0..cols - usize::from(gap)).map(|col| row.cell(col)));
    }
    cells
}
