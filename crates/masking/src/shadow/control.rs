//! What control characters and sequences do to the shadow.

use grammar::{Function, Params};

use super::Shadow;
use super::screen::Cursor;

/// Larger numbers than any screen has.
const MAX_NUMBER: usize = 99_999;

/// A number of a sequence, 0 where there is none.
fn number(params: &Params, index: usize) -> usize {
    (params.get(index) as usize).min(MAX_NUMBER)
}

/// A number that counts something: at least 1.
fn count(params: &Params, index: usize) -> usize {
    number(params, index).max(1)
}

impl Shadow {
    /// A control character, C0 or C1.
    #[inline]
    pub(crate) fn control(&mut self, control: u8) {
        self.last = None;
        match control {
            b'\r' => self.screen().cursor.col = 0,
            b'\n' | 0x0b | 0x0c => self.line_feed(),
            0x08 => self.move_by(-1, 0),
            b'\t' => self.tab(1, true),
            0x0e => self.modes.charset = 1,
            0x0f => self.modes.charset = 0,
            0x84 => self.index(),
            0x85 => self.next_line(),
            0x88 => self.set_tab(true),
            _ => {}
        }
    }

    /// An escape sequence: `ESC … final`.
    pub(crate) fn escape(&mut self, intermediate: u8, last: u8) {
        self.last = None;
        match (intermediate, last) {
            (0, b'7') => self.save_cursor(),
            (0, b'8') => self.restore_cursor(),
            (0, b'D') => self.index(),
            (0, b'E') => self.next_line(),
            (0, b'H') => self.set_tab(true),
            (0, b'M') => self.reverse_index(),
            (0, b'c') => self.full_reset(),
            (0, b'n') => self.modes.charset = 2,
            (0, b'o') => self.modes.charset = 3,
            (slot @ (b'(' | b')' | b'*' | b'+'), charset) => {
                self.modes.line_drawing[usize::from(slot - b'(')] = charset == b'0';
            }
            _ => {}
        }
    }

    /// A control sequence: `CSI … final`.
    pub(crate) fn sequence(&mut self, params: &Params, function: Function) {
        if (function.prefix, function.intermediate, function.last) != (0, 0, b'b') {
            self.last_is_over();
        }
        match (function.prefix, function.intermediate) {
            (0, 0) => self.plain(params, function.last),
            (b'?', 0) => match function.last {
                b'h' => params.iter().for_each(|(mode, _)| self.private_mode(mode, true)),
                b'l' => params.iter().for_each(|(mode, _)| self.private_mode(mode, false)),
                b'J' => self.erase_in_display(number(params, 0)),
                b'K' => self.erase_in_line(number(params, 0)),
                _ => {}
            },
            (0, b'!') if function.last == b'p' => self.soft_reset(),
            _ => {}
        }
    }

    fn last_is_over(&mut self) {
        self.last = None;
    }

    fn plain(&mut self, params: &Params, last: u8) {
        let n = count(params, 0);
        let cursor = self.screens[self.active].cursor;
        match last {
            b'm' => {}
            b'H' | b'f' => self.go_to(count(params, 1) - 1, n - 1),
            b'K' => self.erase_in_line(number(params, 0)),
            b'J' => self.erase_in_display(number(params, 0)),
            b'A' => self.up(n),
            b'B' => self.down(n),
            b'C' | b'a' => self.move_by(n as isize, 0),
            b'D' => self.move_by(-(n as isize), 0),
            b'E' => {
                self.down(n);
                self.screen().cursor.col = 0;
            }
            b'F' => {
                self.up(n);
                self.screen().cursor.col = 0;
            }
            b'G' | b'`' => self.screen().cursor.col = (n - 1).min(self.cols - 1),
            b'd' => self.go_to(cursor.col, n - 1),
            b'e' => self.move_by(0, n as isize),
            b'I' => self.tab(n, true),
            b'Z' => self.tab(n, false),
            b'g' => match number(params, 0) {
                0 => self.set_tab(false),
                3 => self.screen().clear_tabs(),
                _ => {}
            },
            b'@' => self.shift(n, true),
            b'P' => self.shift(n, false),
            b'X' => {
                let col = cursor.col.min(self.cols - 1);
                self.erase(col, col + n, false);
            }
            b'L' => self.edit_rows(n, true),
            b'M' => self.edit_rows(n, false),
            b'S' => self.scroll_up(n),
            b'T' => {
                let top = self.screens[self.active].top;
                self.move_rows(top, n, true);
            }
            b'b' => self.repeat(n),
            b'h' | b'l' => params.iter().for_each(|(mode, _)| match mode {
                4 => self.modes.insert = last == b'h',
                20 => self.modes.newline = last == b'h',
                _ => {}
            }),
            b'r' => self.set_margins(params),
            b's' => self.save_cursor(),
            b'u' => self.restore_cursor(),
            _ => {}
        }
    }

