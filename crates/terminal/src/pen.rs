//! The style that printing uses, and the sequences that change it (SGR).

use grammar::Params;

use crate::style::{Color, Flags, LinkId, Style, StyleId, Underline};

/// The current style, with the distinctions that SGR and DECRC make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pen {
    pub(crate) foreground: Color,
    pub(crate) background: Color,
    pub(crate) flags: Flags,
    pub(crate) underline: Underline,
    pub(crate) underline_color: Color,
    pub(crate) link: LinkId,
    /// Whether underline style, its colour and link count. They do as soon as there is a style or link; DECRC
    /// brings back what held when the cursor was saved, and leaves the three themselves alone.
    pub(crate) extended: bool,
}

impl Pen {
    /// The style that a printed cell gets, if it needs no table: by far the most do not.
    #[inline]
    pub(crate) fn inline_style(&self) -> Option<StyleId> {
        match self.extended {
            true => None,
            false => StyleId::from_palette(self.foreground, self.background, self.flags),
        }
    }

    /// The style that a printed cell gets.
    #[inline]
    pub(crate) fn style(&self) -> Style {
        let mut style = Style {
            foreground: self.foreground,
            background: self.background,
            flags: self.flags,
            ..Style::default()
        };
        if self.extended {
            style.underline = self.underline;
            style.underline_color = self.underline_color;
            style.link = self.link;
        }
        if style.underline != Underline::None {
            style.flags = style.flags.with(Flags::UNDERLINE);
        } else if style.flags.contains(Flags::UNDERLINE) {
            style.underline = Underline::Single;
        } else if style.link == LinkId::NONE {
            // A link counts: some viewers underline it.
            style.underline_color = Color::DEFAULT;
        }
        style
    }

    pub(crate) fn set_link(&mut self, link: LinkId) {
        self.link = link;
        self.update_extended();
    }

    fn set_underline(&mut self, underline: Underline) {
        self.underline = underline;
        self.flags = match underline {
            Underline::None => self.flags.without(Flags::UNDERLINE),
            _ => self.flags.with(Flags::UNDERLINE),
        };
        self.update_extended();
    }

    fn update_extended(&mut self) {
        self.extended = self.underline != Underline::None || self.link != LinkId::NONE;
    }

    fn clear(&mut self) {
        *self = Pen { link: self.link, ..Pen::default() };
        self.update_extended();
    }

    /// Applies `CSI … m`.
    #[inline]
    pub(crate) fn apply(&mut self, params: &Params) {
        match params.plain() {
            Some(numbers) => self.apply_plain(numbers),
            None => self.apply_any(params),
        }
    }

    #[inline]
    fn apply_plain(&mut self, numbers: &[i32]) {
        let mut rest = numbers;
        while let [number, later @ ..] = rest {
            rest = later;
            match (number, later) {
                (38, [5, index, later @ ..]) => {
                    self.foreground = Color::indexed(*index as u8);
                    rest = later;
                }
                (48, [5, index, later @ ..]) => {
                    self.background = Color::indexed(*index as u8);
                    rest = later;
                }
                (38, [2, r, g, b, later @ ..]) => {
                    self.foreground = Color::rgb(*r as u8, *g as u8, *b as u8);
                    rest = later;
                }
                (48, [2, r, g, b, later @ ..]) => {
                    self.background = Color::rgb(*r as u8, *g as u8, *b as u8);
                    rest = later;
                }
                (38 | 48 | 58, _) => {
                    let mut numbers = later.iter().map(|&number| (number, &[][..]));
                    let color = extended_color(&[], &mut numbers);
                    rest = &later[later.len() - numbers.len()..];
                    self.set_color(*number, color);
                }
                _ => self.apply_one(*number, &[]),
            }
        }
    }

    fn apply_any(&mut self, params: &Params) {
        let mut numbers = params.iter();
        while let Some((number, subs)) = numbers.next() {
            match number {
                38 | 48 | 58 => {
                    let color = extended_color(subs, &mut numbers);
                    self.set_color(number, color);
                }
                _ => self.apply_one(number, subs),
            }
        }
    }

