//! How far the frequent things go: runs of text, and control sequences of plain numbers.

use crate::grammar::{FIRST_PRINTABLE, MAX_HEAD};
use crate::utf8::{Decoded, decode, is_continuation};

/// How many bytes of printable ASCII `bytes` begins with.
///
/// What stands between two colours is mostly shorter than a word. The loop for longer text is kept out of callers, which
/// have few registers to spare.
#[inline(always)]
pub fn printable_len(bytes: &[u8]) -> usize {
    let first = bytes.first_chunk().map_or(WORD, |word| len_in_word(*word, not_printable));
    if first < WORD { first } else { long_printable_len(bytes) }
}

#[inline(never)]
fn long_printable_len(bytes: &[u8]) -> usize {
    let mut len = 0;
    // Without a branch inside, the compiler looks at all bytes of a block at once.
    while let Some(block) = bytes.get(len..len + BLOCK)
        && !block.iter().fold(false, |other, byte| other | !(0x20..0x7f).contains(byte))
    {
        len += BLOCK;
    }
    len + len_before(&bytes[len..], not_printable)
}

/// How many bytes `bytes` begins with that are whole characters and C0 controls, up to the first ESC, the first `STOP`
/// and the first character that the grammar drops or reads as a C1 control.
#[inline]
pub fn plain_text_len<const STOP: u8>(bytes: &[u8]) -> usize {
    let mut len = 0;
    loop {
        len += len_before(&bytes[len..], not_plain::<STOP>);
        let ascii = len;
        // In most scripts, and in boxes, such characters follow each other.
        while let Some(character) = character_len(&bytes[len..]) {
            len += character;
        }
        if len == ascii {
            return len;
        }
    }
}

/// The length of the character beyond ASCII that `bytes` begins with, if it is whole, valid, no C1 control and no byte
/// order mark.
#[inline(always)]
fn character_len(bytes: &[u8]) -> Option<usize> {
    match *bytes {
        [] | [0..=0x7f, ..] => None,
        // After these first bytes, the character is valid and none of those, with any other bits.
        [0xe1..=0xec | 0xee, b, c, ..] if is_continuation(b) && is_continuation(c) => Some(3),
        [0xc3..=0xdf, b, ..] if is_continuation(b) => Some(2),
        _ => match decode(bytes) {
            Decoded::Char(c, len) if c >= FIRST_PRINTABLE => Some(len),
            _ => None,
        },
    }
}

/// The control sequence of plain numbers that `bytes` begins with, if all of it is here: its length and its final byte.
#[inline(always)]
pub fn plain_sequence(bytes: &[u8]) -> Option<(usize, u8)> {
    let [0x1b, b'[', rest @ ..] = bytes else { return None };
    // The numbers of most sequences fit into a word.
    let mut numbers = rest.first_chunk().map_or(0, |word| len_in_word(*word, no_number));
    let last = loop {
        match *rest.get(numbers)? {
            b'0'..=b';' => numbers += 1,
            last => break last,
        }
    };
    ((0x40..=0x7e).contains(&last) && numbers + 2 <= MAX_HEAD).then_some((numbers + 3, last))
}

/// How many bytes `bytes` begins with before the first one that `find` finds.
#[inline(always)]
fn len_before(bytes: &[u8], find: impl Fn(u64) -> u64) -> usize {
    let mut rest = bytes;
    while let Some((word, after)) = rest.split_first_chunk() {
        let found = find(u64::from_le_bytes(*word));
        if found != 0 {
            return bytes.len() - rest.len() + found.trailing_zeros() as usize / 8;
        }
        rest = after;
    }
    let last = rest.iter().take_while(|byte| find(u64::from(**byte)) & 0x80 == 0).count();
    bytes.len() - rest.len() + last
}

/// How many bytes a word begins with before the first one that `find` finds.
#[inline(always)]
fn len_in_word(word: [u8; WORD], find: impl Fn(u64) -> u64) -> usize {
    find(u64::from_le_bytes(word)).trailing_zeros() as usize / 8
}

/// Bytes that are looked at together: in a register, and by vector instructions.
const WORD: usize = 8;
const BLOCK: usize = 32;

/// One in each byte of a word.
const ONES: u64 = u64::from_le_bytes([1; 8]);
/// The top bit of each byte of a word.
const TOPS: u64 = 0x80 * ONES;

// These set the top bit of each byte that they find, as far as the first such byte: after it, a borrow or a carry may
// have changed others. All find what is not ASCII, so what they make of its other bits does not matter.

/// Finds what is no printable ASCII.
#[inline]
const fn not_printable(word: u64) -> u64 {
    let control = word.wrapping_sub(0x20 * ONES);
    let delete = (word ^ (0x7f * ONES)).wrapping_sub(ONES);
    (word | control | delete) & TOPS
}

