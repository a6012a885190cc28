//! Rows put together to the line that they are to a reader.

use super::Shadow;
use super::row::Row;
use crate::block;
use crate::columns::{BLANK, BORDER, SECOND_HALF};
use crate::open::Open;

/// Columns before and after what is new that are looked at again, when a line has very many.
const CONTEXT: usize = 4096;
/// Rows that a word wrapped by its program may take.
const MAX_ROWS: usize = 64;
/// Blank columns that programs leave at the right edge of a screen, or between text and a border.
const MARGIN: usize = 4;
/// Empty rows after which what was open still goes on. Private keys have one behind their headers.
const MAX_EMPTY: usize = 2;
/// A word of so many columns that fills its row up to the edge is no ordinary one.
const LONG_WORD: usize = 16;

/// A line made of rows.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) text: Vec<u8>,
    pub(super) parts: Vec<Part>,
    /// How many columns belong to the line itself; after them come words that its program may have wrapped.
    pub(super) own: usize,
    /// The first and the last of its rows that are on the screen.
    pub(super) rows: (usize, usize),
    /// What was open before it.
    pub(super) open_before: Open,
}

/// A stretch of a row in a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) row: Where,
    /// Its first column in the row.
    pub(super) col: usize,
    /// Its first column in the line.
    pub(super) at: usize,
    pub(super) len: usize,
}

/// A row on the screen, or one that has left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    Above(usize),
    Screen(usize),
}

impl Line {
    fn add(&mut self, row: Where, col: usize, text: &[u8]) {
        self.parts.push(Part { row, col, at: self.text.len(), len: text.len() });
        self.text.extend_from_slice(text);
    }
}

impl Shadow {
    /// Puts the line together that row `at` belongs to.
    pub(super) fn gather(&self, at: usize, line: &mut Line) {
        line.text.clear();
        line.parts.clear();
        let context = CONTEXT.div_ceil(self.cols);
        let mut first = at;
        while first > 0 && at - first < context && self.row(first).wrapped {
            first -= 1;
        }
        let mut last = at;
        let mut old = 0;
        while last + 1 < self.height() && self.row(last + 1).wrapped && old < context {
            last += 1;
            old = if self.row(last).is_dirty() { 0 } else { old + 1 };
        }
        line.rows = (first, last);
        line.open_before = self.open_before(first);
        if first == 0 && self.row(0).wrapped && self.wraps_from_above() {
            line.open_before = self.above.open_before;
            for (index, row) in self.above.rows.iter().enumerate() {
                let next = self.above.rows.get(index + 1).unwrap_or(self.row(0));
                self.add_row(line, Where::Above(index), row, Some(next));
            }
        }
        for row in first..=last {
            let next = (row < last).then(|| self.row(row + 1));
            self.add_row(line, Where::Screen(row), self.row(row), next);
        }
        line.own = line.text.len();
    }

    /// What is open where a row begins. An empty row or two say nothing about it.
    #[inline]
    pub(super) fn open_before(&self, row: usize) -> Open {
        let mut at = row;
        while at > 0 {
            at -= 1;
            let before = self.row(at);
            if !before.text.is_empty() || row - at > MAX_EMPTY {
                return before.open;
            }
        }
        self.above.open
    }

    /// Whether the rows kept above are the beginning of the first line.
    fn wraps_from_above(&self) -> bool {
        self.above.rows.iter().skip(1).all(|row| row.wrapped)
    }

    /// Whether a trigger stood in any row of a line when it was last looked at.
    pub(super) fn was_stirred(&self, line: &Line) -> bool {
        line.parts.iter().any(|part| match part.row {
            Where::Above(row) => self.above.rows[row].stirred,
            Where::Screen(row) => self.row(row).stirred,
        })
    }

    fn add_row(&self, line: &mut Line, place: Where, row: &Row, next: Option<&Row>) {
        line.add(place, 0, &row.text);
        let Some(next) = next else { return };
        // A wide character that had no room left the last column empty; the word goes on all the same.
        let wide_next = next.text.get(1) == Some(&SECOND_HALF);
        let missing = self.cols.saturating_sub(row.text.len());
        if missing > 0 && !(missing == 1 && wide_next) {
            line.text.resize(line.text.len() + missing, BLANK);
        }
    }

    /// Adds the words of following rows with which the last word of a line may go on, because its program wrapped it.
    pub(super) fn extend(&self, line: &mut Line) {
        let (_, last) = line.rows;
        self.extend_from(line, self.row(last), last + 1);
    }

