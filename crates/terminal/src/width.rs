//! How many columns a character takes.
//!
//! Widths go by code point, with the tables of the web viewer, because the screen a viewer draws from live bytes
//! must be the screen we keep. When a program asks for grapheme clusters (mode 2027), a cluster is as wide as its
//! widest part, and a variation selector 16 or a pair of regional indicators makes it two columns wide.

mod ranges;

/// Code points up to here are looked up in a table: the basic plane and the one with emoji.
const COVERED: u32 = 0x2_0000;
const TABLE: usize = COVERED as usize / 4;

/// Two bits for each code point.
static WIDTHS: [u8; TABLE] = widths();

const fn widths() -> [u8; TABLE] {
    let mut table = [0b0101_0101; TABLE];
    let mut code = 0;
    while code < 0xa0 {
        if code < 0x20 || code >= 0x7f {
            set(&mut table, code, 0);
        }
        code += 1;
    }
    set_ranges(&mut table, &ranges::ZERO, 0);
    set_ranges(&mut table, &ranges::WIDE, 2);
    table
}

const fn set_ranges(table: &mut [u8; TABLE], ranges: &[(u32, u32)], width: u8) {
    let mut i = 0;
    while i < ranges.len() {
        let (first, last) = ranges[i];
        let mut code = first;
        while code <= last && code < COVERED {
            set(table, code, width);
            code += 1;
        }
        i += 1;
    }
}

const fn set(table: &mut [u8; TABLE], code: u32, width: u8) {
    let shift = (code & 3) * 2;
    let byte = &mut table[(code >> 2) as usize];
    *byte = *byte & !(3 << shift) | width << shift;
}

/// Columns of a code point: 0, 1 or 2.
#[inline]
pub fn width(c: char) -> u8 {
    let code = c as u32;
    if code < COVERED {
        WIDTHS[(code >> 2) as usize] >> ((code & 3) * 2) & 3
    } else if contains(&ranges::ZERO, code) {
        0
    } else if contains(&ranges::WIDE, code) {
        2
    } else {
        1
    }
}

fn contains(ranges: &[(u32, u32)], code: u32) -> bool {
    let after = ranges.partition_point(|&(first, _)| first <= code);
    after > 0 && code <= ranges[after - 1].1
}

/// Columns of a code point that begins a grapheme cluster (mode 2027).
pub(crate) fn cluster_width(c: char) -> u8 {
    width(c).max(1)
}

/// Columns of a cluster that was `old` wide and now also holds `c`.
pub(crate) fn joined_width(old: u8, c: char) -> u8 {
    const VARIATION_SELECTOR_16: char = '\u{fe0f}';
    let regional = ('\u{1f1e6}'..='\u{1f1ff}').contains(&c);
    if c == VARIATION_SELECTOR_16 || regional { 2 } else { old.max(width(c)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_characters_have_their_usual_width() {
        for (c, expected) in [
            ('a', 1),
            ('é', 1),
            ('─', 1),
            ('中', 2),
            ('\u{301}', 0),
            ('\u{200d}', 0),
            ('\u{fe0f}', 0),
            ('😀', 2),
            ('\u{1f1e6}', 1),
            ('\u{e0100}', 0),
            ('\u{10ffff}', 1),
        ] {
            assert_eq!(width(c), expected, "U+{:04X}", c as u32);
        }
    }
}
