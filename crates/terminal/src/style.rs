//! How a cell looks: colours, attributes, hyperlink; packed into a number for cells.

use std::collections::HashMap;
use std::fmt;

use crate::hash::FastHash;

/// A colour as a program named it.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Color(u32);

const INDEXED: u32 = 1 << 24;
const RGB: u32 = 2 << 24;
const RGB_SHORT: u32 = 3 << 24;
const RESET: u32 = 4 << 24;
const KIND: u32 = 0xff << 24;

/// The kinds of [`Color`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorKind {
    /// The terminal's own foreground, background or underline colour.
    Default,
    /// An entry of the 256-colour palette.
    Indexed(u8),
    /// A colour by its components.
    Rgb(u8, u8, u8),
}

impl Color {
    /// The terminal's own colour.
    pub const DEFAULT: Color = Color(0);
    /// The underline colour after `SGR 59`, which some terminals tell apart from one never set.
    pub(crate) const RESET: Color = Color(RESET);

    /// A palette entry.
    #[inline]
    pub const fn indexed(index: u8) -> Color {
        Color(INDEXED | index as u32)
    }

    /// A true colour.
    #[inline]
    pub const fn rgb(r: u8, g: u8, b: u8) -> Color {
        Color(RGB | (r as u32) << 16 | (g as u32) << 8 | b as u32)
    }

    /// A true colour given as `38:2:r:g:b`, without the colour space that the standard asks for. Terminals
    /// disagree on what that means, so a snapshot repeats it in the program's own words.
    pub(crate) const fn rgb_short(r: u8, g: u8, b: u8) -> Color {
        Color(RGB_SHORT | (r as u32) << 16 | (g as u32) << 8 | b as u32)
    }

    /// What kind of colour this is.
    pub const fn kind(self) -> ColorKind {
        let [_, r, g, b] = self.0.to_be_bytes();
        match self.0 & KIND {
            INDEXED => ColorKind::Indexed(b),
            RGB | RGB_SHORT => ColorKind::Rgb(r, g, b),
            _ => ColorKind::Default,
        }
    }

    pub(crate) const fn is_short(self) -> bool {
        self.0 & KIND == RGB_SHORT
    }

    pub(crate) const fn is_default(self) -> bool {
        self.0 == 0
    }

    /// The colour in nine bits, if it is a palette entry or the default.
    #[inline]
    const fn packed(self) -> Option<u32> {
        match self.0 & KIND {
            0 => Some(0),
            INDEXED => Some((self.0 & 0xff) + 1),
            _ => None,
        }
    }

    #[inline]
    const fn unpacked(bits: u32) -> Color {
        match bits & 0x1ff {
            0 => Color::DEFAULT,
            n => Color(INDEXED | (n - 1)),
        }
    }
}

impl fmt::Debug for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ColorKind::Default if self.0 == RESET => f.write_str("reset"),
            ColorKind::Default => f.write_str("-"),
            ColorKind::Indexed(i) => write!(f, "{i}"),
            ColorKind::Rgb(r, g, b) => {
                write!(f, "{}{r:02x}{g:02x}{b:02x}", if self.is_short() { ":" } else { "#" })
            }
        }
    }
}

/// The shape of an underline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Underline {
    /// No underline.
    #[default]
    None,
    /// One straight line.
    Single,
    /// Two lines.
    Double,
    /// A wave.
    Curly,
    /// Dots.
    Dotted,
    /// Dashes.
    Dashed,
}

impl Underline {
    /// The style that `SGR 4:n` names; unknown numbers mean a single line.
    pub(crate) const fn from_sgr(n: i32) -> Underline {
        match n {
            0 => Underline::None,
            2 => Underline::Double,
            3 => Underline::Curly,
            4 => Underline::Dotted,
            5 => Underline::Dashed,
            _ => Underline::Single,
        }
    }
}

/// On-or-off attributes, as bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Flags(pub(crate) u16);

impl Flags {
    /// Bold.
    pub const BOLD: Flags = Flags(1);
    /// Faint.
    pub const DIM: Flags = Flags(1 << 1);
    /// Italic.
    pub const ITALIC: Flags = Flags(1 << 2);
    /// Underlined in some shape.
    pub const UNDERLINE: Flags = Flags(1 << 3);
    /// Blinking.
    pub const BLINK: Flags = Flags(1 << 4);
    /// Foreground and background swapped.
    pub const INVERSE: Flags = Flags(1 << 5);
    /// Concealed.
    pub const INVISIBLE: Flags = Flags(1 << 6);
    /// Struck through.
    pub const STRIKE: Flags = Flags(1 << 7);
    /// Line above.
    pub const OVERLINE: Flags = Flags(1 << 8);
    /// Guarded against selective erase (DECSCA).
    pub const PROTECTED: Flags = Flags(1 << 9);

