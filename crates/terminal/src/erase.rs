//! Erasing: ED and EL, and their selective forms.

use crate::state::State;

impl State {
    pub(crate) fn erase_in_line(&mut self, how: u32, selective: bool) {
        let cols = self.cols();
        self.restrict(cols);
        let col = self.screen().cursor.col;
        match how {
            0 => self.erase_row(col, cols, col == 0, selective),
            1 => self.erase_row(0, col + 1, false, selective),
            2 => self.erase_row(0, cols, true, selective),
            _ => {}
        }
    }

    fn erase_row(&mut self, from: usize, to: usize, unwrap: bool, selective: bool) {
        let (fill, cols) = (self.erase_style(), self.cols());
        let row = self.screens[self.active].row();
        match selective {
            true => row.erase_unprotected(from, to, cols, fill, &self.tables),
            false => row.erase(from, to, cols, fill),
        }
        row.stamp = self.stamp;
        if unwrap {
            row.wrapped = false;
        }
    }

    pub(crate) fn erase_in_display(&mut self, how: u32, selective: bool) {
        let cols = self.cols();
        self.restrict(cols);
        let cursor = self.screen().cursor;
        let height = self.height();
        match how {
            0 => {
                self.erase_row(cursor.col, cols, cursor.col == 0, selective);
                self.erase_rows(cursor.row + 1, height, selective);
            }
            1 => {
                self.erase_row(0, cursor.col + 1, true, selective);
                if cursor.col + 1 >= cols && cursor.row + 1 < height && self.lines_above() == 0 {
                    self.screen().rows[cursor.row + 1].wrapped = false;
                }
                self.erase_rows(0, cursor.row, selective);
            }
            2 => self.erase_rows(0, height, selective),
            3 if self.lines_above() > 0 => self.history.clear(),
            _ => {}
        }
    }

    fn erase_rows(&mut self, from: usize, to: usize, selective: bool) {
        let (fill, cols) = (self.erase_style(), self.cols());
        for row in self.screens[self.active].rows.range_mut(from..to) {
            if selective {
                row.erase_unprotected(0, cols, cols, fill, &self.tables);
                row.wrapped = false;
                row.stamp = self.stamp;
            } else {
                row.clear(fill);
            }
        }
    }
}
