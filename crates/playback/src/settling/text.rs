//! Rows as text.

use terminal::TextRow;

/// A line that rows are added to.
pub(crate) struct Growing {
    /// Its text so far.
    pub(crate) text: String,
    /// Columns that its last row used.
    used_cols: u16,
    /// The latest stamp of its rows.
    pub(crate) stamp: u32,
}

impl Growing {
    /// A line that begins with a row.
    pub(crate) fn of(row: TextRow) -> Growing {
        Growing { text: row.text, used_cols: row.cols, stamp: row.stamp }
    }

    /// Adds a row of a screen of so many columns.
    pub(crate) fn add(&mut self, row: TextRow, cols: u16) {
        let blank = usize::from(cols.saturating_sub(self.used_cols));
        // One blank column is what a wide character left that did not fit.
        if blank > 1 {
            self.text.extend(std::iter::repeat_n(' ', blank));
        }
        self.text.push_str(&row.text);
        self.used_cols = row.cols;
        self.stamp = self.stamp.max(row.stamp);
    }
}

/// Rows as lines of text, without the blanks at their ends, and the latest stamp of each. A wrapped row continues the
/// line before it.
pub(crate) fn lines(rows: impl Iterator<Item = TextRow>, cols: u16) -> Vec<(String, u32)> {
    let mut lines: Vec<Growing> = Vec::new();
    for row in rows {
        match lines.last_mut() {
            Some(line) if row.wrapped => line.add(row, cols),
            _ => lines.push(Growing::of(row)),
        }
    }
    lines.into_iter().map(|line| (without_end(line.text), line.stamp)).collect()
}

/// A text without the blanks at its end.
pub(crate) fn without_end(mut text: String) -> String {
    text.truncate(text.trim_end().len());
    text
}

/// Rows as one text, with a line feed behind each line.
pub(crate) fn joined(rows: impl Iterator<Item = TextRow>, cols: u16) -> String {
    lines(rows, cols).into_iter().flat_map(|(line, _)| [line, "\n".to_owned()]).collect()
}

/// Whether there is nothing to read in a row.
pub(crate) fn is_blank(row: &TextRow) -> bool {
    row.text.trim_end().is_empty()
}