    /// The same for the line that left the screen last.
    pub(super) fn gather_above(&self, line: &mut Line) {
        line.text.clear();
        line.parts.clear();
        for (index, row) in self.above.rows.iter().enumerate() {
            if row.joined {
                if let Some(before) = index.checked_sub(1).and_then(|before| self.above.rows.get(before)) {
                    self.cut_margin(line, before);
                }
                let word = first_word(&row.text).unwrap_or(0..0);
                line.add(Where::Above(index), word.start, &row.text[word.clone()]);
            } else {
                let next = self.above.rows.get(index + 1).filter(|next| next.wrapped);
                self.add_row(line, Where::Above(index), row, next);
            }
        }
        line.own = line.text.len();
        line.open_before = self.above.open_before;
        if let Some(row) = self.above.rows.back() {
            self.extend_from(line, row, 0);
        }
    }

    fn extend_from(&self, line: &mut Line, row: &Row, mut next: usize) {
        // A block of YAML begins at the edge: what follows is its text.
        let begins_block = self.edge_word(&row.text).is_some_and(|edge| block::is_sign(&row.text[edge]));
        if begins_block || !self.cut_margin(line, row) {
            return;
        }
        for _ in 0..MAX_ROWS {
            if next >= self.height() || self.row(next).wrapped {
                return;
            }
            let text = &self.row(next).text;
            let Some(word) = first_word(text).filter(|word| goes_on(&text[word.clone()])) else { return };
            line.add(Where::Screen(next), word.start, &text[word.clone()]);
            if self.edge_word(text).is_none_or(|edge| edge.start != word.start) {
                return;
            }
            next += 1;
        }
    }

    /// Ends a line with the last word of its last row, if only a margin or a border stands after that.
    fn cut_margin(&self, line: &mut Line, row: &Row) -> bool {
        let (Some(edge), Some(part)) = (self.edge_word(&row.text), line.parts.last_mut()) else {
            return false;
        };
        let end = (part.at + edge.end.saturating_sub(part.col)).min(line.text.len());
        part.len = end - part.at;
        line.text.truncate(end);
        line.own = line.own.min(end);
        true
    }

    /// Whether the last word of a row reaches the edge at which its program wraps.
    pub(super) fn reaches_edge(&self, row: &Row) -> bool {
        self.edge_word(&row.text).is_some()
    }

    /// The last word of a row, if nothing but a margin or a border stands between it and the edge.
    fn edge_word(&self, text: &[u8]) -> Option<std::ops::Range<usize>> {
        // A bar is a border only beside another one: YAML ends lines with it.
        let barred = text.iter().find(|byte| **byte != BLANK) == Some(&b'|');
        let is_edge = |byte: &u8| *byte == BORDER || barred && *byte == b'|';
        let text_end = text.iter().rposition(|byte| *byte != BLANK)? + 1;
        let bordered = is_edge(&text[text_end - 1]);
        let inner = text[..text_end].iter().rposition(|byte| !is_edge(byte) && *byte != BLANK)? + 1;
        let border = text[inner..text_end].iter().position(is_edge).map_or(self.cols, |at| inner + at);
        let margin = border - inner;
        if margin > MARGIN || !bordered && inner != text_end {
            return None;
        }
        let start =
            text[..inner].iter().rposition(|byte| *byte == BLANK || is_edge(byte)).map_or(0, |at| at + 1);
        Some(start..inner)
    }
}

/// The first word of a row, after its margin or border.
fn first_word(text: &[u8]) -> Option<std::ops::Range<usize>> {
    let is_margin = |byte: &u8| *byte == BLANK || *byte == BORDER || *byte == b'|';
    let start = text.iter().position(|byte| !is_margin(byte))?;
    let len = text[start..].iter().position(is_margin).unwrap_or(text.len() - start);
    Some(start..start + len)
}

/// Whether a word can be the rest of a secret: no ordinary word, which has no digits and no capitals inside.
fn goes_on(word: &[u8]) -> bool {
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+/=.~%".contains(byte);
    let digit = word.iter().any(u8::is_ascii_digit) && word.iter().any(u8::is_ascii_alphabetic);
    let inner_capital =
        word.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    word.iter().all(belongs) && (digit || inner_capital || word.len() >= LONG_WORD)
}
