//! Dumps of bytes, as `xxd`, `hexdump` and `od` print them.
//!
//! A line has an offset (or, with `od -An`, none), bytes as numbers, and perhaps the same bytes as text. Known values are
//! looked for in the bytes, line after line, and masked both as numbers and as text.

use std::ops::Range;

use crate::columns::BLANK;
use crate::folded::common;

/// The next line goes on with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The value's number.
    pub(crate) value: u16,
    /// How many of its bytes stood in the lines before.
    pub(crate) at: u16,
}

/// Fewer bytes at the end of a line begin a value too often by chance.
const SURE: usize = 4;
/// `xxd` prints at most so many in a line.
const MAX_BYTES: usize = 256;
/// The digits of an offset.
const OFFSET: Range<usize> = 6..17;
/// Without an offset, so many numbers make a line a dump.
const FEW: usize = 2;

/// The bytes of a line.
#[derive(Debug, Default)]
pub(crate) struct Dump {
    bytes: Vec<u8>,
    /// The columns of each as a number.
    numbers: Vec<Range<usize>>,
    /// The column of the first one as text.
    text: Option<usize>,
}

/// Whether a line may be one of a dump; most are not, by their first columns.
#[inline]
pub(crate) fn may_be(line: &[u8]) -> bool {
    match line {
        [b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F', rest @ ..] => {
            rest.len() >= OFFSET.start && rest[..OFFSET.start - 1].iter().all(u8::is_ascii_hexdigit)
        }
        [BLANK, rest @ ..] => {
            let start = rest.iter().position(|byte| *byte != BLANK).unwrap_or(rest.len());
            matches!(&rest[start..], [one, other, ..] if one.is_ascii_hexdigit() && (other.is_ascii_hexdigit() || *other == BLANK))
        }
        _ => false,
    }
}

impl Dump {
    /// Reads a line.
    pub(crate) fn read(line: &[u8]) -> Option<Dump> {
        let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let is_offset = OFFSET.contains(&digits);
        if line.first() != Some(&BLANK) && !is_offset {
            return None;
        }
        match line.get(digits) {
            Some(b':') => Dump::numbers(line, digits + 1, Order::AsPrinted),
            Some(&BLANK) => {
                let octal = digits > 0 && line[..digits].iter().all(|byte| matches!(byte, b'0'..=b'7'));
                let characters = || if octal { Dump::characters(line, digits) } else { None };
                Dump::numbers(line, digits, Order::SmallFirst).or_else(characters)
            }
            _ => None,
        }
    }

    /// Reads bytes or words in hexadecimal or octal digits.
    fn numbers(line: &[u8], from: usize, order: Order) -> Option<Dump> {
        let mut dump = Dump::default();
        let (mut at, mut width) = (from, 0);
        while dump.bytes.len() < MAX_BYTES {
            let Some(blanks) = line[at..].iter().position(|byte| *byte != BLANK) else { break };
            // Behind a gap, `xxd` prints the text.
            if order == Order::AsPrinted && width > 0 && blanks > 1 {
                break;
            }
            let start = at + blanks;
            let len = line[start..].iter().position(|byte| *byte == BLANK).unwrap_or(line.len() - start);
            let token = start..start + len;
            let last = order == Order::AsPrinted && len < width;
            if width > 0 && len != width && !last || !dump.add(&line[token.clone()], start, order) {
                break;
            }
            (at, width) = (token.end, len);
        }
        let least = if from == 0 { FEW } else { 1 };
        if dump.bytes.len() < least {
            return None;
        }
        let shown: Vec<u8> =
            dump.bytes.iter().map(|byte| if matches!(byte, b' '..=b'~') { *byte } else { b'.' }).collect();
        dump.text = memchr::memmem::find(&line[at..], &shown).map(|text| at + text);
        Some(dump)
    }

