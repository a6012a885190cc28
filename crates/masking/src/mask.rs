//! The characters that replace a secret.

use crate::place::Place;
use crate::rules::Source;

/// What the mask of a secret begins with, if there is room for all of it.
const WORD: &[u8] = b"***REDACTED***";

/// A wide character for where two narrow ones would go to different rows.
const WIDE: [u8; 3] = [0xef, 0xbc, 0x8a];

/// The mask character for column `index` of a secret of `of` columns.
pub(crate) fn character(index: usize, of: usize) -> u8 {
    if of < WORD.len() { b'*' } else { WORD.get(index).copied().unwrap_or(b'*') }
}

/// Bytes to be written over one character of a secret, as many as it has.
///
/// They show as many mask characters as it had columns. The rest, before them, are NULs, which terminals pass over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask {
    /// Position of the character in the stream.
    pub at: u64,
    /// How many bytes it has: one to four.
    pub len: u8,
    bytes: [u8; 4],
    source: Source,
}

impl Mask {
    /// For a character of `cols` columns, the first of which is column `index` of a secret of `of` columns.
    pub(crate) fn of_cell(place: Place, cols: usize, index: usize, of: usize, source: Source) -> Mask {
        let mut bytes = [0; 4];
        let len = place.len();
        if place.is_unsplit() && len >= WIDE.len() {
            bytes[len - WIDE.len()..len].copy_from_slice(&WIDE);
        } else if !place.is_mark() {
            let cols = cols.min(len);
            for col in 0..cols {
                bytes[len - cols + col] = character(index + col, of);
            }
        }
        Mask { at: place.at(), len: len as u8, bytes, source }
    }

    /// For one byte of a control string, where NULs might mean something and columns do not count.
    pub(crate) fn of_byte(at: u64, index: usize, of: usize, source: Source) -> Mask {
        Mask { at, len: 1, bytes: [character(index, of), 0, 0, 0], source }
    }

    /// What found the secret.
    pub(crate) fn source(&self) -> Source {
        self.source
    }

    /// The bytes to be written at [`Mask::at`].
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// Writes masks over a part of the stream that begins at position `start`; those of other parts are passed over.
pub fn apply(masks: &[Mask], start: u64, buffer: &mut [u8]) {
    for mask in masks {
        for (at, &byte) in (mask.at..).zip(mask.bytes()) {
            let index = at.checked_sub(start).and_then(|index| usize::try_from(index).ok());
            if let Some(target) = index.and_then(|index| buffer.get_mut(index)) {
                *target = byte;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_has_the_bytes_and_the_columns_of_its_character() {
        let bytes = |len, cols| Mask::of_cell(Place::new(9, len), cols, 20, 30, Source::Key).bytes().to_vec();
        assert_eq!(bytes(1, 1), b"*");
        assert_eq!(bytes(2, 1), b"\0*");
        assert_eq!(bytes(3, 2), b"\0**");
        assert_eq!(bytes(4, 2), b"\0\0**");
        assert_eq!(Mask::of_cell(Place::new(9, 2).mark(), 0, 20, 30, Source::Key).bytes(), b"\0\0");
        assert_eq!(
            Mask::of_cell(Place::new(9, 4).unsplit(), 2, 20, 30, Source::Key).bytes(),
            "\0＊".as_bytes()
        );
    }

    #[test]
    fn the_mask_of_a_long_secret_contains_the_word_redacted() {
        let mask = |of| (0..of).map(|index| character(index, of) as char).collect::<String>();
        assert_eq!(mask(13), "*".repeat(13));
        assert_eq!(mask(14), "***REDACTED***");
        assert_eq!(mask(16), "***REDACTED*****");
    }

    #[test]
    fn masks_are_applied_to_the_part_that_is_there() {
        let masks = [
            Mask::of_byte(3, 0, 5, Source::Key),
            Mask::of_cell(Place::new(9, 3), 1, 0, 5, Source::Key),
            Mask::of_cell(Place::new(4, 1), 1, 0, 1, Source::Key),
        ];
        let mut buffer = *b"456789";
        apply(&masks, 4, &mut buffer);
        assert_eq!(&buffer, b"*5678\0");
    }
}
