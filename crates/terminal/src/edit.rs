//! Editing: characters and lines come in and go out.

use grammar::Params;

use crate::row::Row;
use crate::screen::{Margins, Screen};
use crate::state::State;
use crate::style::StyleId;

impl State {
    pub(crate) fn edit_row(&mut self, edit: impl FnOnce(&mut Row, usize, usize, StyleId)) {
        self.restrict_to_screen();
        let (fill, cols, stamp) = (self.erase_style(), self.cols(), self.stamp);
        let screen = self.screen();
        let col = screen.cursor.col;
        edit(screen.row(), col, cols, fill);
        screen.row().stamp = stamp;
    }

    pub(crate) fn edit_lines(&mut self, edit: impl FnOnce(&mut Screen, usize, usize, StyleId)) {
        self.restrict_to_screen();
        let fill = self.erase_style();
        let screen = self.screen();
        let row = screen.cursor.row;
        if screen.margins.contains(row) {
            edit(screen, row, screen.margins.bottom, fill);
            screen.cursor.col = 0;
        }
    }

    /// Shifts all rows of the region sideways, from the first column on.
    pub(crate) fn shift_rows(&mut self, params: &Params, edit: fn(&mut Row, usize, usize, usize, StyleId)) {
        self.shift_from(0, params.count(0), edit);
    }

    /// Shifts all rows of the region sideways, from the cursor on.
    pub(crate) fn shift_columns(
        &mut self,
        params: &Params,
        edit: fn(&mut Row, usize, usize, usize, StyleId),
    ) {
        let col = self.screen().cursor.col % self.cols();
        self.shift_from(col, params.count(0), edit);
    }

    fn shift_from(&mut self, col: usize, n: usize, edit: fn(&mut Row, usize, usize, usize, StyleId)) {
        let (fill, cols, stamp) = (self.erase_style(), self.cols(), self.stamp);
        let screen = self.screen();
        let Margins { top, bottom } = screen.margins;
        if screen.margins.contains(screen.cursor.row) {
            for row in screen.rows.range_mut(top..=bottom) {
                edit(row, col, n, cols, fill);
                row.wrapped = false;
                row.stamp = stamp;
            }
        }
    }
}
