//! A window onto a worker's screen that is of another size than the outer terminal.

mod crop;
mod modes;

use std::fmt::Write;

use model::TermSize;
use terminal::Terminal;

use crate::plain::plain;
use crate::ruler::Ruler;

pub(crate) use crop::{Columns, blank};
pub(crate) use modes::number as cursor_number;

/// A pane as large as the outer terminal, behind which a worker's screen lies. What is painted on it follows the
/// cursor; what lies beside the screen is blank.
pub(crate) struct Glass {
    size: TermSize,
    /// What of the worker's screen is at the pane's top left.
    top: u16,
    left: u16,
    /// What each row of the outer terminal was painted with; nothing yet at first.
    painted: Vec<String>,
    /// The modes that the outer terminal was put into.
    modes: String,
    ruler: Ruler,
}

/// Nothing of a painting is seen before all of it is there; without wrapping, a character that the outer terminal
/// takes for wider than we do spoils no other row.
pub(crate) const BEGIN: &str = "\x1b[?2026h\x1b[?25l\x1b[?7l";

/// What ends a painting.
pub(crate) const END: &str = "\x1b[?2026l";

impl Glass {
    /// A pane of this size on which nothing is painted.
    pub(crate) fn new(size: TermSize) -> Glass {
        Glass { size, top: 0, left: 0, painted: Vec::new(), modes: String::new(), ruler: Ruler::new() }
    }

    /// Paints what has changed since the last time.
    pub(crate) fn paint(&mut self, model: &Terminal, out: &mut Vec<u8>) {
        if self.painted.is_empty() {
            out.extend(plain(self.size));
            self.painted.resize(usize::from(self.size.rows()), String::new());
        }
        let cursor = model.cursor();
        self.top = follow(self.top, cursor.row, model.size().rows(), self.size.rows());
        self.left = follow(self.left, cursor.col, model.size().cols(), self.size.cols());

        let mut painting = String::from(BEGIN);
        self.paint_rows(model, &mut painting);
        let modes = modes::of(model);
        if modes != self.modes {
            painting.push_str(&modes);
            self.modes = modes;
        }
        let (row, col) = (cursor.row - self.top + 1, cursor.col - self.left + 1);
        // Writing to a string cannot fail.
        let _ = write!(painting, "\x1b[{row};{col}H");
        if cursor.visible {
            painting.push_str("\x1b[?25h");
        }
        painting.push_str(END);
        out.extend(painting.into_bytes());
    }

    fn paint_rows(&mut self, model: &Terminal, painting: &mut String) {
        let view = crop::Columns { left: self.left, cols: self.size.cols(), all: model.size().cols() };
        let clusters = model.modes().grapheme_clusters;
        let mut rows = model.rows().skip(usize::from(self.top));
        for (number, painted) in self.painted.iter_mut().enumerate() {
            let row = rows.next().map_or_else(crop::blank, |row| view.of(&row, clusters, &mut self.ruler));
            if row != *painted {
                // Writing to a string cannot fail.
                let _ = write!(painting, "\x1b[{}H{row}", number + 1);
                *painted = row;
            }
        }
    }
}

