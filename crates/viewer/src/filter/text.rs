//! Text: characters between sequences, and characters cut in two.

use super::grammar::{ENQ, ESC};

/// How many bytes `bytes` begins with that need no second look: whole characters, and controls that only draw.
#[inline]
pub(super) fn plain_len(bytes: &[u8]) -> usize {
    let mut length = 0;
    loop {
        length += ascii_len(&bytes[length..]);
        match character_len(&bytes[length..]) {
            Some(character) => length += character,
            None => return length,
        }
    }
}

/// How many bytes of ASCII without ESC and ENQ `bytes` begins with, looking at eight of them at a time.
#[inline]
fn ascii_len(bytes: &[u8]) -> usize {
    let mut length = 0;
    while let Some(word) = bytes[length..].first_chunk() {
        let others = not_plain(u64::from_le_bytes(*word));
        if others != 0 {
            return length + others.trailing_zeros() as usize / 8;
        }
        length += word.len();
    }
    let rest = &bytes[length..];
    let other = rest.iter().position(|&byte| byte == ESC || byte == ENQ || !byte.is_ascii());
    length + other.unwrap_or(rest.len())
}

/// The top bit of every byte that is ESC, ENQ or not ASCII. Bits above the lowest one may be wrong.
#[inline]
fn not_plain(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const TOPS: u64 = 0x80 * ONES;
    let equal = |byte: u8| {
        let difference = word ^ (u64::from(byte) * ONES);
        difference.wrapping_sub(ONES) & !difference
    };
    (word | equal(ESC) | equal(ENQ)) & TOPS
}

/// The length of the character beyond ASCII that `bytes` begins with, if it is whole, valid and no C1 control.
#[inline]
fn character_len(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [0xc2, 0xa0..=0xbf, ..] | [0xc3..=0xdf, 0x80..=0xbf, ..] => Some(2),
        [0xe1..=0xec | 0xee..=0xef, 0x80..=0xbf, 0x80..=0xbf, ..]
        | [0xe0, 0xa0..=0xbf, 0x80..=0xbf, ..]
        | [0xed, 0x80..=0x9f, 0x80..=0xbf, ..] => Some(3),
        [0xf1..=0xf3, 0x80..=0xbf, 0x80..=0xbf, 0x80..=0xbf, ..]
        | [0xf0, 0x90..=0xbf, 0x80..=0xbf, 0x80..=0xbf, ..]
        | [0xf4, 0x80..=0x8f, 0x80..=0xbf, 0x80..=0xbf, ..] => Some(4),
        _ => None,
    }
}

/// Decodes characters that are not ASCII, however they are cut. What is not UTF-8 vanishes: the model drops it, and
/// outer terminals differ in what they show for it or even obey it.
#[derive(Debug, Default)]
pub(super) struct Characters {
    /// The bytes of an unfinished character.
    unfinished: [u8; MAX_CHARACTER],
    length: usize,
}

/// The longest character in UTF-8.
const MAX_CHARACTER: usize = 4;

impl Characters {
    #[inline]
    pub(super) fn is_at_rest(&self) -> bool {
        self.length == 0
    }

    /// Takes bytes from the front of `bytes`, which are not empty; says how many, and which character they complete.
    pub(super) fn take(&mut self, bytes: &[u8]) -> (usize, Option<char>) {
        let held = self.length;
        let fresh = bytes.len().min(MAX_CHARACTER - held);
        self.unfinished[held..held + fresh].copy_from_slice(&bytes[..fresh]);
        self.length = 0;
        match first(&self.unfinished[..held + fresh]) {
            First::Whole(c) => (c.len_utf8() - held, Some(c)),
            First::Wrong(length) => (length - held, None),
            First::Unfinished => {
                self.length = held + fresh;
                (fresh, None)
            }
        }
    }
}

/// What bytes begin with.
enum First {
    Whole(char),
    /// So many bytes are no character.
    Wrong(usize),
    Unfinished,
}

fn first(bytes: &[u8]) -> First {
    let valid = match std::str::from_utf8(bytes) {
        Ok(valid) => valid,
        Err(error) if error.valid_up_to() == 0 => {
            return error.error_len().map_or(First::Unfinished, First::Wrong);
        }
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    };
    valid.chars().next().map_or(First::Unfinished, First::Whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_every_character_but_esc_enq_and_the_c1_controls() {
        for c in '\0'..=char::MAX {
            let plain = c != '\u{1b}' && c != '\u{5}' && !('\u{80}'..='\u{9f}').contains(&c);
            let text = c.to_string();
            assert_eq!(plain_len(text.as_bytes()), if plain { text.len() } else { 0 }, "{c:?}");
        }
    }

    #[test]
    fn plain_text_ends_where_it_is_not_utf_8() {
        for start in 0..=u16::MAX {
            for rest in [&b"\x80\x80"[..], b"\xbf\xbf", b"a", b""] {
                let bytes = [&start.to_be_bytes()[..], rest].concat();
                let length = plain_len(&bytes);
                let valid = std::str::from_utf8(&bytes).map_or_else(|error| error.valid_up_to(), str::len);
                assert!(length <= valid, "{bytes:x?}");
                let next =
                    std::str::from_utf8(&bytes[length..valid]).expect("whole characters").chars().next();
                assert!(next.is_none_or(char::is_control), "{bytes:x?}");
            }
        }
    }

    #[test]
    fn a_long_run_ends_at_the_first_byte_that_is_not_plain() {
        let text = b"0123456789".repeat(20);
        for at in 0..text.len() {
            for stop in [ESC, ENQ, 0x80, 0xff] {
                let mut bytes = text.clone();
                bytes[at] = stop;
                assert_eq!(plain_len(&bytes), at);
            }
        }
    }
}
