//! The looks of text and of what is behind it, as classes of a style sheet.

use std::collections::HashMap;
use std::fmt::Write;

use terminal::{Color, ColorKind, Flags, Style, css_lines};

use super::Theme;
use crate::palette::{DARK, LIGHT, Palette, Rgb, hex};
use crate::style_css::{indexed, turned};

/// A class: its number, which is part of its name.
pub(super) type Class = usize;

/// All classes that were needed.
pub(super) struct Sheet {
    theme: Theme,
    classes: HashMap<Rules, Class>,
    rules: Vec<Rules>,
}

/// What a class says: in the first theme, and where there are two, in the light one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Rules {
    first: String,
    light: Option<String>,
}

/// Whether a colour is that of text or lies behind it.
#[derive(Clone, Copy)]
enum Place {
    Text,
    Behind,
}

impl Sheet {
    pub(super) fn new(theme: Theme) -> Sheet {
        Sheet { theme, classes: HashMap::new(), rules: Vec::new() }
    }

    /// The class of text; none if it is plain.
    pub(super) fn text(&mut self, style: &Style) -> Option<Class> {
        self.class(|palette| text_rules(style, palette))
    }

    /// The class of what is behind text; none if that is the terminal's own background.
    pub(super) fn behind(&mut self, style: &Style) -> Option<Class> {
        self.class(|palette| {
            behind(style, palette).map(|color| format!("fill:{}", hex(color))).unwrap_or_default()
        })
    }

    /// All classes, in the words of a style sheet.
    pub(super) fn css(&self) -> String {
        let mut css = String::new();
        let rule = |css: &mut String, class: usize, rules: &str| {
            let _ = write!(css, ".s{class}{{{rules}}}");
        };
        self.rules.iter().enumerate().for_each(|(class, rules)| rule(&mut css, class, &rules.first));
        let light: Vec<_> =
            self.rules.iter().enumerate().filter_map(|(n, rules)| Some((n, rules.light.as_ref()?))).collect();
        if !light.is_empty() {
            css.push_str("@media(prefers-color-scheme:light){");
            light.into_iter().for_each(|(class, rules)| rule(&mut css, class, rules));
            css.push('}');
        }
        css
    }

    fn class(&mut self, rules: impl Fn(&Palette) -> String) -> Option<Class> {
        let rules = match self.theme {
            Theme::Dark => Rules { first: rules(&DARK), light: None },
            Theme::Light => Rules { first: rules(&LIGHT), light: None },
            Theme::Auto => Rules { first: rules(&DARK), light: Some(rules(&LIGHT)) },
        };
        if rules.first.is_empty() {
            return None;
        }
        let next = self.rules.len();
        let class = *self.classes.entry(rules.clone()).or_insert(next);
        if class == next {
            self.rules.push(rules);
        }
        Some(class)
    }
}

fn text_rules(style: &Style, palette: &Palette) -> String {
    let mut rules = Vec::new();
    let inverse = style.flags.contains(Flags::INVERSE);
    let color = match inverse {
        true => Some(color(style.background, Place::Text, palette).unwrap_or(palette.background)),
        false => color(style.foreground, Place::Text, palette),
    };
    if style.flags.contains(Flags::INVISIBLE) {
        rules.push("fill:none".to_owned());
    } else if let Some(color) = color {
        rules.push(format!("fill:{}", hex(color)));
    }
    for (flag, rule) in [
        (Flags::BOLD, "font-weight:700"),
        (Flags::DIM, "fill-opacity:.6"),
        (Flags::ITALIC, "font-style:italic"),
    ] {
        if style.flags.contains(flag) {
            rules.push(rule.to_owned());
        }
    }
    let own_color = self::color(style.underline_color, Place::Text, palette).map(hex);
    rules.extend(Some(css_lines(style, own_color)).filter(|lines| !lines.is_empty()));
    rules.join(";").trim_end_matches(';').to_owned()
}

fn behind(style: &Style, palette: &Palette) -> Option<Rgb> {
    if style.flags.contains(Flags::INVERSE) {
        return Some(color(style.foreground, Place::Behind, palette).unwrap_or(palette.foreground));
    }
    color(style.background, Place::Behind, palette)
}

fn color(color: Color, place: Place, palette: &Palette) -> Option<Rgb> {
    let named = match place {
        Place::Text => palette.text,
        Place::Behind => palette.behind,
    };
    let exact = match color.kind() {
        ColorKind::Default => return None,
        ColorKind::Indexed(index @ 0..16) => return Some(named[usize::from(index)]),
        ColorKind::Indexed(index) => indexed(index),
        ColorKind::Rgb(r, g, b) => (r, g, b),
    };
    // Programs choose their colours for dark backgrounds.
    Some(if palette.background == LIGHT.background { turned(exact) } else { exact })
}

#[cfg(test)]
mod tests {
    use model::TermSize;
    use terminal::{HistoryLimit, Terminal};

    use super::*;

    fn css_of(theme: Theme, printed: &str) -> String {
        let mut terminal = Terminal::new(TermSize::clamped(20, 2), HistoryLimit::default());
        terminal.feed(printed.as_bytes());
        let style = terminal.rows().next().unwrap().spans[0].style;
        let mut sheet = Sheet::new(theme);
        for _ in 0..2 {
            sheet.text(&style);
            sheet.behind(&style);
        }
        sheet.css()
    }

    #[test]
    fn a_style_has_one_rule_and_a_plain_one_has_none() {
        assert_eq!(css_of(Theme::Dark, "x"), "");
        assert_eq!(css_of(Theme::Dark, "\x1b[31mx"), ".s0{fill:#f0716b}");
        assert_eq!(css_of(Theme::Light, "\x1b[1;44mx"), ".s0{font-weight:700}.s1{fill:#c5dafb}");
        assert_eq!(css_of(Theme::Dark, "\x1b[7mx"), ".s0{fill:#12151b}.s1{fill:#d7dce4}");
        assert_eq!(
            css_of(Theme::Dark, "\x1b[2;3;4;9mx"),
            ".s0{fill-opacity:.6;font-style:italic;text-decoration:underline line-through}"
        );
    }

    #[test]
    fn a_picture_for_both_themes_has_the_rules_of_both() {
        assert_eq!(
            css_of(Theme::Auto, "\x1b[38;2;200;100;100mx"),
            ".s0{fill:#c86464}@media(prefers-color-scheme:light){.s0{fill:#9b3737}}"
        );
    }
}
