//! Colours that programs redefine: the palette and the terminal's own three.

use std::collections::BTreeMap;

/// Red, green, blue.
pub(crate) type Rgb = (u8, u8, u8);

/// The terminal's own colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum OwnColor {
    Foreground,
    Background,
    Cursor,
}

impl OwnColor {
    pub(crate) const ALL: [OwnColor; 3] = [OwnColor::Foreground, OwnColor::Background, OwnColor::Cursor];

    /// The number of the sequence that sets it.
    pub(crate) fn osc(self) -> u32 {
        match self {
            OwnColor::Foreground => 10,
            OwnColor::Background => 11,
            OwnColor::Cursor => 12,
        }
    }

    /// What we say it is before a program changes it. Viewers have their own taste; most are dark.
    fn default(self) -> Rgb {
        match self {
            OwnColor::Foreground | OwnColor::Cursor => (0xff, 0xff, 0xff),
            OwnColor::Background => (0, 0, 0),
        }
    }
}

/// What programs changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Palette {
    indexed: BTreeMap<u8, Rgb>,
    own: BTreeMap<OwnColor, Rgb>,
    /// Whether a program ever changed a colour. Where none did, a viewer's own colours stay.
    pub(crate) touched: bool,
}

impl Palette {
    pub(crate) fn set(&mut self, index: u8, color: Rgb) {
        self.touched = true;
        self.indexed.insert(index, color);
    }

    pub(crate) fn reset_one(&mut self, index: u8) {
        self.indexed.remove(&index);
    }

    pub(crate) fn reset_indexed(&mut self) {
        self.indexed.clear();
    }

    /// Back to the usual colours (RIS).
    pub(crate) fn reset(&mut self) {
        self.indexed.clear();
        self.own.clear();
    }

    pub(crate) fn set_own(&mut self, which: OwnColor, color: Rgb) {
        self.touched = true;
        self.own.insert(which, color);
    }

    pub(crate) fn reset_own(&mut self, which: OwnColor) {
        self.own.remove(&which);
    }

    pub(crate) fn get(&self, index: u8) -> Rgb {
        self.indexed.get(&index).copied().unwrap_or_else(|| usual(index))
    }

    pub(crate) fn own(&self, which: OwnColor) -> Rgb {
        self.own.get(&which).copied().unwrap_or_else(|| which.default())
    }

    pub(crate) fn changed(&self) -> impl Iterator<Item = (u8, Rgb)> + '_ {
        self.indexed.iter().map(|(&index, &color)| (index, color))
    }

    pub(crate) fn changed_own(&self) -> impl Iterator<Item = (OwnColor, Rgb)> + '_ {
        self.own.iter().map(|(&which, &color)| (which, color))
    }
}

/// xterm's palette: sixteen named colours, a cube of 6×6×6, 24 greys.
fn usual(index: u8) -> Rgb {
    const NAMED: [u32; 16] = [
        0x00_00_00, 0xcd_00_00, 0x00_cd_00, 0xcd_cd_00, 0x00_00_ee, 0xcd_00_cd, 0x00_cd_cd, 0xe5_e5_e5,
        0x7f_7f_7f, 0xff_00_00, 0x00_ff_00, 0xff_ff_00, 0x5c_5c_ff, 0xff_00_ff, 0x00_ff_ff, 0xff_ff_ff,
    ];
    match index {
        0..16 => {
            let [_, r, g, b] = NAMED[usize::from(index)].to_be_bytes();
            (r, g, b)
        }
        16..232 => {
            let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let cube = index - 16;
            (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    }
}

/// Reads a colour as X11 writes it: `rgb:r/g/b` or `#rgb`, with one to four digits for each component.
pub(crate) fn parse(text: &str) -> Option<Rgb> {
    if let Some(digits) = text.strip_prefix('#') {
        let len = digits.len() / 3;
        if digits.len() % 3 != 0 || !(1..=4).contains(&len) || !digits.is_ascii() {
            return None;
        }
        let component = |i: usize| {
            let value = hex(&digits[i * len..(i + 1) * len])?;
            Some(match len {
                1 => value << 4,
                2 => value,
                3 => value >> 4,
                _ => value >> 8,
            } as u8)
        };
        return Some((component(0)?, component(1)?, component(2)?));
    }
    let prefix = text.get(..4).filter(|prefix| prefix.eq_ignore_ascii_case("rgb:"))?;
    let mut parts = text[prefix.len()..].split('/');
    let (r, g, b) = (parts.next()?, parts.next()?, parts.next()?);
    let same_len = r.len() == g.len() && g.len() == b.len() && (1..=4).contains(&r.len());
    if parts.next().is_some() || !same_len {
        return None;
    }
    let largest = (1u32 << (4 * r.len())) - 1;
    let component = |part: &str| Some(((hex(part)? * 255 + largest / 2) / largest) as u8);
    Some((component(r)?, component(g)?, component(b)?))
}

fn hex(digits: &str) -> Option<u32> {
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

/// Writes a colour as an answer does.
pub(crate) fn long_form((r, g, b): Rgb) -> String {
    format!("rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_as_x11_writes_them() {
        for (text, expected) in [
            ("#123456", Some((0x12, 0x34, 0x56))),
            ("#fff", Some((0xf0, 0xf0, 0xf0))),
            ("#123456789abc", Some((0x12, 0x56, 0x9a))),
            ("rgb:ff/80/00", Some((255, 128, 0))),
            ("RGB:f/8/0", Some((255, 136, 0))),
            ("rgb:ffff/8000/0000", Some((255, 128, 0))),
            ("#12", None),
            ("#ggg", None),
            ("rgb:1/2", None),
            ("rgb:+1/+2/+3", None),
            ("red", None),
            ("#ä1", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }
}
