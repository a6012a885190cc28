//! Control sequences: `CSI … final`.

use crate::modes::{MouseEncoding, MouseTracking};
use crate::params::Params;
use crate::parser::Function;
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
            b'J' => self.erase_in_display(params.get(0), true),
            b'K' => self.erase_in_line(params.get(0), true),
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

    // Erasing

    fn erase_in_line(&mut self, how: u32, selective: bool) {
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
        if unwrap {
            row.wrapped = false;
        }
    }

    fn erase_in_display(&mut self, how: u32, selective: bool) {
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
            } else {
                row.clear(fill);
            }
        }
    }

    // Editing

    fn edit_row(&mut self, edit: impl FnOnce(&mut Row, usize, usize, StyleId)) {
        self.restrict_to_screen();
        let (fill, cols) = (self.erase_style(), self.cols());
        let screen = self.screen();
        let col = screen.cursor.col;
        edit(screen.row(), col, cols, fill);
    }

    fn edit_lines(&mut self, edit: impl FnOnce(&mut crate::screen::Screen, usize, usize, StyleId)) {
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
    fn shift_rows(&mut self, params: &Params, edit: fn(&mut Row, usize, usize, usize, StyleId)) {
        self.shift_from(0, params.count(0), edit);
    }

    /// Shifts all rows of the region sideways, from the cursor on.
    fn shift_columns(&mut self, params: &Params, edit: fn(&mut Row, usize, usize, usize, StyleId)) {
        let col = self.screen().cursor.col % self.cols();
        self.shift_from(col, params.count(0), edit);
    }

    fn shift_from(&mut self, col: usize, n: usize, edit: fn(&mut Row, usize, usize, usize, StyleId)) {
        let (fill, cols) = (self.erase_style(), self.cols());
        let screen = self.screen();
        let Margins { top, bottom } = screen.margins;
        if screen.margins.contains(screen.cursor.row) {
            for row in screen.rows.range_mut(top..=bottom) {
                edit(row, col, n, cols, fill);
                row.wrapped = false;
            }
        }
    }

    // Tabs and margins

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

    // Modes

    fn ansi_modes(&mut self, params: &Params, on: bool) {
        for (mode, _) in params.iter() {
            match mode {
                4 => self.modes.insert = on,
                20 => self.modes.newline = on,
                _ => {}
            }
        }
    }

    fn private_mode(&mut self, mode: u32, on: bool) {
        let modes = &mut self.modes;
        match mode {
            1 => modes.application_cursor = on,
            2 if on => {
                for level in 0..4 {
                    self.charsets.designate(level, Default::default());
                }
            }
            6 => {
                modes.origin = on;
                self.go_to(0, 0);
            }
            7 => modes.autowrap = on,
            25 => modes.cursor_visible = on,
            45 => modes.reverse_wrap = on,
            66 => modes.application_keypad = on,
            9 | 1000 | 1002 | 1003 => {
                modes.mouse = match mode {
                    _ if !on => MouseTracking::Off,
                    9 => MouseTracking::X10,
                    1000 => MouseTracking::Buttons,
                    1002 => MouseTracking::Drag,
                    _ => MouseTracking::Any,
                };
            }
            1004 => modes.focus_events = on,
            1006 | 1016 => {
                modes.mouse_encoding = match mode {
                    _ if !on => MouseEncoding::Bytes,
                    1006 => MouseEncoding::Sgr,
                    _ => MouseEncoding::SgrPixels,
                };
                if mode == 1016 {
                    modes.keep(mode, on);
                }
            }
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
            2004 => modes.bracketed_paste = on,
            2026 => modes.synchronized = on,
            2027 => modes.grapheme_clusters = on,
            2048 => {
                modes.keep(mode, on);
                if on {
                    self.report_size_in_band();
                }
            }
            _ => modes.keep(mode, on),
        }
    }
}
