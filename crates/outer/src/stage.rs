//! A window onto a part of a screen, with a status line below it and a card over it.

use std::fmt::Write;

use model::TermSize;
use terminal::Terminal;
use unicode_width::UnicodeWidthStr;

use crate::glass::{BEGIN, Columns, END, blank, cursor_number, follow};
use crate::plain::plain;
use crate::ruler::Ruler;

/// What is to be seen.
pub struct Scene<'a> {
    /// The screen.
    pub model: &'a Terminal,
    /// The status line, in the outer terminal's own words.
    pub status: String,
    /// The column of the status line that has the cursor, while the user types there.
    pub typing_col: Option<u16>,
    /// The lines of a card that lies over the screen, all of the same width.
    pub card: Option<Vec<String>>,
}

/// A window on which scenes are painted. Keys are for us and not for the screen's program, so the window takes over none
/// of the screen's modes.
pub struct Stage {
    size: TermSize,
    /// What of the screen is at the window's top left.
    top: u16,
    left: u16,
    /// What each row was painted with; nothing yet at first.
    painted: Vec<String>,
    ruler: Ruler,
}

impl Stage {
    /// A window of this size on which nothing is painted.
    pub fn new(size: TermSize) -> Stage {
        Stage { size, top: 0, left: 0, painted: Vec::new(), ruler: Ruler::new() }
    }

    /// The size of the window.
    pub fn size(&self) -> TermSize {
        self.size
    }

    /// Whether a part of a screen of this size cannot be seen.
    pub fn crops(&self, screen: TermSize) -> bool {
        screen.cols() > self.size.cols() || screen.rows() > self.screen_rows()
    }

    /// The rows above the status line.
    fn screen_rows(&self) -> u16 {
        self.size.rows() - 1
    }

    /// Paints what has changed since the last time.
    pub fn paint(&mut self, scene: &Scene<'_>, out: &mut Vec<u8>) {
        if self.painted.is_empty() {
            out.extend(plain(self.size));
            self.painted.resize(usize::from(self.size.rows()), String::new());
        }
        let (cursor, size) = (scene.model.cursor(), scene.model.size());
        self.top = follow(self.top, cursor.row, size.rows(), self.screen_rows().max(1));
        self.left = follow(self.left, cursor.col, size.cols(), self.size.cols());

        let mut painting = String::from(BEGIN);
        let rows = self.rows(scene);
        for (number, (row, painted)) in rows.into_iter().zip(&mut self.painted).enumerate() {
            if row != *painted {
                // Writing to a string cannot fail.
                let _ = write!(painting, "\x1b[{}H{row}", number + 1);
                *painted = row;
            }
        }
        self.place_cursor(scene, &mut painting);
        painting.push_str(END);
        out.extend(painting.into_bytes());
    }

    fn rows(&mut self, scene: &Scene<'_>) -> Vec<String> {
        let view = Columns { left: self.left, cols: self.size.cols(), all: scene.model.size().cols() };
        let clusters = scene.model.modes().grapheme_clusters;
        let mut seen = scene.model.rows().skip(usize::from(self.top));
        let mut row = || seen.next().map_or_else(blank, |row| view.of(&row, clusters, &mut self.ruler));
        let mut rows: Vec<String> = (1..self.size.rows()).map(|_| row()).collect();
        if let Some(card) = &scene.card {
            lay_card(card, &mut rows, self.size.cols());
        }
        rows.push(scene.status.clone());
        rows
    }

    fn place_cursor(&self, scene: &Scene<'_>, painting: &mut String) {
        let cursor = scene.model.cursor();
        let (row, col, visible) = match scene.typing_col {
            Some(col) => (self.size.rows(), col + 1, true),
            None => {
                let visible = cursor.visible && scene.card.is_none() && self.screen_rows() > 0;
                (cursor.row - self.top + 1, cursor.col - self.left + 1, visible)
            }
        };
        if visible {
            // Writing to a string cannot fail.
            let _ = write!(painting, "\x1b[{} q\x1b[{row};{col}H\x1b[?25h", cursor_number(cursor.style));
        }
    }
}

/// Lays a card over the middle of the rows.
fn lay_card(card: &[String], rows: &mut [String], cols: u16) {
    let width = card.first().map_or(0, |line| line.width());
    let (cols, first_row) = (usize::from(cols), rows.len().saturating_sub(card.len()) / 2);
    let first_col = cols.saturating_sub(width) / 2 + 1;
    for (row, line) in rows.iter_mut().skip(first_row).zip(card) {
        let line: String = line.chars().take(cols).collect();
        // Writing to a string cannot fail.
        let _ = write!(row, "\x1b[{first_col}G\x1b[0;7m{line}\x1b[m");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terminal::HistoryLimit;

    fn terminal(cols: u16, rows: u16) -> Terminal {
        Terminal::new(TermSize::clamped(cols, rows), HistoryLimit { lines: 0, bytes: 0 })
    }

    fn painted(screen: (u16, u16), output: &str, window: (u16, u16), card: Option<Vec<String>>) -> Terminal {
        let (mut model, mut outer) = (terminal(screen.0, screen.1), terminal(window.0, window.1));
        model.feed(output.as_bytes());
        let mut stage = Stage::new(outer.size());
        let scene = Scene { model: &model, status: "status".into(), typing_col: None, card };
        let mut bytes = Vec::new();
        stage.paint(&scene, &mut bytes);
        outer.feed(&bytes);
        assert!(outer.take_replies().is_empty(), "painting asks nothing");
        outer
    }

    fn text(terminal: &Terminal) -> Vec<String> {
        terminal.rows().map(|row| row.text().trim_end().to_owned()).collect()
    }

    #[test]
    fn the_status_line_is_below_the_screen_or_what_fits_of_it() {
        assert_eq!(text(&painted((10, 2), "one\r\ntwo", (12, 4), None)), ["one", "two", "", "status"]);
        let cropped = painted((10, 4), "one\r\ntwo\r\nthree\r\nfour 67890", (6, 3), None);
        assert_eq!(text(&cropped), ["e", " 67890", "status"]);
        assert_eq!(text(&painted((10, 4), "one\r\ntwo", (6, 1), None)), ["status"]);
    }

    #[test]
    fn the_workers_keyboard_modes_are_not_set_on_the_outer_terminal() {
        let modes = "\x1b[?1h\x1b=\x1b[?2004h\x1b[=5u\x1b[>4;2m\x1b[?1000;1006h\x1b[4 q";
        let outer = painted((10, 2), modes, (12, 4), None);
        let modes = outer.modes();
        assert!(!modes.application_cursor && !modes.application_keypad && !modes.bracketed_paste);
        assert_eq!((outer.keyboard_flags(), modes.modify_other_keys), (0, 0));
        assert_eq!(modes.mouse, terminal::MouseTracking::Off);
    }

    #[test]
    fn the_card_lies_over_the_screen_in_windows_of_any_size() {
        let card = || Some(vec!["+------+".to_owned(), "| keys |".to_owned(), "+------+".to_owned()]);
        let rows = text(&painted((20, 6), "left\r\nabcdefghijklmnopqrst", (20, 6), card()));
        assert_eq!(rows, ["left", "abcdef+------+opqrst", "      | keys |", "      +------+", "", "status"]);
        for window in [(2, 1), (5, 2), (30, 8)] {
            assert_eq!(text(&painted((80, 24), "x", window, card())).len(), usize::from(window.1));
        }
    }
}
