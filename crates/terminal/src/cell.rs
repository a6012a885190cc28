//! One cell of a live screen, in eight bytes.

use crate::style::StyleId;

/// What stands in one column of a row.
///
/// A wide character takes two cells: the first holds it, the second is a [`Cell::continuation`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    /// Bits 0–20: code point or index into the cluster table; bit 21: it is such an index; bits 22–23: width.
    content: u32,
    pub(crate) style: StyleId,
}

const VALUE_MASK: u32 = (1 << 21) - 1;
const CLUSTER: u32 = 1 << 21;
const WIDTH_SHIFT: u32 = 22;

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
        Cell { content: 1 << WIDTH_SHIFT, style }
    }

    #[inline]
    pub(crate) const fn ascii(byte: u8, style: StyleId) -> Cell {
        Cell { content: byte as u32 | 1 << WIDTH_SHIFT, style }
    }

    #[inline]
    pub(crate) const fn char(c: char, width: u8, style: StyleId) -> Cell {
        Cell { content: c as u32 | (width as u32) << WIDTH_SHIFT, style }
    }

    pub(crate) const fn cluster(index: u32, width: u8, style: StyleId) -> Cell {
        Cell { content: index | CLUSTER | (width as u32) << WIDTH_SHIFT, style }
    }

    /// Second half of a wide character.
    pub(crate) const fn continuation(style: StyleId) -> Cell {
        Cell { content: 0, style }
    }

    #[inline]
    pub(crate) const fn width(self) -> u8 {
        (self.content >> WIDTH_SHIFT) as u8
    }

    /// True for anything that was printed, a space included.
    #[inline]
    pub(crate) const fn has_content(self) -> bool {
        self.content & (VALUE_MASK | CLUSTER) != 0
    }

    /// True for a second half, whether or not its first half still stands before it.
    #[inline]
    pub(crate) const fn is_continuation(self) -> bool {
        self.content == 0
    }

    /// The byte of a plain ASCII cell; zero for a blank one.
    #[inline]
    pub(crate) const fn as_ascii(self) -> Option<u8> {
        let byte = self.content ^ 1 << WIDTH_SHIFT;
        if byte < 0x80 { Some(byte as u8) } else { None }
    }

    pub(crate) const fn with_style(self, style: StyleId) -> Cell {
        Cell { style, ..self }
    }

    pub(crate) fn glyph(self) -> Glyph {
        let value = self.content & VALUE_MASK;
        if self.content & CLUSTER != 0 {
            Glyph::Cluster(value)
        } else {
            match char::from_u32(value) {
                Some(c) if value != 0 => Glyph::Char(c),
                _ => Glyph::Blank,
            }
        }
    }
}
