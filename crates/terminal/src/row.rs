//! One row of a live screen.

use crate::cell::Cell;
use crate::signal::PromptMarks;
use crate::style::{Flags, StyleId};
use crate::tables::Tables;

/// The cells of one row.
///
/// Only the columns up to the last one written are stored; the rest is blank in the style `fill`. So clearing a
/// row, or clearing it from some column on, costs nothing however wide the screen is.
#[derive(Clone, Default)]
pub(crate) struct Row {
    cells: Vec<Cell>,
    /// How the columns beyond `cells` look.
    pub(crate) fill: StyleId,
    /// This row goes on with the line of the row above.
    pub(crate) wrapped: bool,
    /// A wide character may be among the cells, so that halves must be looked after.
    wide: bool,
    /// What the shell said begins or ends on this row.
    pub(crate) marks: PromptMarks,
    /// When it changed last: the stamp that was set then. A row that was cleared has none.
    pub(crate) stamp: u32,
}

impl Row {
    pub(crate) fn blank(fill: StyleId) -> Row {
        Row { fill, ..Row::default() }
    }

    pub(crate) fn from_cells(cells: Vec<Cell>, fill: StyleId, wrapped: bool, marks: PromptMarks) -> Row {
        let wide = cells.iter().any(|cell| cell.width() != 1);
        Row { cells, fill, wrapped, wide, marks, stamp: 0 }
    }

    pub(crate) fn stamped(self, stamp: u32) -> Row {
        Row { stamp, ..self }
    }

    /// The columns that were written; what follows is blank in the style `fill`.
    pub(crate) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    pub(crate) fn cells_mut(&mut self) -> &mut [Cell] {
        &mut self.cells
    }

    /// True when halves of wide characters may have to be looked after.
    #[inline]
    pub(crate) fn may_have_halves(&self) -> bool {
        self.wide
    }

    #[inline]
    pub(crate) fn cell(&self, col: usize) -> Cell {
        match self.cells.get(col) {
            Some(&cell) => cell,
            None => Cell::blank(self.fill),
        }
    }

    /// Forgets everything, keeping the memory for the next line.
    #[inline]
    pub(crate) fn clear(&mut self, fill: StyleId) {
        self.cells.clear();
        self.fill = fill;
        self.wrapped = false;
        self.wide = false;
        self.marks = PromptMarks::default();
        self.stamp = 0;
    }