    /// True when all of `other` is set.
    #[inline]
    pub const fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    #[inline]
    pub(crate) const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    #[inline]
    pub(crate) const fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (bit, letter) in "bdiuksIxop".chars().enumerate() {
            if self.0 & 1 << bit != 0 {
                write!(f, "{letter}")?;
            }
        }
        Ok(())
    }
}

/// Which hyperlink a cell belongs to; zero is none.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LinkId(pub(crate) u32);

impl LinkId {
    pub(crate) const NONE: LinkId = LinkId(0);
}

/// Everything about a cell's looks.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// Text colour.
    pub foreground: Color,
    /// Background colour.
    pub background: Color,
    /// Underline colour; the default follows the text.
    pub underline_color: Color,
    /// Shape of the underline. [`Flags::UNDERLINE`] is set exactly when there is one.
    pub underline: Underline,
    /// The remaining attributes.
    pub flags: Flags,
    /// Hyperlink, a number of the table at hand.
    pub(crate) link: LinkId,
}

impl Style {
    /// The style that erasing leaves: only the background colour.
    pub(crate) const fn only_background(self) -> bool {
        self.foreground.is_default()
            && self.underline_color.is_default()
            && self.flags.0 == 0
            && self.link.0 == 0
    }
}

impl fmt::Debug for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}/{:?}", self.foreground, self.background)?;
        if self.flags.0 != 0 {
            write!(f, " {:?}", self.flags)?;
        }
        if self.underline != Underline::None {
            write!(f, " {:?}:{:?}", self.underline, self.underline_color)?;
        }
        Ok(())
    }
}

/// A style as a cell stores it.
///
/// Palette colours and plain attributes are in the number itself; only true colours, special underlines and
/// links need the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct StyleId(u32);

const IN_TABLE: u32 = 1 << 31;
const BACKGROUND_SHIFT: u32 = 9;
const FLAGS_SHIFT: u32 = 18;

impl StyleId {
    pub(crate) const DEFAULT: StyleId = StyleId(0);

    #[inline]
    pub(crate) const fn bits(self) -> u32 {
        self.0
    }

    #[inline]
    pub(crate) const fn from_bits(bits: u32) -> StyleId {
        StyleId(bits)
    }

    /// The number for a style that needs no table.
    #[inline]
    fn inline(style: &Style) -> Option<StyleId> {
        let plain = style.link.0 == 0
            && style.underline_color.is_default()
            && matches!(style.underline, Underline::None | Underline::Single);
        if !plain {
            return None;
        }
        StyleId::from_palette(style.foreground, style.background, style.flags)
    }

    /// The number for palette colours and attributes; an underline among them is a single one.
    #[inline]
    pub(crate) fn from_palette(foreground: Color, background: Color, flags: Flags) -> Option<StyleId> {
        let foreground = foreground.packed()?;
        let background = background.packed()?;
        Some(StyleId(foreground | background << BACKGROUND_SHIFT | u32::from(flags.0) << FLAGS_SHIFT))
    }

    #[inline]
    fn expand(self) -> Style {
        let flags = Flags((self.0 >> FLAGS_SHIFT) as u16);
        let underlined = flags.contains(Flags::UNDERLINE);
        Style {
            foreground: Color::unpacked(self.0),
            background: Color::unpacked(self.0 >> BACKGROUND_SHIFT),
            underline: if underlined { Underline::Single } else { Underline::None },
            flags,
            ..Style::default()
        }
    }
}

/// The styles that do not fit in a [`StyleId`].
#[derive(Default)]
pub(crate) struct Styles {
    table: Vec<Style>,
    ids: HashMap<Style, u32, FastHash>,
}

impl Styles {
    #[inline]
    pub(crate) fn id(&mut self, style: &Style) -> StyleId {
        StyleId::inline(style).unwrap_or_else(|| self.intern(style))
    }

    fn intern(&mut self, style: &Style) -> StyleId {
        let next = self.table.len() as u32;
        let index = *self.ids.entry(*style).or_insert(next);
        if index == next {
            self.table.push(*style);
        }
        StyleId(index | IN_TABLE)
    }

    #[inline]
    pub(crate) fn get(&self, id: StyleId) -> Style {
        if id.0 & IN_TABLE == 0 {
            id.expand()
        } else {
            self.table.get((id.0 & !IN_TABLE) as usize).copied().unwrap_or_default()
        }
    }

    /// How many styles are in the table, in use or not.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }
}
