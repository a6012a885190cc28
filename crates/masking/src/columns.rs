//! Characters as bytes, one for each column.
//!
//! Rules and known values are matched against these *column bytes*, in which every column is one byte, however many
//! bytes its character takes in the stream.

use terminal::width;

/// A column with nothing in it.
pub(crate) const BLANK: u8 = b' ';
/// Lines and blocks that boxes are drawn with.
pub(crate) const BORDER: u8 = 0x80;
/// The second column of a wide character.
pub(crate) const SECOND_HALF: u8 = 0xff;

/// The byte that stands for a character. ASCII stands for itself; of the others, many share a byte.
pub(crate) fn column_byte(c: char) -> u8 {
    match c {
        '\0'..='\x1f' | '\x7f' => BLANK,
        '\x20'..='\x7e' => c as u8,
        '\u{2500}'..='\u{259f}' | '\u{23b8}'..='\u{23bf}' => BORDER,
        _ if c.is_whitespace() => BLANK,
        _ => {
            const FIRST: u32 = BORDER as u32 + 1;
            const COUNT: u32 = SECOND_HALF as u32 - FIRST;
            let mixed = (c as u32).wrapping_mul(0x9E37_79B1) >> 16;
            (FIRST + mixed % COUNT) as u8
        }
    }
}

/// Writes the column bytes of a character: none for a mark that joins the one before, two for a wide one.
pub(crate) fn push(columns: &mut Vec<u8>, c: char) -> u8 {
    let cols = if c.is_ascii() { 1 } else { width(c) };
    if cols > 0 {
        columns.push(column_byte(c));
    }
    if cols == 2 {
        columns.push(SECOND_HALF);
    }
    cols
}

/// The column bytes of a text.
pub(crate) fn columns_of(text: &str) -> Vec<u8> {
    let mut columns = Vec::with_capacity(text.len());
    for c in text.chars() {
        push(&mut columns, c);
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_one_byte_and_only_ascii_is_below_0x80() {
        assert_eq!(columns_of("a z"), b"a z");
        assert_eq!(columns_of("│─█"), [BORDER; 3]);
        let wide = columns_of("密");
        assert_eq!(wide.len(), 2);
        assert!(wide[0] > BORDER && wide[1] == SECOND_HALF);
        assert_eq!(columns_of("e\u{301}"), b"e", "a mark takes no column");
        for c in '\u{a1}'..'\u{3000}' {
            assert!(column_byte(c) != SECOND_HALF, "{c:?}");
        }
    }
}
