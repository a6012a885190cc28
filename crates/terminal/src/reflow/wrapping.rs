//! Wrapping logical lines at another width, row by row: however long a line is, little of it is held at a time.

use crate::cell::Cell;
use crate::history::TakenBlock;
use crate::row::Row;
use crate::signal::PromptMarks;
use crate::style::StyleId;

/// Takes rows of the old width and gives rows of the new one.
pub(super) struct Wrapping {
    old_cols: usize,
    cols: usize,
    /// The row added last; how much of it counts depends on whether the next one continues it.
    held: Option<Row>,
    /// Cells of the line that have no row yet.
    cells: Vec<Cell>,
    /// What the next row given will have.
    wrapped: bool,
    marks: PromptMarks,
    /// The latest stamp of the line's rows.
    stamp: u32,
}

impl Wrapping {
    pub(super) fn new(old_cols: usize, cols: usize) -> Wrapping {
        Wrapping {
            old_cols,
            cols,
            held: None,
            cells: Vec::new(),
            wrapped: false,
            marks: PromptMarks::default(),
            stamp: 0,
        }
    }

    /// True between two lines.
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_none()
    }

    /// Whether all lines of a block stay as they are.
    pub(super) fn leaves(&self, block: &TakenBlock) -> bool {
        block.fits(self.old_cols, self.cols)
    }

    pub(super) fn fit(&self, row: &mut Row) {
        fit(row, self.old_cols, self.cols);
    }

    pub(super) fn add(&mut self, row: Row, mut give: impl FnMut(Row)) {
        if !row.wrapped || self.held.is_none() {
            self.finish(&mut give);
            self.wrapped = row.wrapped;
            self.marks = row.marks;
            self.stamp = 0;
        }
        self.stamp = self.stamp.max(row.stamp);
        if let Some(held) = self.held.replace(row) {
            // A row that goes on fills the old width, but for a wide character that did not fit.
            let last = held.cell(self.old_cols - 1);
            let next = self.held.as_ref().map_or(1, |next| next.cell(0).width());
            let gap = last.is_blank() && next == 2;
            self.cells.extend((0..self.old_cols - usize::from(gap)).map(|col| held.cell(col)));
            while self.cells.len() > self.cols {
                self.give_full_row(&mut give);
            }
        }
    }

    /// Ends the line.
    pub(super) fn finish(&mut self, mut give: impl FnMut(Row)) {
        let Some(mut last) = self.held.take() else { return };
        if self.cells.is_empty() && last.content_len() <= self.cols {
            fit(&mut last, self.old_cols, self.cols);
            return give(last);
        }
        self.cells.extend((0..last.content_len()).map(|col| last.cell(col)));
        while self.cells.len() > self.cols {
            self.give_full_row(&mut give);
        }
        // Where a line gets other rows than it had, its end has no colour, even if it had one before.
        let cells = std::mem::take(&mut self.cells);
        give(self.row_of(cells));
    }

    fn give_full_row(&mut self, give: &mut impl FnMut(Row)) {
        let splits_wide = self.cells[self.cols - 1].width() == 2;
        let len = if splits_wide { self.cols - 1 } else { self.cols };
        let mut row: Vec<Cell> = self.cells.drain(..len).collect();
        if splits_wide {
            row.push(Cell::blank(self.cells[0].style()));
        }
        give(self.row_of(row));
        self.wrapped = true;
    }

    fn row_of(&mut self, cells: Vec<Cell>) -> Row {
        let marks = std::mem::take(&mut self.marks);
        Row::from_cells(cells, StyleId::DEFAULT, self.wrapped, marks).stamped(self.stamp)
    }
}

/// Cuts or extends a row that is not wrapped anew.
pub(super) fn fit(row: &mut Row, old_cols: usize, cols: usize) {
    if cols > old_cols {
        row.widen_from(old_cols);
    } else {
        row.truncate(cols);
    }
}
