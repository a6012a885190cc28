//! The visible part of a row.

use terminal::{Link, Span, Style, StyledRow};

use crate::ruler::Ruler;
use crate::sgr;

/// Erases the rest of a row, without a colour.
const ERASE: &str = "\x1b[m\x1b[K";

/// Ends a link.
const NO_LINK: &str = "\x1b]8;;\x1b\\";

/// The columns of a screen that are seen.
#[derive(Clone, Copy)]
pub(crate) struct Columns {
    /// The first of them.
    pub(crate) left: u16,
    /// How many there is room for.
    pub(crate) cols: u16,
    /// How many the screen has.
    pub(crate) all: u16,
}

/// What paints a row on which nothing is.
pub(crate) fn blank() -> String {
    ERASE.to_owned()
}

impl Columns {
    /// What paints these columns of a row, from the outer terminal's first column on. Of a wide character that is
    /// half outside, the other half is blank.
    pub(crate) fn of(self, row: &StyledRow, clusters: bool, ruler: &mut Ruler) -> String {
        let mut paint = Paint { text: String::new(), columns: self, col: 0 };
        for span in &row.spans {
            paint.span(span, clusters, ruler);
        }
        paint.fill(row.fill);
        paint.text
    }

    fn end(self) -> u16 {
        self.all.min(self.left.saturating_add(self.cols))
    }
}

struct Paint {
    text: String,
    columns: Columns,
    /// The column of the worker's screen that comes next.
    col: u16,
}

impl Paint {
    fn span(&mut self, span: &Span, clusters: bool, ruler: &mut Ruler) {
        let begin = self.col;
        let is_seen = begin < self.columns.end() && begin + span.cols > self.columns.left;
        if is_seen {
            self.text.push_str(&sgr::only(span.style));
            self.link(span.link.as_deref());
            // A wide character has at least three bytes and marks have some: only ASCII has as many as columns.
            if span.text.len() == usize::from(span.cols) {
                self.ascii(&span.text);
            } else {
                for glyph in ruler.glyphs(&span.text, clusters) {
                    self.glyph(glyph.text, glyph.cols);
                }
            }
            if span.link.is_some() {
                self.text.push_str(NO_LINK);
            }
        }
        self.col = begin + span.cols;
        if is_seen && !span.text.is_ascii() {
            // The outer terminal may take some character for wider or narrower than the model does.
            self.go_to_col();
        }
    }

    fn ascii(&mut self, text: &str) {
        let skipped = usize::from(self.columns.left.saturating_sub(self.col));
        let end = usize::from(self.columns.end() - self.col).min(text.len());
        self.text.push_str(&text[skipped.min(end)..end]);
    }

    fn glyph(&mut self, text: &str, cols: u16) {
        let Columns { left, .. } = self.columns;
        let (begin, end) = (self.col, self.col + cols);
        self.col = end;
        if begin >= left && end <= self.columns.end() {
            self.text.push_str(text);
        } else {
            let seen = end.min(self.columns.end()).saturating_sub(begin.max(left));
            self.text.extend((0..seen).map(|_| ' '));
        }
    }

    /// Blank columns up to the end of the worker's screen, and nothing beside it.
    fn fill(&mut self, style: Style) {
        let begin = self.col.max(self.columns.left);
        let end = self.columns.end();
        let mut painted = begin;
        if style != Style::default() && begin < end {
            self.text.push_str(&sgr::only(style));
            self.text.extend((begin..end).map(|_| ' '));
            painted = end;
        }
        // After its last column was printed on, a terminal would erase that.
        if painted - self.columns.left < self.columns.cols {
            self.text.push_str(ERASE);
        }
    }

    fn link(&mut self, link: Option<&Link>) {
        if let Some(Link { id, uri }) = link {
            let id = if id.is_empty() { String::new() } else { format!("id={id}") };
            self.text.push_str(&format!("\x1b]8;{id};{uri}\x1b\\"));
        }
    }

    fn go_to_col(&mut self) {
        if self.col >= self.columns.left && self.col < self.columns.end() {
            self.text.push_str(&format!("\x1b[{}G", self.col - self.columns.left + 1));
        }
    }
}
