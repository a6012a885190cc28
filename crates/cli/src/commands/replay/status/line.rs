//! A line of text in tints.

use std::fmt::Write;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::table::Tint;

/// A line in reverse, or on a background of its own where there are colours.
pub(super) struct Line {
    text: String,
    /// Columns that are used.
    pub(super) used: usize,
    cols: usize,
    colours: bool,
}

impl Line {
    pub(super) fn new(cols: usize, colours: bool) -> Line {
        Line { text: String::new(), used: 0, cols, colours }
    }

    pub(super) fn left(&self) -> usize {
        self.cols - self.used
    }

    /// Adds a part; what does not fit is cut.
    pub(super) fn add(&mut self, part: &str, tint: Tint) {
        let part = cut(part, self.left());
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{}{part}", self.style(tint));
        self.used += part.width();
    }

    pub(super) fn blank(&mut self, cols: usize) {
        self.add(&" ".repeat(cols.min(self.left())), Tint::Plain);
    }

    pub(super) fn go_to(&mut self, col: usize) {
        if col < self.cols {
            // Writing to a string cannot fail.
            let _ = write!(self.text, "{} \x1b[{}G", self.style(Tint::Plain), col + 1);
            self.used = col;
        }
    }

    fn style(&self, tint: Tint) -> &'static str {
        match (self.colours, tint) {
            (false, Tint::Bold) => "\x1b[0;1;7m",
            (false, _) => "\x1b[0;7m",
            (true, Tint::Plain) => "\x1b[0;38;5;252;48;5;236m",
            (true, Tint::Faint) => "\x1b[0;38;5;245;48;5;236m",
            (true, Tint::Bold) => "\x1b[0;1;38;5;255;48;5;236m",
            (true, Tint::Green) => "\x1b[0;38;5;114;48;5;236m",
            (true, Tint::Yellow) => "\x1b[0;38;5;221;48;5;236m",
            (true, Tint::Red) => "\x1b[0;38;5;210;48;5;236m",
        }
    }

    pub(super) fn end(mut self) -> String {
        self.blank(self.left());
        self.text + "\x1b[m"
    }
}

/// A text of at most so many columns.
pub(super) fn cut(text: &str, cols: usize) -> String {
    if text.width() <= cols {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= cols
    };
    let cut: String = text.chars().take_while(fits).collect();
    if cols == 0 { cut } else { cut + "…" }
}
