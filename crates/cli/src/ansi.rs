//! Rows with their colours, safe to print: text and SGR, no modes, no cursor movement, no links.

use std::fmt::Write;

use terminal::{Color, ColorKind, Flags, Style, StyledRow, Underline};

/// Flags and the SGR parameter that sets each.
const FLAGS: [(Flags, u8); 8] = [
    (Flags::BOLD, 1),
    (Flags::DIM, 2),
    (Flags::ITALIC, 3),
    (Flags::BLINK, 5),
    (Flags::INVERSE, 7),
    (Flags::INVISIBLE, 8),
    (Flags::STRIKE, 9),
    (Flags::OVERLINE, 53),
];

/// The rows, each on a line of its own that ends in the default style.
pub(crate) fn paint(rows: impl Iterator<Item = StyledRow>) -> String {
    let mut out = String::new();
    for row in rows {
        let last = row.spans.len().saturating_sub(1);
        for (index, span) in row.spans.iter().enumerate() {
            let sgr = sgr(span.style);
            let is_plain_end = index == last && sgr.is_empty();
            let text = if is_plain_end { span.text.trim_end() } else { &span.text };
            if sgr.is_empty() {
                out.push_str(text);
            } else {
                let _ = write!(out, "\x1b[{sgr}m{text}\x1b[0m");
            }
        }
        out.push('\n');
    }
    out
}

/// The parameters that make a style out of the default one.
fn sgr(style: Style) -> String {
    let mut parameters: Vec<String> = FLAGS
        .iter()
        .filter(|(flag, _)| style.flags.contains(*flag))
        .map(|(_, parameter)| parameter.to_string())
        .collect();
    match style.underline {
        Underline::None => {}
        Underline::Single => parameters.push("4".to_owned()),
        Underline::Double => parameters.push("4:2".to_owned()),
        Underline::Curly => parameters.push("4:3".to_owned()),
        Underline::Dotted => parameters.push("4:4".to_owned()),
        Underline::Dashed => parameters.push("4:5".to_owned()),
    }
    parameters.extend(color(style.foreground, 30));
    parameters.extend(color(style.background, 40));
    if style.underline != Underline::None {
        parameters.extend(extended(style.underline_color, 58));
    }
    parameters.join(";")
}

/// A colour, of the text if `base` is 30 and behind it if `base` is 40; the first sixteen in the words that every
/// terminal knows.
fn color(color: Color, base: u8) -> Option<String> {
    match color.kind() {
        ColorKind::Indexed(index @ 0..8) => Some((base + index).to_string()),
        ColorKind::Indexed(index @ 8..16) => Some((base + 60 + index - 8).to_string()),
        _ => extended(color, base + 8),
    }
}

fn extended(color: Color, parameter: u8) -> Option<String> {
    match color.kind() {
        ColorKind::Default => None,
        ColorKind::Indexed(index) => Some(format!("{parameter};5;{index}")),
        ColorKind::Rgb(r, g, b) => Some(format!("{parameter};2;{r};{g};{b}")),
    }
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
    fn printed_anew_it_looks_the_same() {
        let seen = terminal(
            b"plain \x1b[1;31mred\x1b[0m \x1b[38;5;99mviolet\x1b[0m\r\n\x1b[4:3;58:2::1:2:3mwave\x1b[0m \
              \x1b[97;104mbright\x1b[0m \x1b[38;2;1;2;3;48;2;4;5;6mtrue\x1b[0m\r\n\x1b[7;9;53minverse",
        );
        let painted = paint(seen.rows()).replace('\n', "\r\n");
        let again = terminal(&[b"\x1b[?7l", painted.trim_end().as_bytes()].concat());
        assert!(again.rows().eq(seen.rows()), "{}", painted.escape_debug());
    }

    #[test]
    fn there_is_nothing_in_it_but_text_and_styles() {
        let seen = terminal(
            b"\x1b]8;;http://example.com\x07link\x1b]8;;\x07\x1b[?1049h\x1b[?1000h\x1b]0;t\x07x\x1b[5n",
        );
        let painted = paint(seen.rows());
        assert!(!painted.contains('\x1b'), "{}", painted.escape_debug());
    }
}