/// Finds ESC, `STOP` and what is not ASCII.
#[inline]
const fn not_plain<const STOP: u8>(word: u64) -> u64 {
    let escape = (word ^ (0x1b * ONES)).wrapping_sub(ONES);
    let stop = (word ^ (STOP as u64 * ONES)).wrapping_sub(ONES);
    (word | escape | stop) & TOPS
}

/// Finds what is neither digit, colon nor semicolon.
#[inline]
const fn no_number(word: u64) -> u64 {
    let below = word.wrapping_sub(b'0' as u64 * ONES);
    let above = word.wrapping_add((0x7f - b';') as u64 * ONES);
    (word | below | above) & TOPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_runs_end_at_the_first_other_byte() {
        let text = b"abcdefghij ~!@#$%^&*".repeat(5);
        for stop in (0..0x20).chain(0x7f..=0xff) {
            for at in 0..text.len() {
                let mut bytes = text.clone();
                bytes[at] = stop;
                assert_eq!(printable_len(&bytes), at, "{stop:#x} at {at}");
                assert_eq!(printable_len(&bytes[..at]), at);
                if let Some(next) = bytes.get_mut(at + 1) {
                    *next = 0x80;
                    assert_eq!(printable_len(&bytes), at, "{stop:#x} at {at}, and another");
                }
            }
        }
        assert_eq!(printable_len(&text), text.len());
    }

    #[test]
    fn plain_text_is_every_character_but_esc_the_stop_c1_controls_and_the_byte_order_mark() {
        for c in '\0'..=char::MAX {
            let plain = !matches!(c, '\u{1b}' | '\u{5}' | '\u{80}'..='\u{9f}' | '\u{feff}');
            let text = c.to_string();
            assert_eq!(plain_text_len::<5>(text.as_bytes()), if plain { text.len() } else { 0 }, "{c:?}");
        }
    }

    #[test]
    fn plain_text_ends_where_it_is_not_utf_8() {
        for start in 0..=u16::MAX {
            for rest in [&b"\x80\x80"[..], b"\xbf\xbf", b"a", b""] {
                let bytes = [&start.to_be_bytes()[..], rest].concat();
                let len = plain_text_len::<5>(&bytes);
                let valid = std::str::from_utf8(&bytes).map_or_else(|error| error.valid_up_to(), str::len);
                assert!(len <= valid, "{bytes:x?}");
                let next = std::str::from_utf8(&bytes[len..valid]).expect("whole characters").chars().next();
                assert!(next.is_none_or(|c| c.is_control() || c == '\u{feff}'), "{bytes:x?}");
            }
        }
    }

    #[test]
    fn a_long_run_of_plain_text_ends_at_the_first_byte_that_is_not_plain() {
        let text = b"0123456789".repeat(20);
        for at in 0..text.len() {
            for stop in [0x1b, 5, 0x80, 0xff] {
                let mut bytes = text.clone();
                bytes[at] = stop;
                assert_eq!(plain_text_len::<5>(&bytes), at);
            }
        }
    }

    #[test]
    fn a_plain_sequence_is_whole_and_has_only_numbers() {
        assert_eq!(plain_sequence(b"\x1b[1;38:5:9mx"), Some((11, b'm')));
        assert_eq!(plain_sequence(b"\x1b[H"), Some((3, b'H')));
        let long = |numbers: usize| [&b"\x1b["[..], &vec![b'0'; numbers], b"H"].concat();
        assert_eq!(plain_sequence(&long(MAX_HEAD - 2)), Some((MAX_HEAD + 1, b'H')));
        for other in [&b"\x1b[1;"[..], b"\x1b[?1h", b"\x1b[1 q", b"\x1b]0;", b"m", b"", &long(MAX_HEAD - 1)] {
            assert_eq!(plain_sequence(other), None, "{}", other.escape_ascii());
        }
    }

    #[test]
    fn a_plain_sequence_ends_at_the_first_byte_that_belongs_to_no_number() {
        for numbers in 0..30 {
            let head = [b"\x1b[", &b"0123456789:;".repeat(3)[..numbers]].concat();
            for last in (0..=0xff).filter(|byte| !(b'0'..=b';').contains(byte)) {
                let expected = (0x40..=0x7e).contains(&last).then_some((numbers + 3, last));
                for rest in [&b""[..], b"text after it", b"\x1b[1;2;3;4m", &[0x80; 9]] {
                    let bytes = [&head[..], &[last], rest].concat();
                    assert_eq!(plain_sequence(&bytes), expected, "{}", bytes.escape_ascii());
                }
            }
        }
    }
}
