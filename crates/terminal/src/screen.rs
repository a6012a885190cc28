//! One of the two screens: its rows, its cursor and what belongs to them.

use std::collections::VecDeque;

use model::TermSize;

use crate::charset::Charset;
use crate::row::Row;
use crate::style::{Color, Flags, StyleId};

/// Where the next character goes. `col` is beyond the last column while a wrap is pending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) col: usize,
    pub(crate) row: usize,
}

/// The rows that scroll, first and last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Margins {
    pub(crate) top: usize,
    pub(crate) bottom: usize,
}

impl Margins {
    pub(crate) fn whole(rows: usize) -> Margins {
        Margins { top: 0, bottom: rows - 1 }
    }

    #[inline]
    pub(crate) fn contains(self, row: usize) -> bool {
        (self.top..=self.bottom).contains(&row)
    }
}

/// What DECSC keeps and DECRC brings back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SavedCursor {
    pub(crate) col: usize,
    /// Counted from the first line of the history, as the web viewer does: a saved cursor moves up with its line.
    pub(crate) line: usize,
    pub(crate) foreground: Color,
    pub(crate) background: Color,
    pub(crate) flags: Flags,
    /// Whether underline style, its colour and link counted when the cursor was saved.
    pub(crate) extended: bool,
    pub(crate) charset: Charset,
}

/// Columns between tab stops.
const TAB_WIDTH: usize = 8;

/// Rows, cursor, margins and tab stops.
pub(crate) struct Screen {
    pub(crate) rows: VecDeque<Row>,
    pub(crate) cursor: Position,
    pub(crate) margins: Margins,
    pub(crate) saved: SavedCursor,
    /// Whether there is a stop at a column; never shorter than the screen is wide.
    tabs: Vec<bool>,
    cols: usize,
}

impl Screen {
    pub(crate) fn new(size: TermSize, fill: StyleId) -> Screen {
        let (cols, rows) = (usize::from(size.cols()), usize::from(size.rows()));
        Screen {
            rows: std::iter::repeat_with(|| Row::blank(fill)).take(rows).collect(),
            cursor: Position::default(),
            margins: Margins::whole(rows),
            saved: SavedCursor::default(),
            tabs: default_tabs(cols),
            cols,
        }
    }

    /// A screen that is not shown keeps no rows, only the cursor that was saved on it.
    pub(crate) fn hidden(size: TermSize, saved: SavedCursor) -> Screen {
        Screen { rows: VecDeque::new(), saved, ..Screen::new(size, StyleId::DEFAULT) }
    }

    #[inline]
    pub(crate) fn cols(&self) -> usize {
        self.cols
    }

    #[inline]
    pub(crate) fn height(&self) -> usize {
        self.rows.len()
    }

    #[inline]
    pub(crate) fn row(&mut self) -> &mut Row {
        let row = self.cursor.row;
        &mut self.rows[row]
    }

    /// Scrolls the rows `top..=bottom` up by `n`; blank rows enter from below.
    pub(crate) fn scroll_up(&mut self, top: usize, bottom: usize, n: usize, fill: StyleId) {
        let n = n.min(bottom + 1 - top);
        if n == 1 {
            if let Some(mut row) = self.rows.remove(top) {
                row.clear(fill);
                self.rows.insert(bottom, row);
            }
            return;
        }
        for row in top..(bottom + 1) - n {
            self.rows.swap(row, row + n);
        }
        for row in bottom + 1 - n..=bottom {
            self.rows[row].clear(fill);
        }
    }

    /// Scrolls the rows `top..=bottom` down by `n`; blank rows enter from above.
    pub(crate) fn scroll_down(&mut self, top: usize, bottom: usize, n: usize, fill: StyleId) {
        let n = n.min(bottom + 1 - top);
        for row in (top + n..=bottom).rev() {
            self.rows.swap(row, row - n);
        }
        for row in top..top + n {
            self.rows[row].clear(fill);
        }
    }

    pub(crate) fn next_tab(&self, col: usize) -> usize {
        (col + 1..self.cols).find(|&stop| self.tabs[stop]).unwrap_or(self.cols - 1)
    }

    pub(crate) fn previous_tab(&self, col: usize) -> usize {
        (1..col.min(self.cols)).rev().find(|&stop| self.tabs[stop]).unwrap_or(0)
    }

    pub(crate) fn set_tab(&mut self, col: usize, on: bool) {
        if let Some(stop) = self.tabs.get_mut(col) {
            *stop = on;
        }
    }

    pub(crate) fn clear_tabs(&mut self) {
        self.tabs.fill(false);
    }

    /// The columns with a stop. The first column is no stop one can see.
    pub(crate) fn tabs(&self) -> impl Iterator<Item = usize> + '_ {
        (1..self.cols).filter(|&col| self.tabs[col])
    }

    pub(crate) fn has_unusual_tabs(&self) -> bool {
        (1..self.cols).any(|col| self.tabs[col] != (col % TAB_WIDTH == 0))
    }

    /// New columns get stops that go on from the last one there is.
    pub(crate) fn set_cols(&mut self, cols: usize) {
        if cols > self.tabs.len() {
            let last = self.tabs.iter().rposition(|&stop| stop).unwrap_or(0);
            self.tabs.resize(cols, false);
            for stop in (last..cols).step_by(TAB_WIDTH) {
                self.tabs[stop] = true;
            }
        }
        self.cols = cols;
    }
}

fn default_tabs(cols: usize) -> Vec<bool> {
    (0..cols).map(|col| col % TAB_WIDTH == 0).collect()
}
