//! One cell of a live screen, in eight bytes.

use crate::style::StyleId;

/// What stands in one column of a row.
///
/// A wide character takes two cells: the first holds it, the second is a [`Cell::continuation`].
///
/// Bits 0–20: code point or index into the cluster table; bit 21: it is such an index; bits 22–23: width; bits
/// 32–63: style. One number rather than fields, so that runs of cells are written and read many at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell(u64);

const VALUE_MASK: u32 = (1 << 21) - 1;
const CLUSTER: u32 = 1 << 21;
const WIDTH_SHIFT: u32 = 22;
const NARROW: u64 = 1 << WIDTH_SHIFT;
const STYLE_SHIFT: u32 = 32;

/// What a cell shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Glyph {
    /// Never written, or erased.
    Blank,
    Char(char),
    /// A base character with marks; an index into the cluster table.
    Cluster(u32),
}

impl Cell {
    #[inline]
    pub(crate) const fn blank(style: StyleId) -> Cell {
        Cell(NARROW | (style.bits() as u64) << STYLE_SHIFT)
    }

    #[inline]
    pub(crate) const fn ascii(byte: u8, style: StyleId) -> Cell {
        Cell(Cell::blank(style).0 | byte as u64)
    }

    #[inline]
    pub(crate) const fn char(c: char, width: u8, style: StyleId) -> Cell {
        Cell(c as u64 | (width as u64) << WIDTH_SHIFT | (style.bits() as u64) << STYLE_SHIFT)
    }

    pub(crate) const fn cluster(index: u32, width: u8, style: StyleId) -> Cell {
        let content = index & VALUE_MASK | CLUSTER | (width as u32) << WIDTH_SHIFT;
        Cell(content as u64 | (style.bits() as u64) << STYLE_SHIFT)
    }

    /// Second half of a wide character.
    #[inline]
    pub(crate) const fn continuation(style: StyleId) -> Cell {
        Cell((style.bits() as u64) << STYLE_SHIFT)
    }

    #[inline]
    const fn content(self) -> u32 {
        self.0 as u32
    }

    #[inline]
    pub(crate) const fn style(self) -> StyleId {
        StyleId::from_bits((self.0 >> STYLE_SHIFT) as u32)
    }

    pub(crate) const fn with_style(self, style: StyleId) -> Cell {
        Cell(self.content() as u64 | (style.bits() as u64) << STYLE_SHIFT)
    }

    #[inline]
    pub(crate) const fn width(self) -> u8 {
        (self.content() >> WIDTH_SHIFT) as u8
    }

    /// True for a column never written, or erased.
    #[inline]
    pub(crate) const fn is_blank(self) -> bool {
        self.content() as u64 == NARROW
    }

    /// True for anything that was printed, a space included.
    #[inline]
    pub(crate) const fn has_content(self) -> bool {
        self.content() & (VALUE_MASK | CLUSTER) != 0
    }

    /// True for a second half, whether or not its first half still stands before it.
    #[inline]
    pub(crate) const fn is_continuation(self) -> bool {
        self.content() == 0
    }

    /// The lower half is below 0x80 for a plain ASCII cell, whose byte it is, and for a blank one, which gives zero;
    /// the upper half is the style.
    #[inline]
    pub(crate) const fn ascii_bits(self) -> u64 {
        self.0 ^ NARROW
    }

    pub(crate) fn glyph(self) -> Glyph {
        let value = self.content() & VALUE_MASK;
        if self.content() & CLUSTER != 0 {
            Glyph::Cluster(value)
        } else {
            match char::from_u32(value) {
                Some(c) if value != 0 => Glyph::Char(c),
                _ => Glyph::Blank,
            }
        }
    }
}