    fn set_color(&mut self, which: i32, color: Option<Color>) {
        match (which, color) {
            (38, Some(color)) => self.foreground = color,
            (48, Some(color)) => self.background = color,
            (_, Some(color)) => self.underline_color = color,
            (_, None) => {}
        }
    }

    #[inline]
    fn apply_one(&mut self, number: i32, subs: &[i32]) {
        match number {
            0 => self.clear(),
            1 => self.flags = self.flags.with(Flags::BOLD),
            2 => self.flags = self.flags.with(Flags::DIM),
            3 => self.flags = self.flags.with(Flags::ITALIC),
            4 => self.set_underline(subs.first().map_or(Underline::Single, |&n| Underline::from_sgr(n))),
            5 => self.flags = self.flags.with(Flags::BLINK),
            7 => self.flags = self.flags.with(Flags::INVERSE),
            8 => self.flags = self.flags.with(Flags::INVISIBLE),
            9 => self.flags = self.flags.with(Flags::STRIKE),
            21 => self.set_underline(Underline::Double),
            22 => self.flags = self.flags.without(Flags(Flags::BOLD.0 | Flags::DIM.0)),
            23 => self.flags = self.flags.without(Flags::ITALIC),
            24 => self.set_underline(Underline::None),
            25 => self.flags = self.flags.without(Flags::BLINK),
            27 => self.flags = self.flags.without(Flags::INVERSE),
            28 => self.flags = self.flags.without(Flags::INVISIBLE),
            29 => self.flags = self.flags.without(Flags::STRIKE),
            30..=37 => self.foreground = Color::indexed((number - 30) as u8),
            39 => self.foreground = Color::DEFAULT,
            40..=47 => self.background = Color::indexed((number - 40) as u8),
            49 => self.background = Color::DEFAULT,
            53 => self.flags = self.flags.with(Flags::OVERLINE),
            55 => self.flags = self.flags.without(Flags::OVERLINE),
            59 => {
                self.underline_color = Color::RESET;
                self.update_extended();
            }
            90..=97 => self.foreground = Color::indexed((number - 90 + 8) as u8),
            100..=107 => self.background = Color::indexed((number - 100 + 8) as u8),
            _ => {}
        }
    }
}

/// A colour of the palette or by its components, in sub-numbers (`38:5:n`, `38:2::r:g:b`) or in the numbers that
/// follow (`38;5;n`, `38;2;r;g;b`). The two forms may be mixed, as `38;5:n`.
#[inline]
fn extended_color<'a>(subs: &[i32], numbers: &mut impl Iterator<Item = (i32, &'a [i32])>) -> Option<Color> {
    if let Some((kind, values)) = subs.split_first() {
        return colon_color(*kind, values);
    }
    let (kind, subs) = numbers.next()?;
    if !subs.is_empty() {
        return colon_color(kind, subs);
    }
    // What follows an unknown kind is taken along, as far as a colour could reach.
    let wanted = match kind {
        2 => 3,
        5 => 1,
        0 => 5,
        _ => 4,
    };
    let mut values = [0u8; 5];
    for value in &mut values[..wanted] {
        let Some((number, subs)) = numbers.next() else { break };
        *value = number.max(0) as u8;
        if !subs.is_empty() {
            break;
        }
    }
    match kind {
        5 => Some(Color::indexed(values[0])),
        2 => Some(Color::rgb(values[0], values[1], values[2])),
        _ => None,
    }
}

fn colon_color(kind: i32, values: &[i32]) -> Option<Color> {
    let byte = |index: usize| values.get(index).map_or(0, |&n| n.max(0) as u8);
    match (kind, values.len()) {
        (5, _) => Some(Color::indexed(byte(0))),
        (2, ..=3) => Some(Color::rgb_short(byte(0), byte(1), byte(2))),
        (2, _) => Some(Color::rgb(byte(1), byte(2), byte(3))),
        _ => None,
    }
}
