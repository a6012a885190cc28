//! The rows of a screen, without borders.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A rendered screen, as it is handed in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScreenRows {
    /// The text of each row, from the top.
    pub rows: Vec<String>,
    /// Row and column of the cursor, both from zero.
    pub cursor: (usize, usize),
    /// Whether the cursor is shown. Dialogs mostly hide it.
    pub cursor_is_shown: bool,
}

impl ScreenRows {
    /// The screen of a terminal model.
    pub fn of(terminal: &terminal::Terminal) -> ScreenRows {
        let cursor = terminal.cursor();
        ScreenRows {
            rows: terminal.text_rows().map(|row| row.text).collect(),
            cursor: (usize::from(cursor.row), usize::from(cursor.col)),
            cursor_is_shown: cursor.visible,
        }
    }
}

/// So many rows from the last one with text are looked at, however tall the screen is.
const MOST_ROWS: usize = 60;

/// Rules of boxes are at least so long.
const SHORTEST_RULE: usize = 8;

/// The rows of a screen, each also without what frames it.
pub(super) struct Rows<'a> {
    screen: &'a ScreenRows,
    bare: Vec<&'a str>,
    first: usize,
    last: Option<usize>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(screen: &'a ScreenRows) -> Rows<'a> {
        let bare: Vec<&str> = screen.rows.iter().map(|row| bare(row)).collect();
        let last = screen.rows.iter().rposition(|row| !row.trim().is_empty());
        let first = last.map_or(0, |last| (last + 1).saturating_sub(MOST_ROWS));
        Rows { screen, bare, first, last }
    }

    /// The last row with anything on it.
    pub(super) fn last(&self) -> Option<usize> {
        self.last
    }

    /// The first row that is looked at.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    pub(super) fn cursor_row(&self) -> usize {
        self.screen.cursor.0
    }

    /// Whether the cursor is shown in a row with text below this one: another program's prompt.
    pub(super) fn is_typed_below(&self, row: usize) -> bool {
        let cursor = self.cursor_row();
        self.screen.cursor_is_shown && cursor > row && self.has_text(cursor)
    }

    /// Whether the cursor stands behind the text of a row.
    pub(super) fn cursor_is_at_end_of(&self, row: usize) -> bool {
        let cols = self.raw(row).trim_end().chars().count();
        self.screen.cursor.0 == row && self.screen.cursor.1 >= cols.saturating_sub(1)
    }

    /// A row as it is.
    pub(super) fn raw(&self, row: usize) -> &'a str {
        self.screen.rows.get(row).map_or("", String::as_str)
    }

    /// A row without the borders of boxes and the spaces around its text.
    pub(super) fn bare(&self, row: usize) -> &'a str {
        self.bare.get(row).copied().unwrap_or("")
    }

    /// Whether a row has no text: it may have borders.
    pub(super) fn is_blank(&self, row: usize) -> bool {
        self.bare(row).is_empty()
    }

    /// Whether a row is a line of a box, or between two parts of the screen.
    pub(super) fn is_rule(&self, row: usize) -> bool {
        is_rule(self.raw(row))
    }

    /// Whether a row has text, and not only a line.
    pub(super) fn has_text(&self, row: usize) -> bool {
        !self.is_blank(row) && !self.is_rule(row)
    }

    /// The column in which the text of a row begins.
    pub(super) fn indent(&self, row: usize) -> usize {
        let (raw, bare) = (self.raw(row), self.bare(row));
        // Both are of one text.
        let bytes = bare.as_ptr() as usize - raw.as_ptr() as usize;
        raw.get(..bytes).map_or(0, |before| before.chars().count())
    }

    /// What stands for all rows above one.
    pub(super) fn hash_above(&self, row: usize) -> u64 {
        let mut hasher = DefaultHasher::new();
        for row in self.screen.rows.iter().take(row) {
            row.trim_end().hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// Upright borders and scroll bars.
fn is_border(c: char) -> bool {
    matches!(c, '│' | '┃' | '║' | '┆' | '┇' | '┊' | '┋' | '▏' | '▕' | '▐' | '▌' | '█' | '╎' | '╏')
}

fn bare(row: &str) -> &str {
    if is_rule(row) {
        return &row[..0];
    }
    row.trim_matches(|c: char| c.is_whitespace() || is_border(c) || c == '\u{200b}')
}

fn is_rule(row: &str) -> bool {
    let (mut lines, mut others) = (0_usize, 0_usize);
    for c in row.chars().filter(|c| !c.is_whitespace() && !is_border(*c)) {
        let is_line = matches!(c, '─'..='╿' | '▀' | '▁'..='▄' | '▔' | '‾') && !is_border(c);
        if is_line {
            lines += 1;
        } else {
            others += 1;
        }
    }
    lines >= SHORTEST_RULE && lines >= 2 * others
}
