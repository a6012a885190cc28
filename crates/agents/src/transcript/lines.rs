//! The lines of a file that comes in pieces and may grow.

/// A longer line is left out. The longest lines that agents write hold pictures.
const MOST_LINE_BYTES: usize = 8 << 20;

/// Splits bytes into lines, and knows where the last whole one ended.
#[derive(Debug, Default)]
pub(super) struct Lines {
    held: Vec<u8>,
    /// So much at the front of what is held was given out.
    given: usize,
    /// So much of what is held has no line's end in it.
    searched: usize,
    /// So many bytes of a line that is too long were dropped.
    dropped: u64,
    /// Where the line ended that was given out last.
    offset: u64,
}

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Whole(&'a [u8]),
    TooLong { bytes: u64 },
}

impl Lines {
    /// The lines of a file from an offset on, at which one begins.
    pub(super) fn from(offset: u64) -> Lines {
        Lines { offset, ..Lines::default() }
    }

    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// How much was fed and not given out.
    pub(super) fn pending(&self) -> u64 {
        self.dropped + (self.held.len() - self.given) as u64
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.held.drain(..self.given);
        self.searched -= self.given;
        self.given = 0;
        self.held.extend_from_slice(bytes);
    }

    /// The next line that is whole, without its end.
    pub(super) fn next(&mut self) -> Option<Line<'_>> {
        let Some(found) = self.held[self.searched..].iter().position(|&byte| byte == b'\n') else {
            self.searched = self.held.len();
            if self.searched - self.given > MOST_LINE_BYTES {
                self.dropped += (self.searched - self.given) as u64;
                self.held = Vec::new();
                (self.given, self.searched) = (0, 0);
            }
            return None;
        };
        let (start, end) = (self.given, self.searched + found);
        (self.given, self.searched) = (end + 1, end + 1);
        let bytes = std::mem::take(&mut self.dropped) + (end + 1 - start) as u64;
        self.offset += bytes;
        let is_too_long = bytes > MOST_LINE_BYTES as u64;
        Some(if is_too_long { Line::TooLong { bytes } } else { Line::Whole(&self.held[start..end]) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &mut Lines) -> Vec<String> {
        let mut all = Vec::new();
        while let Some(line) = lines.next() {
            all.push(match line {
                Line::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                Line::TooLong { bytes } => format!("<{bytes}>"),
            });
        }
        all
    }

    #[test]
    fn lines_are_the_same_in_any_pieces() {
        let text = b"one\n\ntwo\nhalf";
        for size in 1..=text.len() {
            let mut lines = Lines::from(7);
            let found: Vec<String> = text
                .chunks(size)
                .flat_map(|piece| {
                    lines.feed(piece);
                    all(&mut lines)
                })
                .collect();
            assert_eq!(found, ["one", "", "two"], "{size}");
            assert_eq!((lines.offset(), lines.pending()), (16, 4), "{size}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_dropped_and_not_held() {
        let mut lines = Lines::default();
        for _ in 0..20 {
            lines.feed(&vec![b'x'; 1 << 20]);
            assert_eq!(lines.next(), None);
            assert!(lines.held.capacity() <= 4 * MOST_LINE_BYTES);
        }
        lines.feed(b"\nnext\n");
        assert_eq!(all(&mut lines), [format!("<{}>", (20 << 20) + 1), "next".to_owned()]);
        assert_eq!(lines.offset(), (20 << 20) + 6);
    }
}