    fn private_mode(&mut self, mode: i32, on: bool) {
        match mode {
            6 => {
                self.modes.origin = on;
                self.go_to(0, 0);
            }
            7 => self.modes.autowrap = on,
            47 | 1047 if on => self.show_alternate(),
            47 | 1047 => self.show_main(),
            1048 if on => self.save_cursor(),
            1048 => self.restore_cursor(),
            1049 if on => {
                self.save_cursor();
                self.show_alternate();
            }
            1049 => {
                self.show_main();
                self.restore_cursor();
            }
            _ => {}
        }
    }

    /// Down one row, scrolling at the end of the region.
    #[inline]
    fn line_feed(&mut self) {
        let (newline, cols) = (self.modes.newline, self.cols);
        let screen = &mut self.screens[self.active];
        if newline {
            screen.cursor.col = 0;
        }
        screen.cursor.col = screen.cursor.col.min(cols - 1);
        let row = screen.cursor.row;
        if row == screen.bottom {
            self.scroll(false);
        } else if row + 1 < screen.height() {
            screen.cursor.row = row + 1;
            screen.row_mut(row + 1).wrapped = false;
        }
    }

    fn index(&mut self) {
        let screen = &mut self.screens[self.active];
        if screen.cursor.row == screen.bottom {
            self.scroll(false);
        } else if screen.cursor.row + 1 < screen.height() {
            screen.cursor.row += 1;
        }
        self.restrict();
    }

    fn next_line(&mut self) {
        self.screen().cursor.col = 0;
        self.index();
    }

    fn reverse_index(&mut self) {
        self.restrict();
        let screen = &mut self.screens[self.active];
        let (row, top) = (screen.cursor.row, screen.top);
        if row == top {
            self.move_rows(top, 1, true);
        } else {
            screen.cursor.row = row.saturating_sub(1);
        }
    }

    /// IL and DL.
    fn edit_rows(&mut self, n: usize, insert: bool) {
        self.restrict();
        let screen = &self.screens[self.active];
        let (row, region) = (screen.cursor.row, screen.top..=screen.bottom);
        if region.contains(&row) {
            self.move_rows(row, n, insert);
            self.screen().cursor.col = 0;
        }
    }

    /// Keeps the cursor on the screen, and inside the region in origin mode.
    fn restrict(&mut self) {
        let (origin, cols) = (self.modes.origin, self.cols);
        let screen = self.screen();
        let (first, last) = if origin { (screen.top, screen.bottom) } else { (0, screen.height() - 1) };
        screen.cursor.col = screen.cursor.col.min(cols - 1);
        screen.cursor.row = screen.cursor.row.clamp(first, last);
    }

    fn go_to(&mut self, col: usize, row: usize) {
        let origin = self.modes.origin;
        let screen = self.screen();
        screen.cursor = Cursor { col, row: if origin { screen.top + row } else { row } };
        self.restrict();
    }

    fn move_by(&mut self, cols: isize, rows: isize) {
        self.restrict();
        let cursor = &mut self.screen().cursor;
        cursor.col = cursor.col.saturating_add_signed(cols);
        cursor.row = cursor.row.saturating_add_signed(rows);
        self.restrict();
    }

    fn up(&mut self, n: usize) {
        let screen = self.screen();
        let (row, top) = (screen.cursor.row, screen.top);
        let n = if row >= top { n.min(row - top) } else { n };
        self.move_by(0, -(n as isize));
    }

    fn down(&mut self, n: usize) {
        let screen = self.screen();
        let (row, bottom) = (screen.cursor.row, screen.bottom);
        let n = if row <= bottom { n.min(bottom - row) } else { n };
        self.move_by(0, n as isize);
    }

    fn tab(&mut self, n: usize, forward: bool) {
        let cols = self.cols;
        let screen = self.screen();
        for _ in 0..n.min(cols) {
            let col = screen.cursor.col;
            if col < cols {
                screen.cursor.col =
                    if forward { screen.next_tab(col, cols) } else { screen.previous_tab(col) };
            }
        }
    }

    fn set_tab(&mut self, on: bool) {
        let screen = self.screen();
        let col = screen.cursor.col;
        screen.set_tab(col, on);
    }

    fn save_cursor(&mut self) {
        let screen = self.screen();
        screen.saved = screen.cursor;
    }

    fn restore_cursor(&mut self) {
        let screen = self.screen();
        screen.cursor = screen.saved;
        self.restrict();
    }

    fn set_margins(&mut self, params: &Params) {
        let height = self.height();
        let top = count(params, 0);
        let bottom = if number(params, 1) == 0 { height } else { number(params, 1).min(height) };
        if bottom > top {
            let screen = self.screen();
            (screen.top, screen.bottom) = (top - 1, bottom - 1);
            self.go_to(0, 0);
        }
    }
}
