//! Rows to be painted, from the live screens and from the history alike.

use std::sync::Arc;

use crate::cell::Glyph;
use crate::history::{StoredGlyph, StoredLine};
use crate::row::Row;
use crate::signal::PromptMarks;
use crate::style::{LinkId, Style};
use crate::tables::{Link, Tables};

pub(super) struct PaintRow<'a> {
    /// The columns that differ from `fill`, as far as the last of them.
    pub(super) cells: Vec<PaintCell<'a>>,
    pub(super) fill: Style,
    pub(super) wrapped: bool,
    pub(super) marks: PromptMarks,
}

#[derive(Clone, Copy)]
pub(super) struct PaintCell<'a> {
    pub(super) text: PaintText<'a>,
    pub(super) width: u8,
    /// Without its link, whose number means something else in every table.
    pub(super) style: Style,
    pub(super) link: Option<&'a Arc<Link>>,
}

#[derive(Clone, Copy)]
pub(super) enum PaintText<'a> {
    Blank,
    Char(char),
    Cluster(&'a str),
    /// Second half of the cell before.
    Continuation,
}

impl<'a> PaintRow<'a> {
    pub(super) fn live(row: &Row, tables: &'a Tables) -> PaintRow<'a> {
        let cells = row.cells().iter().map(|&cell| {
            let style = tables.styles.get(cell.style());
            let text = match cell.glyph() {
                Glyph::Blank if cell.is_continuation() => PaintText::Continuation,
                Glyph::Blank => PaintText::Blank,
                Glyph::Char(c) => PaintText::Char(c),
                Glyph::Cluster(index) => PaintText::Cluster(tables.cluster(index)),
            };
            PaintCell {
                text,
                width: cell.width(),
                style: Style { link: LinkId::NONE, ..style },
                link: tables.link(style.link),
            }
        });
        PaintRow::new(cells, tables.styles.get(row.fill), row.wrapped, row.marks)
    }

    pub(super) fn stored(line: StoredLine<'a>) -> PaintRow<'a> {
        let cells = line.cells().map(|cell| {
            let style = line.style(cell.style);
            let text = match cell.glyph {
                StoredGlyph::Blank => PaintText::Blank,
                StoredGlyph::Char(c) => PaintText::Char(c),
                StoredGlyph::Cluster(text) => PaintText::Cluster(text),
                StoredGlyph::Continuation => PaintText::Continuation,
            };
            PaintCell {
                text,
                width: cell.width,
                style: Style { link: LinkId::NONE, ..style },
                link: line.link(style.link),
            }
        });
        PaintRow::new(cells, line.style(line.fill()), line.wrapped, line.marks)
    }

    fn new(
        cells: impl Iterator<Item = PaintCell<'a>>,
        fill: Style,
        wrapped: bool,
        marks: PromptMarks,
    ) -> PaintRow<'a> {
        let mut cells: Vec<PaintCell<'a>> = cells.collect();
        // A second half that stands alone shows as nothing.
        for at in 0..cells.len() {
            let orphan =
                matches!(cells[at].text, PaintText::Continuation) && (at == 0 || cells[at - 1].width != 2);
            if orphan {
                cells[at].text = PaintText::Blank;
                cells[at].width = 1;
            }
        }
        let used = cells.iter().rposition(|cell| !cell.is_blank_in(&fill)).map_or(0, |last| last + 1);
        cells.truncate(used);
        PaintRow { cells, fill, wrapped, marks }
    }

    /// The cell at a column, stored or not.
    pub(super) fn cell(&self, col: usize) -> PaintCell<'a> {
        self.cells.get(col).copied().unwrap_or(PaintCell {
            text: PaintText::Blank,
            width: 1,
            style: self.fill,
            link: None,
        })
    }
}

impl PaintCell<'_> {
    fn is_blank_in(&self, fill: &Style) -> bool {
        matches!(self.text, PaintText::Blank) && self.style == *fill && self.link.is_none()
    }

    /// A column that erasing would leave so.
    pub(super) fn is_erased(&self) -> bool {
        matches!(self.text, PaintText::Blank) && self.style.only_background() && self.link.is_none()
    }
}
