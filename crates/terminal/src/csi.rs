//! Control sequences: `CSI … final`.

use grammar::{Function, Params};

use crate::reply;
use crate::row::Row;
use crate::screen::Margins;
use crate::state::State;
use crate::style::StyleId;

impl State {
    #[inline]
    pub(crate) fn control_sequence(&mut self, params: &Params, function: Function) {
        if function.prefix | function.intermediate == 0 {
            self.plain(params, function.last);
        } else {
            self.marked(params, function);
        }
    }

    /// A sequence with a private prefix or an intermediate byte.
    fn marked(&mut self, params: &Params, function: Function) {
        match (function.prefix, function.intermediate) {
            (b'?', 0) => self.private(params, function.last),
            (b'>', 0) => self.greater(params, function.last),
            (b'<', 0) if function.last == b'u' => {
                self.keyboards[self.active].pop(params.count(0));
            }
            (b'=', 0) => match function.last {
                b'u' => self.keyboards[self.active].set(params.get(0), params.get(1)),
                b'c' if params.get(0) == 0 => self.reply(reply::TERTIARY_ATTRIBUTES),
                _ => {}
            },
            (0, b' ') => self.with_space(params, function.last),
            (0, b'!') if function.last == b'p' => self.soft_reset(),
            (0, b'"') if function.last == b'q' => match params.get(0) {
                1 => self.protect(true),
                0 | 2 => self.protect(false),
                _ => {}
            },
            (0, b'\'') => match function.last {
                b'}' => self.shift_columns(params, Row::insert),
                b'~' => self.shift_columns(params, Row::delete),
                _ => {}
            },
            (0, b'$') if function.last == b'p' => self.report_ansi_mode(params.get(0)),
            (b'?', b'$') if function.last == b'p' => self.report_private_mode(params.get(0)),
            _ => {}
        }
    }

    #[inline]
    fn plain(&mut self, params: &Params, last: u8) {
        let n = params.count(0);
        match last {
            b'm' => {
                self.pen.apply(params);
                self.pen_changed();
            }
            b'H' | b'f' => self.go_to(params.count(1) - 1, n - 1),
            b'K' => self.erase_in_line(params.get(0), false),
            b'J' => self.erase_in_display(params.get(0), false),
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
            b'G' | b'`' => {
                let row = self.screen().cursor.row;
                self.go_to(n - 1, row);
            }
            b'd' => {
                let col = self.screen().cursor.col;
                self.go_to(col, n - 1);
            }
            b'e' => self.move_by(0, n as isize),
            b'I' => self.tab_forward(n),
            b'Z' => self.tab_back(n),
            b'g' => {
                let screen = self.screen();
                match params.get(0) {
                    0 => screen.set_tab(screen.cursor.col, false),
                    3 => screen.clear_tabs(),
                    _ => {}
                }
            }
            b'@' => self.edit_row(|row, col, cols, fill| row.insert(col, n, cols, fill)),
            b'P' => self.edit_row(|row, col, cols, fill| row.delete(col, n, cols, fill)),
            b'X' => self.edit_row(|row, col, cols, fill| row.erase(col, col.saturating_add(n), cols, fill)),
            b'L' => self.edit_lines(|screen, top, bottom, fill| screen.scroll_down(top, bottom, n, fill)),
            b'M' => self.edit_lines(|screen, top, bottom, fill| screen.scroll_up(top, bottom, n, fill)),
            b'S' => {
                let fill = self.erase_style();
                let screen = self.screen();
                let Margins { top, bottom } = screen.margins;
                screen.scroll_up(top, bottom, n, fill);
            }
            b'T' => {
                let screen = self.screen();
                let Margins { top, bottom } = screen.margins;
                screen.scroll_down(top, bottom, n, StyleId::DEFAULT);
            }
            b'b' => self.repeat(n),
            b'c' if params.get(0) == 0 => self.reply(reply::PRIMARY_ATTRIBUTES),
            b'h' => self.ansi_modes(params, true),
            b'l' => self.ansi_modes(params, false),
            b'n' => self.report_status(params.get(0)),
            b'r' => self.set_margins(params),
            b's' => self.save_cursor(),
            b'u' => self.restore_cursor(),
            b't' => self.window_operation(params),
            _ => {}
        }
    }

    fn private(&mut self, params: &Params, last: u8) {
        match last {
            b'h' => params.iter().for_each(|(mode, _)| self.private_mode(mode.max(0) as u32, true)),
            b'l' => params.iter().for_each(|(mode, _)| self.private_mode(mode.max(0) as u32, false)),
            b'J' => self.erase_in_display(params.get(0), self.ever_protected),
            b'K' => self.erase_in_line(params.get(0), self.ever_protected),
            b'n' => self.report_private_status(params.get(0)),
            b'u' => self.report_keyboard(),
            b'm' if params.get(0) == 4 => self.report_modify_other_keys(),
            _ => {}
        }
    }

    fn greater(&mut self, params: &Params, last: u8) {
        match last {
            b'u' => self.keyboards[self.active].push(params.get(0)),
            b'm' if params.get(0) == 4 => self.modes.modify_other_keys = params.get(1),
            b'n' if params.get(0) == 4 => self.modes.modify_other_keys = 0,
            b'c' if params.get(0) == 0 => self.reply(reply::SECONDARY_ATTRIBUTES),
            b'q' if params.get(0) == 0 => self.report_version(),
            _ => {}
        }
    }

    fn with_space(&mut self, params: &Params, last: u8) {
        match last {
            b'q' => self.cursor_style.set(params.get(0)),
            b'@' => self.shift_rows(params, Row::delete),
            b'A' => self.shift_rows(params, Row::insert),
            _ => {}
        }
    }

    pub(crate) fn tab_forward(&mut self, n: usize) {
        let screen = self.screen();
        if screen.cursor.col < screen.cols() {
            for _ in 0..n.min(screen.cols()) {
                screen.cursor.col = screen.next_tab(screen.cursor.col);
            }
        }
    }

    fn tab_back(&mut self, n: usize) {
        let screen = self.screen();
        if screen.cursor.col < screen.cols() {
            for _ in 0..n.min(screen.cols()) {
                screen.cursor.col = screen.previous_tab(screen.cursor.col);
            }
        }
    }

    fn set_margins(&mut self, params: &Params) {
        let height = self.height();
        let top = params.count(0);
        let bottom = match params.get(1) as usize {
            0 => height,
            bottom => bottom.min(height),
        };
        if bottom > top {
            self.screen().margins = Margins { top: top - 1, bottom: bottom - 1 };
            self.go_to(0, 0);
        }
    }
}
