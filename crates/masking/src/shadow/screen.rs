//! Rows, cursor, margins and tab stops of one screen.

use super::row::Row;

/// Columns between tab stops.
const TAB_WIDTH: usize = 8;

/// Where the next character goes. `col` is beyond the last column while a wrap is pending.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor {
    pub(crate) col: usize,
    pub(crate) row: usize,
}

/// One of the two screens. Rows stay where they are in memory; their order changes when they scroll.
#[derive(Debug)]
pub(crate) struct Screen {
    rows: Vec<Row>,
    order: Vec<u16>,
    pub(crate) cursor: Cursor,
    pub(crate) saved: Cursor,
    pub(crate) top: usize,
    pub(crate) bottom: usize,
    tabs: Vec<bool>,
}

impl Screen {
    pub(crate) fn new(cols: usize, height: usize) -> Screen {
        Screen {
            rows: std::iter::repeat_with(Row::default).take(height).collect(),
            order: (0..height as u16).collect(),
            cursor: Cursor::default(),
            saved: Cursor::default(),
            top: 0,
            bottom: height - 1,
            tabs: (0..cols).map(|col| col % TAB_WIDTH == 0).collect(),
        }
    }

    #[inline]
    pub(crate) fn height(&self) -> usize {
        self.order.len()
    }

    #[inline]
    pub(crate) fn row(&self, row: usize) -> &Row {
        &self.rows[usize::from(self.order[row])]
    }

    #[inline]
    pub(crate) fn row_mut(&mut self, row: usize) -> &mut Row {
        &mut self.rows[usize::from(self.order[row])]
    }

    /// The cursor, and the row that it is in.
    #[inline]
    pub(crate) fn cursor_and_row(&mut self) -> (&mut Cursor, &mut Row) {
        let row = &mut self.rows[usize::from(self.order[self.cursor.row])];
        (&mut self.cursor, row)
    }

    /// Moves the rows `top..=bottom` up by one; the one that leaves comes back from below, cleared.
    #[inline]
    pub(crate) fn scroll_up_by_one(&mut self, top: usize, bottom: usize) -> &mut Row {
        let order = &mut self.order[top..=bottom];
        let leaving = order[0];
        order.copy_within(1.., 0);
        order[bottom - top] = leaving;
        let row = &mut self.rows[usize::from(leaving)];
        row.clear();
        row
    }

    /// Moves the rows `top..=bottom` up by `n`; those that leave come back from below, cleared.
    #[inline]
    pub(crate) fn scroll_up(&mut self, top: usize, bottom: usize, n: usize) {
        let n = n.min(bottom + 1 - top);
        self.order[top..=bottom].rotate_left(n);
        for row in bottom + 1 - n..=bottom {
            self.row_mut(row).clear();
        }
    }

    /// Moves the rows `top..=bottom` down by `n`; those that leave come back from above, cleared.
    pub(crate) fn scroll_down(&mut self, top: usize, bottom: usize, n: usize) {
        let n = n.min(bottom + 1 - top);
        self.order[top..=bottom].rotate_right(n);
        for row in top..top + n {
            self.row_mut(row).clear();
        }
    }

    /// Changes the size. Rows go from below the cursor first, then from the top; `from_history` blank ones stand
    /// for lines that come back above.
    pub(crate) fn resize(&mut self, cols: usize, height: usize, from_history: usize) {
        while self.height() > height {
            let gone = if self.cursor.row + 1 < self.height() {
                self.order.pop()
            } else {
                self.cursor.row = self.cursor.row.saturating_sub(1);
                Some(self.order.remove(0))
            };
            if let Some(gone) = gone {
                self.rows[usize::from(gone)].clear();
            }
        }
        let rows = std::mem::take(&mut self.rows);
        let mut rows: Vec<Option<Row>> = rows.into_iter().map(Some).collect();
        let mut kept: Vec<Row> = self.order.iter().filter_map(|&row| rows[usize::from(row)].take()).collect();
        let above = from_history.min(height - kept.len());
        kept.splice(0..0, std::iter::repeat_with(Row::default).take(above));
        kept.resize_with(height, Row::default);
        for row in &mut kept {
            row.cut(cols);
        }
        self.rows = kept;
        self.order = (0..height as u16).collect();
        (self.top, self.bottom) = (0, height - 1);
        let within = |cursor: &mut Cursor, down: usize| {
            cursor.row = (cursor.row + down).min(height - 1);
            cursor.col = cursor.col.min(cols - 1);
        };
        within(&mut self.cursor, above);
        within(&mut self.saved, above);
        let known = self.tabs.len();
        self.tabs.resize(cols.max(known), false);
        (known..cols).filter(|col| col % TAB_WIDTH == 0).for_each(|col| self.tabs[col] = true);
    }

    pub(crate) fn next_tab(&self, col: usize, cols: usize) -> usize {
        (col + 1..cols).find(|&stop| self.tabs[stop]).unwrap_or(cols - 1)
    }

    pub(crate) fn previous_tab(&self, col: usize) -> usize {
        (1..col).rev().find(|&stop| self.tabs[stop]).unwrap_or(0)
    }

    pub(crate) fn set_tab(&mut self, col: usize, on: bool) {
        if let Some(stop) = self.tabs.get_mut(col) {
            *stop = on;
        }
    }

    pub(crate) fn clear_tabs(&mut self) {
        self.tabs.fill(false);
    }
}
