//! The sequence that sets a style.

use std::fmt::Write;

use terminal::{Color, ColorKind, Flags, Style, Underline};

/// The attributes that are on or off, and the number that sets each.
const ATTRIBUTES: [(Flags, u32); 8] = [
    (Flags::BOLD, 1),
    (Flags::DIM, 2),
    (Flags::ITALIC, 3),
    (Flags::BLINK, 5),
    (Flags::INVERSE, 7),
    (Flags::INVISIBLE, 8),
    (Flags::STRIKE, 9),
    (Flags::OVERLINE, 53),
];

/// Where each kind of colour begins: the eight of the palette's start, the bright eight, and all others.
struct Numbers {
    dark: Option<u32>,
    bright: Option<u32>,
    any: u32,
}

const FOREGROUND: Numbers = Numbers { dark: Some(30), bright: Some(90), any: 38 };
const BACKGROUND: Numbers = Numbers { dark: Some(40), bright: Some(100), any: 48 };
const UNDERLINE: Numbers = Numbers { dark: None, bright: None, any: 58 };

/// The sequence that sets this style and no other, whatever was set before.
pub(super) fn sgr(style: &Style) -> String {
    let mut sequence = String::from("\x1b[0");
    for (flag, number) in ATTRIBUTES {
        if style.flags.contains(flag) {
            add(&mut sequence, format_args!(";{number}"));
        }
    }
    match style.underline {
        Underline::None => {}
        Underline::Single => sequence.push_str(";4"),
        Underline::Double => sequence.push_str(";4:2"),
        Underline::Curly => sequence.push_str(";4:3"),
        Underline::Dotted => sequence.push_str(";4:4"),
        Underline::Dashed => sequence.push_str(";4:5"),
    }
    add_color(&mut sequence, style.foreground, &FOREGROUND);
    add_color(&mut sequence, style.background, &BACKGROUND);
    add_color(&mut sequence, style.underline_color, &UNDERLINE);
    sequence.push('m');
    sequence
}

fn add_color(sequence: &mut String, color: Color, numbers: &Numbers) {
    let any = numbers.any;
    match (color.kind(), numbers.dark, numbers.bright) {
        (ColorKind::Default, ..) => {}
        (ColorKind::Indexed(index @ 0..8), Some(dark), _) => {
            add(sequence, format_args!(";{}", dark + u32::from(index)));
        }
        (ColorKind::Indexed(index @ 8..16), _, Some(bright)) => {
            add(sequence, format_args!(";{}", bright + u32::from(index) - 8));
        }
        (ColorKind::Indexed(index), ..) => add(sequence, format_args!(";{any};5;{index}")),
        (ColorKind::Rgb(r, g, b), ..) => add(sequence, format_args!(";{any};2;{r};{g};{b}")),
    }
}

fn add(sequence: &mut String, part: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = sequence.write_fmt(part);
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
                .feed(format!("\r\x1b[1;2;3;4;5;7;8;9;53;31;41m{}a", sgr(&set.spans[0].style)).as_bytes());
            assert_eq!(terminal.rows().next().unwrap().spans[0].style, set.spans[0].style, "{numbers}");
        }
    }
}
