//! Rows with their colours, safe to print: text and SGR, no modes, no cursor movement, no links.

use std::fmt::Write;

use terminal::StyledRow;

use outer::sgr;

/// The rows, each on a line of its own that ends in the default style.
pub(crate) fn paint(rows: impl Iterator<Item = StyledRow>) -> String {
    let mut out = String::new();
    for row in rows {
        let last = row.spans.len().saturating_sub(1);
        for (index, span) in row.spans.iter().enumerate() {
            let parameters = sgr::parameters(span.style);
            let is_plain_end = index == last && parameters.is_empty();
            let text = if is_plain_end { span.text.trim_end() } else { &span.text };
            if parameters.is_empty() {
                out.push_str(text);
            } else {
                let _ = write!(out, "\x1b[{parameters}m{text}\x1b[0m");
            }
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use model::TermSize;
    use terminal::{HistoryLimit, Terminal};

    use super::*;

    fn terminal(bytes: &[u8]) -> Terminal {
        let mut terminal = Terminal::new(TermSize::clamped(30, 4), HistoryLimit { lines: 0, bytes: 0 });
        terminal.feed(bytes);
        terminal
    }

    #[test]
    fn painted_rows_look_the_same_in_another_terminal() {
        let seen = terminal(
            b"plain \x1b[1;31mred\x1b[0m \x1b[38;5;99mviolet\x1b[0m\r\n\x1b[4:3;58:2::1:2:3mwave\x1b[0m \
              \x1b[97;104mbright\x1b[0m \x1b[38;2;1;2;3;48;2;4;5;6mtrue\x1b[0m\r\n\x1b[7;9;53minverse",
        );
        let painted = paint(seen.rows()).replace('\n', "\r\n");
        let again = terminal(&[b"\x1b[?7l", painted.trim_end().as_bytes()].concat());
        assert!(again.rows().eq(seen.rows()), "{}", painted.escape_debug());
    }

    #[test]
    fn painted_rows_contain_only_text_and_styles() {
        let seen = terminal(
            b"\x1b]8;;http://example.com\x07link\x1b]8;;\x07\x1b[?1049h\x1b[?1000h\x1b]0;t\x07x\x1b[5n",
        );
        let painted = paint(seen.rows());
        assert!(!painted.contains('\x1b'), "{}", painted.escape_debug());
    }
}
