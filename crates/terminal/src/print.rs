//! Putting characters on the screen.

use unicode_segmentation::GraphemeCursor;

use crate::cell::{Cell, Glyph};
use crate::charset::Charset;
use crate::state::State;
use crate::style::StyleId;
use crate::width;

/// A cell holds so many bytes of text: any real cluster fits, a heap of marks is cut.
const MAX_CLUSTER: usize = 128;

/// One sequence may not keep the terminal busy for longer than it takes to print so many ASCII characters, which is
/// several screens full.
const MAX_REPEAT: usize = 1 << 14;
/// The same for other characters, which take longer.
const MAX_REPEAT_OTHER: usize = 1 << 12;

impl State {
    /// Prints ASCII.
    #[inline]
    pub(crate) fn print_ascii(&mut self, text: &[u8]) {
        if self.modes.insert || self.charsets.active != Charset::Ascii {
            return self.print_ascii_slowly(text);
        }
        let style = self.pen_style;
        let screen = &mut self.screens[self.active];
        let (col, cols) = (screen.cursor.col, screen.cols());
        let row = &mut screen.rows[screen.cursor.row];
        if col + text.len() <= cols && !row.may_have_halves() {
            row.write_ascii(col, text, style);
            row.stamp = self.stamp;
            screen.cursor.col = col + text.len();
            self.joinable = 1;
        } else {
            self.print_ascii_wrapping(text, style);
        }
    }

    fn print_ascii_wrapping(&mut self, text: &[u8], style: StyleId) {
        let autowrap = self.modes.autowrap;
        let mut rest = text;
        let cols = self.cols();
        if self.joinable == 0 {
            let screen = &mut self.screens[self.active];
            screen.rows[screen.cursor.row].split_before(screen.cursor.col, style);
        }
        loop {
            if self.screen().cursor.col >= cols {
                if autowrap {
                    self.wrap();
                } else {
                    // Every further character takes the last column; the last one stays.
                    self.screen().cursor.col = cols - 1;
                    rest = &rest[rest.len() - 1..];
                }
            }
            let screen = &mut self.screens[self.active];
            let col = screen.cursor.col;
            let (now, later) = rest.split_at(rest.len().min(cols - col));
            let row = &mut screen.rows[screen.cursor.row];
            row.write_ascii(col, now, style);
            row.stamp = self.stamp;
            row.split_after(col + now.len(), style);
            screen.cursor.col = col + now.len();
            if later.is_empty() {
                break;
            }
            rest = later;
        }
        self.joinable = 1;
    }

    #[cold]
    fn print_ascii_slowly(&mut self, text: &[u8]) {
        for &byte in text {
            let c = self.charsets.active.translate(byte);
            self.put(c);
        }
    }

    /// Prints a character that went through the character set already.
    #[inline]
    pub(crate) fn put(&mut self, c: char) {
        if self.modes.insert || self.modes.grapheme_clusters {
            return self.put_anyhow(c);
        }
        let style = self.pen_style;
        let width = width::width(c);
        let screen = &mut self.screens[self.active];
        let (col, cols) = (screen.cursor.col, screen.cols());
        let end = col + usize::from(width);
        if width == 0 || end > cols {
            return self.put_anyhow(c);
        }
        let row = &mut screen.rows[screen.cursor.row];
        if self.joinable == 0 {
            row.split_before(col, style);
        }
        row.set(col, Cell::char(c, width, style));
        if width == 2 {
            row.set(col + 1, Cell::continuation(style));
        }
        row.split_after(end, style);
        row.stamp = self.stamp;
        screen.cursor.col = end;
        self.joinable = width;
    }

    /// Prints a character in any mode, wherever the cursor is.
    fn put_anyhow(&mut self, c: char) {
        let style = self.pen_style;
        let cols = self.cols();
        let begins_run = self.joinable == 0;
        let joins = !begins_run && self.joins(c);
        let old_width = if joins { self.joinable } else { 0 };
        let new_width = match (self.modes.grapheme_clusters, joins) {
            (true, true) => width::joined_width(old_width, c),
            (true, false) => width::cluster_width(c),
            (false, true) => old_width,
            (false, false) => width::width(c),
        };
        self.joinable = new_width;
        let more = usize::from(new_width - old_width);

        let screen = &mut self.screens[self.active];
        let col = screen.cursor.col;
        if begins_run {
            screen.rows[screen.cursor.row].split_before(col, style);
        }
        if col + more > cols {
            if self.modes.autowrap {
                self.wrap_with(col - usize::from(old_width).min(col));
            } else {
                screen.cursor.col = cols - 1;
                if new_width == 2 {
                    return;
                }
            }
        }

        let screen = &mut self.screens[self.active];
        let col = screen.cursor.col;
        if joins && col > 0 {
            self.join(c, new_width, more, style);
        } else {
            if self.modes.insert {
                screen.rows[screen.cursor.row].insert(col, more, cols, style);
            }
            let row = &mut screen.rows[screen.cursor.row];
            // A mark that stands alone behind the last column shows nowhere, but the cursor moves on.
            if col < cols {
                row.set(col, Cell::char(c, new_width, style));
            }
            screen.cursor.col += 1;
            if new_width == 2 {
                row.set(col + 1, Cell::continuation(style));
                screen.cursor.col += 1;
            }
        }
        let screen = &mut self.screens[self.active];
        let col = screen.cursor.col;
        let row = &mut screen.rows[screen.cursor.row];
        row.split_after(col, style);
        row.stamp = self.stamp;
    }

