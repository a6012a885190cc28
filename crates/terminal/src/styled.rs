//! Rows for reading: text with styles, for a TUI, for search, for export.

use std::sync::Arc;

use crate::cell::Glyph;
use crate::history::{StoredGlyph, StoredLine};
use crate::row::Row;
use crate::signal::PromptMarks;
use crate::style::{LinkId, Style};
use crate::tables::{Link, Tables};
use crate::width::width;

/// A row as spans of one style each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StyledRow {
    /// The text; what follows the last span is blank.
    pub spans: Vec<Span>,
    /// How the columns after the last span look.
    pub fill: Style,
    /// This row goes on with the line of the row above.
    pub wrapped: bool,
    /// What the shell said begins or ends here.
    pub marks: PromptMarks,
    /// The last column stored was never written: a wide character that did not fit left it so.
    ends_blank: bool,
}

/// Text of one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The text; a column never written is a space.
    pub text: String,
    /// How it looks.
    pub style: Style,
    /// Where it leads.
    pub link: Option<Arc<Link>>,
    /// Columns it takes.
    pub cols: u16,
}

impl StyledRow {
    fn add(&mut self, style: Style, link: Option<&Arc<Link>>, cols: u16) -> &mut String {
        let new = match self.spans.last() {
            Some(span) => span.style != style || span.link.as_ref() != link,
            None => true,
        };
        if new {
            self.spans.push(Span { style, link: link.cloned(), ..Span::default() });
        }
        let last = self.spans.len() - 1;
        self.spans[last].cols += cols;
        &mut self.spans[last].text
    }

    /// The row with its blank end made explicit.
    pub(crate) fn at_width(&self, cols: u16) -> StyledRow {
        let mut row = self.clone();
        let stored = row.spans.iter().map(|span| span.cols).sum();
        row.add_blanks(cols.saturating_sub(stored));
        row
    }

    fn add_blanks(&mut self, blanks: u16) {
        if blanks > 0 {
            let fill = self.fill;
            self.add(fill, None, blanks).push_str(&" ".repeat(usize::from(blanks)));
        }
    }

    /// The text without styles.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

pub(crate) fn live_row(row: &Row, tables: &Tables) -> StyledRow {
    let fill = Style { link: LinkId::NONE, ..tables.styles.get(row.fill) };
    let mut styled = StyledRow { fill, wrapped: row.wrapped, marks: row.marks, ..StyledRow::default() };
    for cell in row.cells() {
        let style = tables.styles.get(cell.style());
        let link = tables.link(style.link);
        let text = styled.add(style, link, 1);
        match cell.glyph() {
            Glyph::Blank if cell.is_continuation() => {}
            Glyph::Blank => text.push(' '),
            Glyph::Char(c) => text.push(c),
            Glyph::Cluster(index) => text.push_str(tables.cluster(index)),
        }
        styled.ends_blank = cell.is_blank();
    }
    styled
}

pub(crate) fn stored_row(line: StoredLine<'_>) -> StyledRow {
    let fill = Style { link: LinkId::NONE, ..line.style(line.fill()) };
    let mut styled = StyledRow { fill, wrapped: line.wrapped, marks: line.marks, ..StyledRow::default() };
    for cell in line.cells() {
        let style = line.style(cell.style);
        let text = styled.add(style, line.link(style.link), 1);
        match cell.glyph {
            StoredGlyph::Blank => text.push(' '),
            StoredGlyph::Char(c) => text.push(c),
            StoredGlyph::Cluster(cluster) => text.push_str(cluster),
            StoredGlyph::Continuation => {}
        }
        styled.ends_blank = matches!(cell.glyph, StoredGlyph::Blank);
    }
    styled
}

/// One row for each logical line, as wide as it is.
pub(crate) fn logical_lines(rows: impl Iterator<Item = StyledRow>, cols: u16) -> Vec<StyledRow> {
    let mut lines: Vec<StyledRow> = Vec::new();
    // Columns of the row added last.
    let mut stored = 0;
    for row in rows {
        let next_stored = row.spans.iter().map(|span| span.cols).sum();
        match lines.last_mut() {
            Some(line) if row.wrapped => {
                line.fill_up(cols.saturating_sub(stored), row.starts_wide());
                line.spans.extend(row.spans);
                line.fill = row.fill;
                line.ends_blank = row.ends_blank;
            }
            _ => lines.push(row),
        }
        stored = next_stored;
    }
    lines
}

impl StyledRow {
    fn starts_wide(&self) -> bool {
        let first = self.spans.first().and_then(|span| span.text.chars().next());
        first.is_some_and(|c| width(c) == 2)
    }

    /// Makes explicit what the line has before the row that continues it: blanks as far as the width, less the one
    /// that a wide character left because it did not fit.
    fn fill_up(&mut self, blanks: u16, wide_follows: bool) {
        self.add_blanks(blanks);
        let gap = wide_follows && (self.ends_blank || blanks > 0);
        if let Some(last) = self.spans.last_mut().filter(|_| gap) {
            last.text.pop();
            last.cols -= 1;
        }
    }
}

/// Plain text, a line for each logical line.
pub(crate) fn text(lines: &[StyledRow]) -> String {
    let mut text: String = lines.iter().map(|line| format!("{}\n", line.text().trim_end())).collect();
    text.truncate(text.trim_end().len());
    if !text.is_empty() {
        text.push('\n');
    }
    text
}
