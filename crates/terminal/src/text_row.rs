//! Rows as plain text, for callers that read all rows and need no styles.

use crate::cell::Glyph;
use crate::history::StoredLine;
use crate::row::Row;
use crate::tables::Tables;

/// A row as plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextRow {
    /// The text; a column never written is a space, and what follows is blank.
    pub text: String,
    /// Columns that the text takes.
    pub cols: u16,
    /// This row goes on with the line of the row above.
    pub wrapped: bool,
    /// The [stamp](crate::Terminal::set_stamp) of its last change; zero if it was not touched since it was cleared.
    pub stamp: u32,
}

pub(crate) fn live_row(row: &Row, tables: &Tables) -> TextRow {
    let mut text = String::with_capacity(row.cells().len());
    for cell in row.cells() {
        match cell.glyph() {
            Glyph::Blank if cell.is_continuation() => {}
            Glyph::Blank => text.push(' '),
            Glyph::Char(c) => text.push(c),
            Glyph::Cluster(index) => text.push_str(tables.cluster(index)),
        }
    }
    TextRow { text, cols: row.cells().len() as u16, wrapped: row.wrapped, stamp: row.stamp }
}

pub(crate) fn stored_row(line: StoredLine<'_>) -> TextRow {
    let (text, cols) = line.text();
    TextRow { text, cols: cols as u16, wrapped: line.wrapped, stamp: line.stamp }
}

#[cfg(test)]
mod tests {
    use model::TermSize;

    use crate::{HistoryLimit, Terminal};

    /// Text of all kinds, some of it in the history.
    fn terminal() -> Terminal {
        let mut terminal = Terminal::new(TermSize::clamped(12, 4), HistoryLimit::default());
        let text = "plain\r\n\x1b[31mred\x1b[m\x1b[3Cgap\r\n終端 e\u{301}é\r\nlonger than one row\r\n";
        terminal.feed(text.repeat(3).as_bytes());
        terminal
    }

    #[test]
    fn plain_rows_have_the_text_of_styled_rows() {
        let terminal = terminal();
        let styled: Vec<_> = terminal.history_rows(usize::MAX).chain(terminal.rows()).collect();
        let plain: Vec<_> = terminal.history_text_rows(usize::MAX).chain(terminal.text_rows()).collect();
        assert!(terminal.history_len() > 8);
        assert_eq!(styled.len(), plain.len());
        for (styled, plain) in styled.iter().zip(&plain) {
            assert_eq!(styled.text(), plain.text);
            assert_eq!(styled.spans.iter().map(|span| span.cols).sum::<u16>(), plain.cols);
            assert_eq!(styled.wrapped, plain.wrapped);
        }
    }

    #[test]
    fn forgetting_history_leaves_everything_else_as_it_was() {
        for kept in [0, 1, 5, 1000] {
            let (mut whole, mut less) = (terminal(), terminal());
            // A saved cursor is counted from the first line of the history, and moves up with its line.
            [&mut whole, &mut less].into_iter().for_each(|terminal| terminal.feed(b"\x1b7"));
            less.forget_history(kept);
            assert_eq!(less.history_len(), kept.min(whole.history_len()));
            [&mut whole, &mut less]
                .into_iter()
                .for_each(|terminal| terminal.feed(b"one\r\ntwo\r\n\x1b8here"));
            let newest = |terminal: &Terminal| -> Vec<_> { terminal.history_rows(kept + 2).collect() };
            assert!(newest(&whole).ends_with(&newest(&less)));
            assert!(whole.rows().eq(less.rows()), "{kept} rows kept");
            assert_eq!(whole.cursor(), less.cursor());
        }
    }
}