    /// Stores cells up to `len`, so that they can be written one by one.
    fn grow(&mut self, len: usize) {
        if self.cells.len() < len {
            self.cells.resize(len, Cell::blank(self.fill));
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, col: usize, cell: Cell) {
        if col == self.cells.len() {
            self.cells.push(cell);
        } else {
            self.grow(col + 1);
            self.cells[col] = cell;
        }
        self.wide |= cell.width() != 1;
    }

    /// Writes printable ASCII from `col` on; it must fit into the row.
    #[inline]
    pub(crate) fn write_ascii(&mut self, col: usize, text: &[u8], style: StyleId) {
        if col != self.cells.len() {
            return self.overwrite_ascii(col, text, style);
        }
        let mut blocks = text.chunks_exact(8);
        for block in &mut blocks {
            let block: [u8; 8] = block.try_into().unwrap_or_default();
            self.cells.extend_from_slice(&block.map(|byte| Cell::ascii(byte, style)));
        }
        self.cells.extend(blocks.remainder().iter().map(|&byte| Cell::ascii(byte, style)));
    }

    fn overwrite_ascii(&mut self, col: usize, text: &[u8], style: StyleId) {
        let end = col + text.len();
        if end > self.cells.len() {
            self.cells.resize(end, Cell::blank(self.fill));
        }
        for (cell, &byte) in self.cells[col..end].iter_mut().zip(text) {
            *cell = Cell::ascii(byte, style);
        }
    }

    /// Before a write at `col`: a wide character whose second half is there loses its first half.
    #[inline]
    pub(crate) fn split_before(&mut self, col: usize, style: StyleId) {
        if self.wide && col > 0 && self.cell(col - 1).width() == 2 {
            self.set(col - 1, Cell::blank(style));
        }
    }

    /// After a write that ended before `col`: a second half left there becomes blank.
    #[inline]
    pub(crate) fn split_after(&mut self, col: usize, style: StyleId) {
        if self.wide && col < self.cells.len() && self.cells[col].is_continuation() {
            self.cells[col] = Cell::blank(style);
        }
    }

    /// Blanks everything from `col` on.
    pub(crate) fn erase_from(&mut self, col: usize, fill: StyleId) {
        self.split_before(col, fill);
        if self.fill != fill {
            self.grow(col);
        }
        self.cells.truncate(col);
        self.fill = fill;
    }

    /// Blanks the columns `from..to` of a row that has `cols`.
    pub(crate) fn erase(&mut self, from: usize, to: usize, cols: usize, fill: StyleId) {
        if to >= cols {
            return self.erase_from(from, fill);
        }
        self.split_before(from, fill);
        if self.wide && to > 0 && self.cell(to - 1).width() == 2 {
            self.set(to, Cell::blank(fill));
        }
        if from >= self.cells.len() && fill == self.fill {
            return;
        }
        self.grow(to);
        self.cells[from..to].fill(Cell::blank(fill));
    }

    /// Blanks what is not protected (DECSEL, DECSED).
    pub(crate) fn erase_unprotected(
        &mut self,
        from: usize,
        to: usize,
        cols: usize,
        fill: StyleId,
        tables: &Tables,
    ) {
        let protected = |cell: Cell| tables.styles.get(cell.style()).flags.contains(Flags::PROTECTED);
        let to = to.min(cols);
        if from > 0 && self.cell(from - 1).width() == 2 && !protected(self.cell(from - 1)) {
            self.set(from - 1, Cell::blank(fill));
        }
        if to < cols && to > 0 && self.cell(to - 1).width() == 2 && !protected(self.cell(to)) {
            self.set(to, Cell::blank(fill));
        }
        self.grow(to);
        for cell in &mut self.cells[from.min(to)..to] {
            if !protected(*cell) {
                *cell = Cell::blank(fill);
            }
        }
    }

    /// Moves what is at `col` and after to the right by `n` columns; what leaves the row is lost.
    pub(crate) fn insert(&mut self, col: usize, n: usize, cols: usize, fill: StyleId) {
        self.split_before(col, fill);
        let n = n.min(cols - col);
        if col < self.cells.len() {
            self.cells.splice(col..col, std::iter::repeat_n(Cell::blank(fill), n));
        } else {
            self.grow(col);
            self.cells.extend(std::iter::repeat_n(Cell::blank(fill), n));
        }
        self.cells.truncate(cols);
        if self.wide && self.cell(cols - 1).width() == 2 {
            self.set(cols - 1, Cell::blank(fill));
        }
    }

    /// Takes `n` columns out at `col`; blanks enter from the right.
    pub(crate) fn delete(&mut self, col: usize, n: usize, cols: usize, fill: StyleId) {
        let n = n.min(cols - col);
        if self.fill != fill {
            self.grow(cols);
        }
        let end = (col + n).min(self.cells.len());
        if col < end {
            self.cells.drain(col..end);
        }
        self.fill = fill;
        if self.wide {
            if col > 0 && self.cell(col - 1).width() == 2 {
                self.set(col - 1, Cell::blank(fill));
            }
            if self.cell(col).is_continuation() {
                self.set(col, Cell::blank(fill));
            }
        }
    }

    /// Fills the whole row with one cell (DECALN).
    pub(crate) fn fill_with(&mut self, cell: Cell, cols: usize) {
        self.clear(StyleId::DEFAULT);
        self.cells.resize(cols, cell);
    }

    /// True when a wide character lacks a half, or a second half its first.
    pub(crate) fn has_lone_half(&self) -> bool {
        let whole = |pair: &[Cell]| (pair[0].width() == 2) == pair[1].is_continuation();
        let starts_alone = self.cells.first().is_some_and(|cell| cell.is_continuation());
        let ends_alone = self.cells.last().is_some_and(|cell| cell.width() == 2);
        starts_alone || ends_alone || !self.cells.windows(2).all(whole)
    }

    /// Number of columns up to the last one that was printed on, a wide character's second half included.
    pub(crate) fn content_len(&self) -> usize {
        match self.cells.iter().rposition(|cell| cell.has_content()) {
            Some(col) => col + usize::from(self.cells[col].width().max(1)),
            None => 0,
        }
    }

    /// Cuts the row to `cols` columns.
    pub(crate) fn truncate(&mut self, cols: usize) {
        self.cells.truncate(cols);
        if self.wide && self.cells.len() == cols && self.cell(cols - 1).width() == 2 {
            let style = self.cells[cols - 1].style();
            self.cells[cols - 1] = Cell::blank(style);
        }
    }

    /// Makes explicit what lies beyond the stored cells, before the row becomes wider than `cols`: new columns
    /// are blank in the default style.
    pub(crate) fn widen_from(&mut self, cols: usize) {
        if self.fill != StyleId::DEFAULT {
            self.grow(cols);
            self.fill = StyleId::DEFAULT;
        }
    }
}
