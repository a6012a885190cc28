//! Known values that a program broke into lines, as `fold` and `base64` do.

use std::ops::Range;

use crate::columns::{BLANK, BORDER};
use crate::value::is_mixed;

/// A piece of so many columns is a part of the value, even if it consists of letters alone.
const SURE: usize = 16;

/// The next line begins with the rest of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Folded {
    /// The value's number.
    pub(crate) value: u16,
    /// How much of it stood in the lines before.
    pub(crate) at: u16,
}

/// What a line has of a value that is broken into lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) columns: Range<usize>,
    /// How much of the value there is up to its end, if that is not all.
    pub(crate) goes_on_at: Option<usize>,
    /// Whether it can be nothing else.
    pub(crate) is_sure: bool,
}

/// The piece of a value around column `at` of a line, in which the value's columns from `offset` on stand. Both ends of
/// it are ends of the value or of the line, and one is the line's.
pub(crate) fn piece(value: &[u8], offset: usize, line: &[u8], at: usize) -> Option<Piece> {
    let before = (0..offset.min(at)).take_while(|i| value[offset - 1 - i] == line[at - 1 - i]).count();
    let after = common(&value[offset..], &line[at..]);
    let (from, to) = (offset - before, offset + after);
    let columns = at - before..at + after;
    let text = text_of(line);
    let begins = from == 0 || columns.start == text.start;
    let ends = to == value.len() || columns.end == text.end;
    let is_part = from > 0 || to < value.len();
    (begins && ends && is_part).then(|| Piece {
        is_sure: columns.len() >= SURE || is_mixed(&line[columns.clone()]),
        columns,
        goes_on_at: (to < value.len()).then_some(to),
    })
}

/// The piece with which a line goes on.
pub(crate) fn rest(value: &[u8], at: usize, line: &[u8]) -> Option<Piece> {
    let text = text_of(line);
    let len = common(&value[at..], &line[text.clone()]);
    let to = at + len;
    let is_all = to == value.len();
    (len > 0 && (is_all || len == text.len())).then(|| Piece {
        columns: text.start..text.start + len,
        goes_on_at: (!is_all).then_some(to),
        is_sure: true,
    })
}

/// Of a line, what is no margin and no border.
fn text_of(line: &[u8]) -> Range<usize> {
    let is_text = |byte: &u8| !matches!(*byte, BLANK | BORDER | b'|');
    let start = line.iter().position(is_text).unwrap_or(line.len());
    start..line.iter().rposition(is_text).map_or(start, |last| last + 1)
}

/// How far two texts are the same.
pub(crate) fn common(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: &[u8] = b"q7Zt2XbK9mR4vLd8HwPf";

    #[test]
    fn a_piece_reaches_from_end_to_end() {
        let found = |line: &str, offset: usize| {
            let at = line.find(std::str::from_utf8(&VALUE[offset..offset + 8]).expect("ASCII"))?;
            piece(VALUE, offset, line.as_bytes(), at)
        };
        let first = found("key=q7Zt2XbK9m", 0).expect("a piece");
        assert_eq!((first.columns, first.goes_on_at), (4..14, Some(10)));
        let last = found("│ 9mR4vLd8HwPf\" }".replace('│', "|").as_str(), 8).expect("a piece");
        assert_eq!((last.columns, last.goes_on_at), (2..14, None));
        assert_eq!(found("q7Zt2XbK9m is no end", 0), None);
        assert_eq!(found("x 9mR4vLd8HwPf", 8), None);
        assert_eq!(found("q7Zt2XbK9mR4vLd8HwPf", 0), None, "all of it is no piece");
    }

    #[test]
    fn the_rest_goes_on_in_the_next_lines() {
        assert_eq!(rest(VALUE, 10, b"  R4vLd8").map(|piece| piece.goes_on_at), Some(Some(16)));
        assert_eq!(rest(VALUE, 16, b"HwPf, and more").map(|piece| piece.columns), Some(0..4));
        assert_eq!(rest(VALUE, 10, b"R4v and more"), None);
        assert_eq!(rest(VALUE, 10, b""), None);
    }
}
