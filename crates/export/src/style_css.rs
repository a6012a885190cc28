//! The colours of cells, in the words of a style sheet.
//!
//! The sixteen named colours are variables (`--c1` for text, `--k1` behind it), so that a page chooses them; `--fg` and
//! `--bg` are the terminal's own.

use terminal::{Color, ColorKind, CssColors, CssPlace};

use crate::palette::hex;

/// Which pages a colour is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// Dark ones, for which programs choose their colours.
    Dark,
    /// Light ones as well, on which a colour is as dark as it is bright on the others.
    Both,
}

impl CssColors for Scheme {
    fn own(&self, place: CssPlace) -> String {
        match place {
            CssPlace::Text => "var(--fg)".to_owned(),
            CssPlace::Behind => "var(--bg)".to_owned(),
        }
    }

    fn color(&self, color: Color, place: CssPlace) -> Option<String> {
        let (r, g, b) = match color.kind() {
            ColorKind::Default => return None,
            ColorKind::Indexed(index @ 0..16) => {
                let letter = match place {
                    CssPlace::Text => 'c',
                    CssPlace::Behind => 'k',
                };
                return Some(format!("var(--{letter}{index})"));
            }
            ColorKind::Indexed(index) => indexed(index),
            ColorKind::Rgb(r, g, b) => (r, g, b),
        };
        Some(match self {
            Scheme::Dark => hex((r, g, b)),
            Scheme::Both => format!("light-dark({},{})", hex(turned((r, g, b))), hex((r, g, b))),
        })
    }
}

/// xterm's palette behind the named colours: a cube of 6×6×6, and 24 greys.
pub(crate) fn indexed(index: u8) -> (u8, u8, u8) {
    if index >= 232 {
        let grey = 8 + 10 * (index - 232);
        return (grey, grey, grey);
    }
    let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
    let cube = index.saturating_sub(16);
    (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
}

/// The colour of the same hue that is as dark as this one is bright.
pub(crate) fn turned((r, g, b): (u8, u8, u8)) -> (u8, u8, u8) {
    // Lightness is the middle of the brightest and the darkest part; moving all three by the same amount mirrors it and
    // keeps hue and chroma, and cannot leave the range.
    let sum = i16::from(r.max(g).max(b)) + i16::from(r.min(g).min(b));
    let moved = |part: u8| u8::try_from((255 - sum + i16::from(part)).clamp(0, 255)).unwrap_or_default();
    (moved(r), moved(g), moved(b))
}

#[cfg(test)]
mod tests {
    use terminal::{Style, Underline, css};

    use super::*;

    #[test]
    fn a_colour_turned_keeps_its_hue_and_trades_light_for_dark() {
        assert_eq!(turned((255, 255, 255)), (0, 0, 0));
        assert_eq!(turned((200, 100, 100)), (155, 55, 55));
        for color in [(0, 0, 0), (255, 0, 0), (10, 250, 30), (128, 128, 128), (1, 2, 254)] {
            assert_eq!(turned(turned(color)), color);
        }
    }

    #[test]
    fn the_palette_is_xterms() {
        assert_eq!(
            [16, 21, 196, 231, 232, 255].map(indexed),
            [(0, 0, 0), (0, 0, 255), (255, 0, 0), (255, 255, 255), (8, 8, 8), (238, 238, 238)]
        );
    }

    #[test]
    fn a_style_becomes_css_rules() {
        let mut style = Style::default();
        style.foreground = Color::indexed(1);
        style.background = Color::rgb(1, 2, 3);
        style.underline = Underline::Curly;
        assert_eq!(
            css(&style, &Scheme::Dark),
            "color:var(--c1);background:#010203;text-decoration:underline wavy;"
        );
        assert_eq!(css(&Style::default(), &Scheme::Both), "");
    }
}
