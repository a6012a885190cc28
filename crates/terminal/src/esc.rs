//! Single control characters and escape sequences: `ESC … final`.

use grammar::Function;

use crate::cell::Cell;
use crate::charset::Charset;
use crate::pen::Pen;
use crate::signal::Signal;
use crate::state::State;
use crate::style::Underline;

impl State {
    #[inline]
    pub(crate) fn control_character(&mut self, control: u8) {
        match control {
            b'\n' | 0x0b | 0x0c => self.line_feed(),
            b'\r' => self.screen().cursor.col = 0,
            0x08 => self.backspace(),
            b'\t' => self.tab_forward(1),
            0x07 => self.bell(),
            0x0e => self.charsets.shift(1),
            0x0f => self.charsets.shift(0),
            0x84 => self.index(),
            0x85 => self.next_line(),
            0x88 => self.set_tab(),
            _ => {}
        }
    }

    /// Keeps one bell until the caller fetches the signals, even if a program rings without end.
    fn bell(&mut self) {
        if self.signals.last() != Some(&Signal::Bell) {
            self.signal(Signal::Bell);
        }
    }

    fn next_line(&mut self) {
        self.screen().cursor.col = 0;
        self.index();
    }

    fn set_tab(&mut self) {
        let screen = self.screen();
        screen.set_tab(screen.cursor.col, true);
    }

    fn backspace(&mut self) {
        let cols = self.cols();
        if !self.modes.reverse_wrap {
            self.restrict_to_screen();
            let cursor = &mut self.screen().cursor;
            cursor.col = cursor.col.saturating_sub(1);
            return;
        }
        self.restrict(cols);
        let screen = self.screen();
        let row = screen.cursor.row;
        if screen.cursor.col > 0 {
            screen.cursor.col -= 1;
        } else if row > screen.margins.top && row <= screen.margins.bottom && screen.rows[row].wrapped {
            screen.rows[row].wrapped = false;
            screen.cursor.row = row - 1;
            screen.cursor.col = cols - 1;
            // A wide character that did not fit left the last column empty.
            let last = screen.rows[row - 1].cell(cols - 1);
            if last.width() != 0 && !last.has_content() {
                screen.cursor.col -= 1;
            }
        }
        self.restrict_to_screen();
    }

    pub(crate) fn escape_sequence(&mut self, function: Function) {
        match (function.intermediate, function.last) {
            (0, b'7') => self.save_cursor(),
            (0, b'8') => self.restore_cursor(),
            (0, b'D') => self.index(),
            (0, b'E') => self.next_line(),
            (0, b'H') => self.set_tab(),
            (0, b'M') => self.reverse_index(),
            (0, b'=') => self.modes.application_keypad = true,
            (0, b'>') => self.modes.application_keypad = false,
            (0, b'c') => self.full_reset(),
            (0, b'~') => self.charsets.shift(1),
            (0, b'n' | b'}') => self.charsets.shift(2),
            (0, b'o' | b'|') => self.charsets.shift(3),
            (b'%', b'@' | b'G') => {
                self.charsets.shift(0);
                self.charsets.designate(0, Charset::Ascii);
            }
            (b'#', b'8') => self.alignment_pattern(),
            (slot @ (b'(' | b')' | b'*' | b'+' | b'-' | b'.'), last) => {
                let level = match slot {
                    b'(' => 0,
                    b')' | b'-' => 1,
                    b'*' | b'.' => 2,
                    _ => 3,
                };
                if let Some(charset) = Charset::from_final(last) {
                    self.charsets.designate(level, charset);
                }
            }
            _ => {}
        }
    }

    /// DECALN: the screen full of E.
    fn alignment_pattern(&mut self) {
        self.go_to(0, 0);
        // Underline shapes and links do not go into the pattern.
        let style = Pen { underline: Underline::None, extended: false, ..self.pen }.style();
        let cell = Cell::ascii(b'E', self.tables.styles.id(&style));
        let (cols, stamp) = (self.cols(), self.stamp);
        let screen = self.screen();
        let first = screen.cursor.row;
        for row in screen.rows.range_mut(first..) {
            row.fill_with(cell, cols);
            row.stamp = stamp;
        }
        self.go_to(0, 0);
    }
}
