//! Styles as the parameters of a terminal's sequence for them.

use terminal::{Color, ColorKind, Flags, Style, Underline};

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

/// The parameters that make a style out of the default one.
pub fn parameters(style: Style) -> String {
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
    parameters.extend(extended(style.underline_color, 58));
    parameters.join(";")
}

/// The sequence that sets this style and no other, independent of the style before.
pub fn only(style: Style) -> String {
    let parameters = parameters(style);
    if parameters.is_empty() { "\x1b[0m".to_owned() } else { format!("\x1b[0;{parameters}m") }
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
    use super::*;
    use model::TermSize;
    use terminal::{HistoryLimit, Terminal};

    #[test]
    fn a_style_is_the_same_after_its_sequence() {
        for numbers in [
            "0",
            "1;3;9",
            "2;5;53",
            "7;8",
            "4",
            "4:2",
            "4:3;58;5;9",
            "4:4",
            "4:5;58;2;1;2;3",
            "31;47",
            "97;100",
            "38;5;200;48;5;17",
            "38;2;1;2;3;48;2;254;255;0",
            "1;4;33;44",
        ] {
            let mut terminal = Terminal::new(TermSize::clamped(4, 1), HistoryLimit { lines: 0, bytes: 0 });
            terminal.feed(format!("\x1b[{numbers}ma").as_bytes());
            let set = terminal.rows().next().unwrap();
            terminal
                .feed(format!("\r\x1b[1;2;3;4;5;7;8;9;53;31;41m{}a", only(set.spans[0].style)).as_bytes());
            assert_eq!(terminal.rows().next().unwrap().spans[0].style, set.spans[0].style, "{numbers}");
        }
    }
}