    /// Whether a character belongs to the one printed before it.
    fn joins(&self, c: char) -> bool {
        if !self.modes.grapheme_clusters {
            return width::width(c) == 0;
        }
        if c.is_ascii() {
            return false;
        }
        let mut text = self.last_cluster();
        let boundary = text.len();
        text.push(c);
        let mut cursor = GraphemeCursor::new(boundary, text.len(), true);
        boundary > 0 && cursor.is_boundary(&text, 0) == Ok(false)
    }

    /// The text of the cell that was printed last.
    fn last_cluster(&self) -> String {
        let screen = &self.screens[self.active];
        let row = &screen.rows[screen.cursor.row];
        let col = screen.cursor.col.saturating_sub(usize::from(self.joinable));
        self.cell_text(row.cell(col))
    }

    pub(crate) fn cell_text(&self, cell: Cell) -> String {
        match cell.glyph() {
            Glyph::Blank => String::new(),
            Glyph::Char(c) => c.into(),
            Glyph::Cluster(index) => self.tables.cluster(index).to_owned(),
        }
    }

    /// Adds a mark to the cell before the cursor, which may become wider by it.
    fn join(&mut self, c: char, new_width: u8, more: usize, style: StyleId) {
        let screen = &mut self.screens[self.active];
        let row = &mut screen.rows[screen.cursor.row];
        let before = screen.cursor.col - 1;
        let col = if row.cell(before).width() == 0 { before.saturating_sub(1) } else { before };
        let cell = row.cell(col);
        let joined = match cell.glyph() {
            Glyph::Blank => Cell::char(c, new_width, cell.style()),
            Glyph::Char(base) => {
                let index = self.tables.add_cluster(&String::from_iter([base, c]));
                Cell::cluster(index, new_width, cell.style())
            }
            Glyph::Cluster(index) => {
                let text = self.tables.cluster(index);
                if text.len() + c.len_utf8() > MAX_CLUSTER {
                    cell
                } else {
                    let text = format!("{text}{c}");
                    Cell::cluster(self.tables.add_cluster(&text), new_width, cell.style())
                }
            }
        };
        row.set(col, joined);
        for _ in 0..more {
            row.set(screen.cursor.col, Cell::continuation(style));
            screen.cursor.col += 1;
        }
    }

    /// Goes to the start of the next row, which continues this one.
    #[inline]
    fn wrap(&mut self) {
        let screen = self.screen();
        let row = screen.cursor.row;
        screen.cursor.col = 0;
        if row == screen.margins.bottom {
            self.scroll(true);
        } else {
            let next = (row + 1).min(screen.height() - 1);
            screen.cursor.row = next;
            screen.rows[next].wrapped = true;
        }
    }

    /// Wraps and takes along what stands from `from` on: the part of a cluster that outgrew the row.
    fn wrap_with(&mut self, from: usize) {
        let style = self.pen_style;
        let screen = self.screen();
        let (cursor, cols) = (screen.cursor, screen.cols());
        let row = &mut screen.rows[cursor.row];
        let taken: Vec<Cell> = (from..cursor.col).map(|col| row.cell(col)).collect();
        for col in from..cols {
            row.set(col, Cell::blank(style));
        }
        self.wrap();
        let screen = self.screen();
        for (col, cell) in taken.into_iter().enumerate() {
            screen.row().set(col, cell);
            screen.cursor.col = col + 1;
        }
    }

    /// Prints the last character again (REP).
    pub(crate) fn repeat(&mut self, times: usize) {
        if self.joinable == 0 {
            return;
        }
        let text = self.last_cluster();
        if let [byte] = *text.as_bytes() {
            let run = [byte; 256];
            let mut left = times.min(MAX_REPEAT);
            while left > 0 {
                let now = left.min(run.len());
                self.print_ascii(&run[..now]);
                left -= now;
            }
        } else {
            let times = times.min(MAX_REPEAT_OTHER / text.chars().count().max(1));
            for _ in 0..times {
                text.chars().for_each(|c| self.put(c));
            }
        }
    }
}
