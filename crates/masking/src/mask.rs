//! The characters that replace a secret.

use crate::place::Place;
use crate::rules::Source;

/// What the mask of a secret begins with, if there is room for all of it.
const WORD: &[u8] = b"***REDACTED***";

/// The mask of a wide character. Two narrow ones would go to different rows at the edge, be cut into halves, and not
/// both be repeated.
const WIDE: &str = "＊";
/// The masks of marks, which show nothing but join the character before them, as the marks did. They are as long as the
/// marks: two bytes to four. NULs would not do: there would be no character before them that REP could repeat.
const MARKS: [&str; 3] = ["\u{34f}", "\u{fe00}", "\u{e0100}"];

/// The mask character for column `index` of a secret of `of` columns.
pub(crate) fn character(index: usize, of: usize) -> u8 {
    if of < WORD.len() { b'*' } else { WORD.get(index).copied().unwrap_or(b'*') }
}

/// Bytes to be written over one character of a secret, as many as it has.
///
/// They show a mask character that is as wide. The rest, before it, are NULs, which terminals pass over.
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
    /// For a character that stands in column `index` of a secret of `of` columns.
    pub(crate) fn of_cell(place: Place, index: usize, of: usize, source: Source) -> Mask {
        let len = place.len();
        let narrow = [character(index, of)];
        let mark = MARKS.iter().find(|mark| mark.len() == len).filter(|_| place.is_mark());
        let shown = match mark {
            Some(mark) => mark.as_bytes(),
            // All wide characters have at least three bytes.
            None if place.is_wide() && len >= WIDE.len() => WIDE.as_bytes(),
            None => &narrow,
        };
        let mut bytes = [0; 4];
        bytes[len - shown.len()..len].copy_from_slice(shown);
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
        let mask = |place| Mask::of_cell(place, 20, 30, Source::Key);
        let place = |len| Place::new(9, len);
        for (place, bytes, cols) in [
            (place(1), "*", 1),
            (place(2), "\0*", 1),
            (place(3), "\0\0*", 1),
            (place(3).wide(), "＊", 2),
            (place(4).wide(), "\0＊", 2),
            (place(2).mark(), "\u{34f}", 0),
            (place(3).mark(), "\u{fe00}", 0),
            (place(4).mark(), "\u{e0100}", 0),
        ] {
            assert_eq!(mask(place).bytes(), bytes.as_bytes());
            let shown = bytes.chars().filter(|c| *c != '\0').map(terminal::width);
            assert_eq!(shown.map(usize::from).sum::<usize>(), cols, "{bytes:?}");
        }
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
            Mask::of_cell(Place::new(9, 3), 0, 5, Source::Key),
            Mask::of_cell(Place::new(4, 1), 0, 1, Source::Key),
        ];
        let mut buffer = *b"456789";
        apply(&masks, 4, &mut buffer);
        assert_eq!(&buffer, b"*5678\0");
    }
}
