//! How a cell looks, in the words of a style sheet.

use std::fmt::Write;

use crate::style::{Color, Flags, Style, Underline};

/// Whether a colour is that of text or lies behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CssPlace {
    /// The colour of text.
    Text,
    /// The colour behind text.
    Behind,
}

/// The colours of a page that shows cells.
pub trait CssColors {
    /// The page's own colour, which a cell has that was given none.
    fn own(&self, place: CssPlace) -> String;

    /// A colour in CSS; none for the page's own.
    fn color(&self, color: Color, place: CssPlace) -> Option<String>;
}

/// The rules for a style; none if it is the plain one.
pub fn css(style: &Style, colors: &impl CssColors) -> String {
    let mut css = String::new();
    let (mut text, mut behind) =
        (colors.color(style.foreground, CssPlace::Text), colors.color(style.background, CssPlace::Behind));
    if style.flags.contains(Flags::INVERSE) {
        let swapped = |color, place, other| colors.color(color, place).or_else(|| Some(colors.own(other)));
        text = swapped(style.background, CssPlace::Text, CssPlace::Behind);
        behind = swapped(style.foreground, CssPlace::Behind, CssPlace::Text);
    }
    if style.flags.contains(Flags::INVISIBLE) {
        text = Some("transparent".to_owned());
    }
    for (property, value) in [("color", text), ("background", behind)] {
        if let Some(value) = value {
            // Writing to a string cannot fail.
            let _ = write!(css, "{property}:{value};");
        }
    }
    for (flag, rule) in [
        (Flags::BOLD, "font-weight:bold;"),
        (Flags::DIM, "opacity:.6;"),
        (Flags::ITALIC, "font-style:italic;"),
    ] {
        if style.flags.contains(flag) {
            css.push_str(rule);
        }
    }
    css.push_str(&css_lines(style, colors.color(style.underline_color, CssPlace::Text)));
    css
}

/// The rule for lines under, through and above the text, in a colour of their own if there is one.
pub fn css_lines(style: &Style, own_color: Option<String>) -> String {
    let shape = match style.underline {
        Underline::None => None,
        Underline::Single => Some("underline"),
        Underline::Double => Some("underline double"),
        Underline::Curly => Some("underline wavy"),
        Underline::Dotted => Some("underline dotted"),
        Underline::Dashed => Some("underline dashed"),
    };
    let flag = |flag, line| style.flags.contains(flag).then_some(line);
    let lines = [shape, flag(Flags::STRIKE, "line-through"), flag(Flags::OVERLINE, "overline")];
    let mut lines: Vec<String> = lines.into_iter().flatten().map(str::to_owned).collect();
    if lines.is_empty() {
        return String::new();
    }
    lines.extend(own_color);
    format!("text-decoration:{};", lines.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page whose colours tell where they are from.
    struct Page;

    impl CssColors for Page {
        fn own(&self, place: CssPlace) -> String {
            format!("own-{place:?}")
        }

        fn color(&self, color: Color, place: CssPlace) -> Option<String> {
            (color != Color::default()).then(|| format!("given-{place:?}"))
        }
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut Style), expected: &str) {
        let mut style = Style::default();
        change(&mut style);
        assert_eq!(css(&style, &Page), expected);
    }

    #[test]
    fn a_plain_style_has_no_rules() {
        check(|_| {}, "");
    }

    #[test]
    fn an_inverse_cell_has_the_colours_of_the_other_place() {
        check(|style| style.flags = Flags::INVERSE, "color:own-Behind;background:own-Text;");
        check(
            |style| {
                style.flags = Flags::INVERSE;
                style.foreground = Color::indexed(1);
            },
            "color:own-Behind;background:given-Behind;",
        );
    }

    #[test]
    fn invisible_text_of_any_colour_is_transparent() {
        check(
            |style| {
                style.flags = Flags::INVISIBLE;
                style.foreground = Color::indexed(1);
            },
            "color:transparent;",
        );
    }

    #[test]
    fn lines_are_one_rule_with_their_shape_and_colour() {
        check(
            |style| {
                style.flags = Flags::STRIKE;
                style.underline = Underline::Curly;
                style.underline_color = Color::indexed(1);
            },
            "text-decoration:underline wavy line-through given-Text;",
        );
    }
}
