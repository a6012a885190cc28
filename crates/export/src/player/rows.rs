//! A row as a record.

use std::io;

use terminal::{Span, Style, StyledRow};

use crate::pieces::pieces;

/// The record of a row on a screen so many columns wide; `number` gives a style's.
pub(super) fn record(
    row: &StyledRow,
    cols: u16,
    mut number: impl FnMut(&Style) -> io::Result<u32>,
) -> io::Result<String> {
    let used: u16 = row.spans.iter().map(|span| span.cols).sum();
    let left = cols.saturating_sub(used);
    let fill = Span { text: " ".repeat(left.into()), style: row.fill, cols: left, ..Span::default() };
    let mut spans = Vec::new();
    for span in row.spans.iter().chain([&fill]).filter(|span| span.cols > 0) {
        spans.push((number(&span.style)?, span));
    }
    // What is plain and blank at the end is there anyway.
    while spans.last().is_some_and(|(style, span)| *style == 0 && span.text.trim_end_matches(' ').is_empty())
    {
        spans.pop();
    }
    let mut record = "[0".to_owned();
    let mut present = None;
    for (style, span) in spans {
        if present.replace(style) != Some(style) {
            record.push_str(&format!(",{style}"));
        }
        for piece in pieces(span) {
            record.push(',');
            record.push_str(&serde_json::to_string(&piece.text)?);
            if let Some(cols) = piece.cols {
                record.push_str(&format!(",-{cols}"));
            }
        }
    }
    record.push(']');
    Ok(record)
}

#[cfg(test)]
mod tests {
    use model::TermSize;
    use terminal::{HistoryLimit, Terminal};

    use super::*;

    fn record_of(output: &str) -> String {
        let mut terminal = Terminal::new(TermSize::clamped(8, 2), HistoryLimit::default());
        terminal.feed(output.as_bytes());
        let row = terminal.rows().next().unwrap();
        record(&row, 8, |style| Ok(u32::from(*style != Style::default()))).unwrap()
    }

    #[test]
    fn a_row_is_its_styles_and_texts() {
        assert_eq!(record_of(""), "[0]");
        assert_eq!(record_of("ab \x1b[1mc\"\x1b[m  "), r#"[0,0,"ab ",1,"c\""]"#);
        assert_eq!(record_of("a\u{65e5}\u{2500}"), "[0,0,\"a\",\"\u{65e5}\",-2,\"\u{2500}\",-1]");
    }

    #[test]
    fn a_coloured_end_reaches_the_edge() {
        assert_eq!(record_of("a\x1b[41m\x1b[K"), r#"[0,0,"a",1,"       "]"#);
    }
}
