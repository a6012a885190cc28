//! Rows for reading: text with styles, for a TUI, for search, for export.

use std::sync::Arc;

use crate::cell::Glyph;
use crate::history::{StoredGlyph, StoredLine};
use crate::row::Row;
use crate::signal::PromptMark;
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
    pub mark: Option<PromptMark>,
    /// The last column stored was never written: a wide character that did not fit left it so.
    ends_blank: bool,
}

/// Text of one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The text; a column never written is a space.
    pub text: String,
    /// How it looks. The number of its link means nothing outside the row; `link` does.
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

    /// The text without styles; blanks at the end are cut unless the next row goes on with the line.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

pub(crate) fn live_row(row: &Row, tables: &Tables) -> StyledRow {
    let fill = Style { link: LinkId::NONE, ..tables.styles.get(row.fill) };
    let mut styled = StyledRow { fill, wrapped: row.wrapped, mark: row.mark, ..StyledRow::default() };
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
    let mut styled = StyledRow { fill, wrapped: line.wrapped, mark: line.mark, ..StyledRow::default() };
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

/// Plain text, a line for each logical line.
pub(crate) fn text(rows: impl Iterator<Item = StyledRow>) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut gap = false;
    for row in rows {
        let text = row.text();
        match lines.last_mut() {
            Some(line) if row.wrapped => {
                if gap && text.chars().next().is_some_and(|c| width(c) == 2) {
                    line.pop();
                }
                line.push_str(&text);
            }
            _ => lines.push(text),
        }
        gap = row.ends_blank;
    }
    while lines.last().is_some_and(|line| line.trim_end().is_empty()) {
        lines.pop();
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}