    /// Adds the bytes of one number that begins at a column.
    fn add(&mut self, token: &[u8], at: usize, order: Order) -> bool {
        let is_octal = token.iter().all(|byte| matches!(byte, b'0'..=b'7'));
        match token.len() {
            3 | 6 if is_octal => {
                let word = token.iter().fold(0u32, |word, digit| word * 8 + u32::from(digit - b'0'));
                let count = token.len() / 3;
                self.bytes.extend(&word.to_le_bytes()[..count]);
                self.numbers.extend(std::iter::repeat_n(at..at + token.len(), count));
                true
            }
            len @ (2 | 4 | 8 | 16 | 32) if token.iter().all(u8::is_ascii_hexdigit) => {
                let digit = |byte: u8| (byte as char).to_digit(16).unwrap_or(0) as u8;
                let byte = |pair: usize| (digit(token[pair]) << 4) | digit(token[pair + 1]);
                let mut pairs: Vec<usize> = (0..len).step_by(2).collect();
                if order == Order::SmallFirst {
                    pairs.reverse();
                }
                self.bytes.extend(pairs.iter().map(|&pair| byte(pair)));
                self.numbers.extend(pairs.iter().map(|&pair| at + pair..at + pair + 2));
                true
            }
            _ => false,
        }
    }

    /// Reads the characters that `od -c` prints, in four columns each.
    fn characters(line: &[u8], from: usize) -> Option<Dump> {
        let mut dump = Dump::default();
        for start in (from..line.len()).step_by(4) {
            let cell = line[start..line.len().min(start + 4)].trim_ascii();
            let byte = match cell {
                [] => b' ',
                [byte] => *byte,
                [b'\\', b'n'] => b'\n',
                [b'\\', _] => 0,
                octal @ [b'0'..=b'7', b'0'..=b'7', b'0'..=b'7'] => {
                    octal.iter().fold(0u8, |byte, digit| byte.wrapping_mul(8) + (digit - b'0'))
                }
                _ => return None,
            };
            dump.bytes.push(byte);
            dump.numbers.push(line.len().min(start + 1)..line.len().min(start + 4));
        }
        (!dump.bytes.is_empty()).then_some(dump)
    }

    /// Finds a value's bytes. `before`: so many of them ended the line before. Says how many end this one.
    pub(crate) fn find(
        &self,
        value: &[u8],
        before: Option<usize>,
        mut found: impl FnMut(Range<usize>),
    ) -> Option<usize> {
        let mut open = None;
        if let Some(at) = before {
            let len = common(&value[at..], &self.bytes);
            let is_all = at + len == value.len();
            if is_all || len == self.bytes.len() {
                self.columns(0..len, &mut found);
                open = (!is_all).then_some(at + len);
            }
        }
        for start in 0..self.bytes.len() {
            let len = common(value, &self.bytes[start..]);
            let is_all = len == value.len();
            let is_cut = !is_all && start + len == self.bytes.len();
            if is_all || is_cut && len >= SURE {
                self.columns(start..start + len, &mut found);
            }
            if is_cut && len > 0 {
                open = open.max(Some(len));
            }
        }
        open
    }

    fn columns(&self, bytes: Range<usize>, found: &mut impl FnMut(Range<usize>)) {
        self.numbers[bytes.clone()].iter().cloned().for_each(&mut *found);
        if let Some(text) = self.text {
            found(text + bytes.start..text + bytes.end);
        }
    }
}

/// Which of a number's bytes came first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    AsPrinted,
    /// As the processors that we run on keep numbers.
    SmallFirst,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_every_common_form_are_read() {
        for line in [
            "00000000: 6875 6e74 6572 322e 0a                   hunter2..",
            "00000000: 68 75 6e 74 65 72 32 2e 0a  hunter2..",
            "00000000  68 75 6e 74 65 72 32 2e  0a                       |hunter2..|",
            "0000000 68 75 6e 74 65 72 32 2e 0a",
            " 68 75 6e 74 65 72 32 2e 0a",
            "0000000   h   u   n   t   e   r   2   .  \\n",
            "0000000 150 165 156 164 145 162 062 056 012",
        ] {
            assert!(may_be(line.as_bytes()), "{line}");
            let dump = Dump::read(line.as_bytes()).expect(line);
            assert_eq!(dump.bytes, b"hunter2.\n", "{line}");
            assert_eq!(dump.text.is_some(), line.contains("r2.."), "{line}");
        }
        for line in ["0000000 7568 746e 7265 2e32", "0000000 072550 072156 071145 027062"] {
            assert_eq!(Dump::read(line.as_bytes()).expect(line).bytes, b"hunter2.", "{line}");
        }
    }

    #[test]
    fn ordinary_lines_are_no_dumps() {
        for line in ["deadbeef", "fn main() {", "", "  ", "20261116 build", "3f9a0c7 (HEAD -> main)"] {
            assert!(Dump::read(line.as_bytes()).is_none(), "{line}");
        }
    }
}
