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
        self.rejoin_line_above();
        self.reflow_history(old_cols, cols);

        let rows = self.screens[MAIN].rows.len();
        let cursor = self.screens[MAIN].cursor;
        let mut old = std::mem::take(&mut self.screens[MAIN].rows).into_iter().enumerate().peekable();
        let mut new: Vec<Row> = Vec::with_capacity(rows);
        let mut new_cursor = Position { col: cursor.col, row: 0 };
        while let Some((first, row)) = old.next() {
            let mut line = Line::new(row, first, cursor);
            while let Some((index, row)) = old.next_if(|(_, row)| row.wrapped) {
                line.extend(row, index, cursor, old_cols);
            }
            let start = new.len();
            if let Some(at) = line.wrap(old_cols, cols, &mut new) {
                new_cursor = Position { col: at.col, row: start + at.row };
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
        let mut unfinished: Option<Line> = None;
        let mut rows = Vec::new();
        while let Some(block) = blocks.next() {
            if unfinished.is_none() && block.fits(cols) && !blocks.next_continues() {
                self.history.push_block(block);
                continue;
            }
            for stored in block.lines() {
                let row = stored.to_row(&mut self.tables);
                match &mut unfinished {
                    Some(line) if row.wrapped => line.extend(row, NOWHERE.row, Position::default(), old_cols),
                    _ => {
                        let line = unfinished.replace(Line::new(row, NOWHERE.row, Position::default()));
                        self.push_line(line, old_cols, cols, &mut rows);
                    }
                }
            }
            if !blocks.next_continues() {
                let line = unfinished.take();
                self.push_line(line, old_cols, cols, &mut rows);
            }
            if self.tables.want_sweep() {
                self.sweep();
            }
        }
        self.push_line(unfinished, old_cols, cols, &mut rows);
    }

    fn push_line(&mut self, line: Option<Line>, old_cols: usize, cols: usize, rows: &mut Vec<Row>) {
        if let Some(line) = line {
            line.wrap(old_cols, cols, rows);
            rows.drain(..).for_each(|row| self.history.push(&row, &self.tables));
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

/// No row of the screen.
const NOWHERE: Position = Position { col: 0, row: usize::MAX };

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

/// A logical line: rows that continue each other.
struct Line {
    first: Row,
    /// The cells of all rows, once there is more than one.
    joined: Option<Vec<Cell>>,
    /// Where the last row begins among them.
    last_start: usize,
    last_fill: StyleId,
    /// How many cells into the line the cursor is.
    cursor: Option<usize>,
}

impl Line {
    fn new(row: Row, index: usize, cursor: Position) -> Line {
        let cursor = (cursor.row == index).then_some(cursor.col);
        Line { last_fill: row.fill, first: row, joined: None, last_start: 0, cursor }
    }

    fn extend(&mut self, row: Row, index: usize, cursor: Position, cols: usize) {
        let mut cells = self.joined.take().unwrap_or_else(|| self.first.cells().to_vec());
        // The rows before filled the screen's width, but for a wide character that did not fit.
        cells.resize(self.last_start + cols, Cell::blank(self.last_fill));
        let gap = cells.last().is_some_and(|last| !last.has_content() && last.width() == 1);
        if gap && row.cell(0).width() == 2 {
            cells.pop();
        }
        if cursor.row == index {
            self.cursor = Some(cells.len() + cursor.col);
        }
        self.last_start = cells.len();
        cells.extend_from_slice(row.cells());
        self.last_fill = row.fill;
        self.joined = Some(cells);
    }

    /// Appends the line's rows at the new width; says where the cursor is among them.
    fn wrap(self, old_cols: usize, cols: usize, rows: &mut Vec<Row>) -> Option<Position> {
        let Line { first: mut row, joined, last_fill, cursor, .. } = self;
        let cells = match joined {
            None if row.content_len() <= cols => {
                fit(&mut row, old_cols, cols);
                rows.push(row);
                return cursor.map(|col| Position { col, row: 0 });
            }
            None => row.cells()[..row.content_len().min(row.cells().len())].to_vec(),
            Some(mut cells) => {
                let used = cells.iter().rposition(|cell| cell.has_content() || cell.is_continuation());
                cells.truncate(used.map_or(0, |last| last + 1));
                cells
            }
        };
        let mut position = None;
        let mut rest = cells.as_slice();
        let mut taken = 0;
        let start = rows.len();
        let mut wrapped = row.wrapped;
        let mut mark = row.mark;
        loop {
            let mut len = rest.len().min(cols);
            let splits_wide = len == cols && len < rest.len() && rest[len - 1].width() == 2;
            if splits_wide {
                len -= 1;
            }
            let last = len == rest.len();
            let mut piece = rest[..len].to_vec();
            if splits_wide {
                piece.push(Cell::blank(rest[len].style));
            }
            if let Some(at) = cursor
                && position.is_none()
                && (at < taken + len || last)
            {
                position =
                    Some(Position { col: (at - taken.min(at)).min(cols - 1), row: rows.len() - start });
            }
            let fill = if last && last_fill_reaches(old_cols, cols) { last_fill } else { StyleId::DEFAULT };
            rows.push(Row::from_cells(piece, fill, wrapped, mark.take()));
            taken += len;
            rest = &rest[len..];
            wrapped = true;
            if last {
                return position;
            }
        }
    }
}

/// A coloured end of a row keeps its colour when the screen gets narrower; new columns have none.
fn last_fill_reaches(old_cols: usize, cols: usize) -> bool {
    cols <= old_cols
}