/// Where a view of length `seen` onto `all` begins that holds the cursor, moved no further than it must be.
pub(crate) fn follow(begin: u16, cursor: u16, all: u16, seen: u16) -> u16 {
    let begin = begin.min(all.saturating_sub(seen));
    begin.clamp((cursor + 1).saturating_sub(seen), cursor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use terminal::HistoryLimit;

    fn terminal(cols: u16, rows: u16) -> Terminal {
        Terminal::new(TermSize::clamped(cols, rows), HistoryLimit { lines: 0, bytes: 0 })
    }

    /// Paints a worker's screen of this size, after each of these outputs, through a pane of that size; gives the
    /// outer terminal.
    fn painted(worker: (u16, u16), outputs: &[&str], pane: (u16, u16)) -> (Terminal, Terminal) {
        let (mut model, mut outer) = (terminal(worker.0, worker.1), terminal(pane.0, pane.1));
        // The outer terminal is in use when we come.
        outer.feed("\x1b[41mleft behind".repeat(20).as_bytes());
        let mut glass = Glass::new(outer.size());
        for output in outputs {
            model.feed(output.as_bytes());
            let mut bytes = Vec::new();
            glass.paint(&model, &mut bytes);
            outer.feed(&bytes);
            assert!(outer.take_replies().is_empty(), "painting asks nothing");
        }
        (model, outer)
    }

    fn check(worker: (u16, u16), outputs: &[&str], pane: (u16, u16), expected: &[&str], cursor: (u16, u16)) {
        let (_, outer) = painted(worker, outputs, pane);
        let rows: Vec<String> = outer.rows().map(|row| row.text().trim_end().to_owned()).collect();
        assert_eq!(rows, expected);
        assert_eq!((outer.cursor().col, outer.cursor().row), cursor);
    }

    #[test]
    fn a_smaller_screen_is_seen_whole_with_its_styles() {
        let (model, outer) =
            painted((10, 3), &["\x1b[1;31mred\x1b[m\r\n\x1b[4:3;48;2;1;2;3m日本\x1b[m x\x1b[K"], (20, 5));
        for (inner, shown) in model.rows().zip(outer.rows()) {
            assert_eq!(inner.text().trim_end(), shown.text().trim_end());
            for (inner, shown) in inner.spans.iter().zip(&shown.spans) {
                assert_eq!((inner.style, inner.cols), (shown.style, shown.cols));
            }
        }
        assert!(outer.rows().skip(3).all(|row| row.text().trim().is_empty()));
        assert!(outer.on_alternate_screen());
    }

    #[test]
    fn a_larger_screen_is_seen_where_the_cursor_is() {
        let lines = "one 1234567\r\ntwo 1234567\r\nthree 34567\r\nfour";
        check((12, 6), &[lines], (6, 2), &["three", "four"], (4, 1));
        check((12, 6), &[lines, "\x1b[1;12H"], (6, 2), &["34567", "34567"], (5, 0));
        check((12, 6), &[lines, "\x1b[1;12H", "\x1b[1;9H"], (6, 2), &["34567", "34567"], (2, 0));
    }

    #[test]
    fn only_rows_that_changed_are_painted_again() {
        let mut model = terminal(10, 3);
        model.feed(b"first\r\nsecond");
        let mut glass = Glass::new(TermSize::clamped(20, 5));
        glass.paint(&model, &mut Vec::new());
        model.feed(b" line");
        let mut bytes = Vec::new();
        glass.paint(&model, &mut bytes);
        let bytes = String::from_utf8(bytes).unwrap();
        assert!(bytes.contains("second lin") && !bytes.contains("first"), "{bytes:?}");
    }

    #[test]
    fn wide_characters_are_not_split_at_an_edge() {
        check((10, 1), &["a日本x\x1b[6G"], (4, 1), &[" 本x"], (3, 0));
        check((10, 2), &["日本語x\r\n"], (4, 2), &["日本", ""], (0, 1));
        check((10, 2), &["a日本語\r"], (4, 2), &["a日", ""], (0, 0));
        check((10, 1), &["日本語x", "\x1b[5G"], (5, 1), &[" 語x"], (1, 0));
    }

    #[test]
    fn a_row_as_wide_as_the_pane_keeps_its_last_column() {
        check((10, 2), &["0123456789\r\nx"], (10, 4), &["0123456789", "x", "", ""], (1, 1));
        check((20, 2), &["0123456789abc\r\nx"], (10, 2), &["0123456789", "x"], (1, 1));
    }

    #[test]
    fn the_cursor_and_the_modes_of_keys_are_the_workers() {
        let modes = "\x1b[?1h\x1b=\x1b[?2004h\x1b[=5u\x1b[>4;2m\x1b[?1000;1006h\x1b[4 q\x1b[?25l";
        let (model, outer) = painted((10, 3), &[modes], (20, 5));
        assert_eq!(outer.cursor().style, model.cursor().style);
        assert!(!outer.cursor().visible);
        let modes = outer.modes();
        assert!(modes.application_cursor && modes.application_keypad && modes.bracketed_paste);
        assert_eq!((outer.keyboard_flags(), modes.modify_other_keys), (5, 2));
        assert_eq!(modes.mouse, terminal::MouseTracking::Off, "its places would be others");
        let (_, outer) = painted(
            (10, 3),
            &["\x1b[?1h\x1b=\x1b[?2004h\x1b[=5u\x1b[5 q\x1b[?25l", "\x1bc\x1b[?25h"],
            (20, 5),
        );
        let modes = outer.modes();
        assert!(!modes.application_cursor && !modes.application_keypad && !modes.bracketed_paste);
        assert_eq!((outer.keyboard_flags(), outer.cursor().style.shape), (0, None));
        assert!(outer.cursor().visible);
    }
}
