//! Values of several lines in YAML: `password: |`, and the lines that are indented deeper than the name.

use std::ops::Range;

use crate::columns::{BLANK, BORDER};
use crate::value;

/// An open block. Its lines are blank between two columns: from where the indentation begins, after line numbers and
/// borders, up to where the name began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    from: u16,
    to: u16,
}

/// What a line is to a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InBlock {
    /// A line of it, with these columns of text.
    Text(Range<usize>),
    /// A line of it that has no secret: a blank one, a sentence, a reference.
    Nothing,
    /// The first line behind the block.
    Ended,
}

impl Block {
    /// The block that begins in a line: a name at column `name`, and a value at `at` that is a sign for a block.
    pub(crate) fn begins(line: &[u8], name: usize, at: usize) -> Option<Block> {
        let colon = line[..at].iter().rposition(|byte| *byte != BLANK)?;
        if line[colon] != b':' || !is_sign(line.get(at..)?) {
            return None;
        }
        let is_quote = |byte: u8| matches!(byte, b'"' | b'\'');
        let start = if name > 0 && is_quote(line[name - 1]) { name - 1 } else { name };
        let from = line[..start].iter().rposition(|byte| *byte != BLANK).map_or(0, |last| last + 1);
        // A table's name stands behind a bar, a command's option behind words.
        let is_margin = |byte: &u8| b" -+:".contains(byte) || *byte == BORDER || byte.is_ascii_digit();
        let fits = line[..from].iter().all(is_margin) && start <= usize::from(u16::MAX);
        fits.then_some(Block { from: from as u16, to: start as u16 })
    }

    /// What the next line is to the block.
    pub(crate) fn line(self, line: &[u8]) -> InBlock {
        let (from, to) = (usize::from(self.from), usize::from(self.to));
        let text_end = line.iter().rposition(|byte| *byte != BLANK && *byte != BORDER);
        let Some(end) = text_end.map(|last| last + 1).filter(|end| *end > from) else {
            return InBlock::Nothing;
        };
        if line[from..end.min(to + 1)].iter().any(|byte| *byte != BLANK) {
            return InBlock::Ended;
        }
        let start = (to..end).find(|&at| line[at] != BLANK).unwrap_or(end);
        match value::is_plainly_none(&line[start..end]) {
            true => InBlock::Nothing,
            false => InBlock::Text(start..end),
        }
    }
}

/// Whether a text is the sign that begins a block: `|` or `>`, how to indent and end it, perhaps a comment.
pub(crate) fn is_sign(text: &[u8]) -> bool {
    let Some((b'|' | b'>', rest)) = text.split_first() else { return false };
    let marks = rest.iter().take_while(|byte| b"+-123456789".contains(byte)).count();
    let after = rest[marks..].iter().position(|byte| *byte != BLANK && *byte != BORDER);
    marks <= 2 && after.is_none_or(|at| at > 0 && rest[marks + at] == b'#')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins(line: &str) -> Option<Block> {
        let name = line.find("password")?;
        let at = line.rfind(": ").map_or(line.len(), |colon| colon + 2);
        Block::begins(line.as_bytes(), name, at)
    }

    #[test]
    fn a_block_begins_with_its_sign_alone() {
        for line in
            ["password: |", "  password: >-", "- password: |2+", "\"password\": |  # why", "12:  password: |"]
        {
            assert!(begins(line).is_some(), "{line}");
        }
        for line in ["password: | x", "| password: |", "grep password: |", "password: ||", "password: |-+-"] {
            assert_eq!(begins(line), None, "{line}");
        }
    }

    #[test]
    fn a_block_goes_on_while_its_lines_are_indented() {
        for (header, inside, outside) in [
            ("password: |", " abcd", "user: me"),
            ("  - password: |", "      abcd", "    user: me"),
            ("  9   password: |", " 10     abcd", " 11   user: me"),
            ("+  password: |", "+    abcd", "+  user: me"),
        ] {
            let block = begins(header).expect("a header");
            let end = inside.len();
            assert_eq!(block.line(inside.as_bytes()), InBlock::Text(end - 4..end), "{header}");
            assert_eq!(block.line(outside.as_bytes()), InBlock::Ended, "{header}");
            assert_eq!(block.line(b""), InBlock::Nothing);
        }
    }

    #[test]
    fn sentences_and_references_in_a_block_stay() {
        let block = begins("password: |").expect("a header");
        for line in
            ["  The password of the database", "  ${DB_PASSWORD}", "  {{ vault.password }}", "  <password>"]
        {
            assert_eq!(block.line(line.as_bytes()), InBlock::Nothing, "{line}");
        }
    }
}
