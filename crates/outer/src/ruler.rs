//! How many columns characters take, in the worker's terminal.

use model::TermSize;
use terminal::{HistoryLimit, Terminal};

/// Measures text as the terminal model does, since the host's model placed it.
pub(crate) struct Ruler {
    model: Terminal,
}

/// A character with the marks on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Glyph<'a> {
    /// The character.
    pub(crate) text: &'a str,
    /// Columns it takes.
    pub(crate) cols: u16,
}

impl Default for Ruler {
    fn default() -> Ruler {
        Ruler::new()
    }
}

impl Ruler {
    /// A ruler for characters as the model takes them.
    pub(crate) fn new() -> Ruler {
        let size = TermSize::clamped(TermSize::MAX.cols(), 1);
        Ruler { model: Terminal::new(size, HistoryLimit { lines: 0, bytes: 0 }) }
    }

    /// The glyphs of a text that fits a row. With `clusters`, several characters may be one glyph (mode 2027).
    pub(crate) fn glyphs<'a>(&mut self, text: &'a str, clusters: bool) -> Vec<Glyph<'a>> {
        self.model.feed(if clusters { b"\r\x1b[?2027h" } else { b"\r\x1b[?2027l" });
        let mut glyphs: Vec<Glyph<'a>> = Vec::new();
        let mut begin = 0;
        for (at, c) in text.char_indices() {
            let end = at + c.len_utf8();
            let before = self.col();
            self.model.feed(c.encode_utf8(&mut [0; 4]).as_bytes());
            let cols = self.col().saturating_sub(before);
            match glyphs.last_mut() {
                Some(last) if cols == 0 => last.text = &text[begin..end],
                _ => {
                    begin = at;
                    glyphs.push(Glyph { text: &text[begin..end], cols });
                }
            }
        }
        glyphs
    }

    fn col(&self) -> u16 {
        let cursor = self.model.cursor();
        cursor.col + u16::from(cursor.pending_wrap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, clusters: bool, expected: &[(&str, u16)]) {
        let expected: Vec<Glyph<'_>> = expected.iter().map(|&(text, cols)| Glyph { text, cols }).collect();
        let mut ruler = Ruler::new();
        assert_eq!(ruler.glyphs(text, clusters), expected);
        assert_eq!(ruler.glyphs(text, clusters), expected, "a second time");
    }

    #[test]
    fn marks_and_clusters_belong_to_their_character() {
        check("aé日e\u{301}!", false, &[("a", 1), ("é", 1), ("日", 2), ("e\u{301}", 1), ("!", 1)]);
        check("👩\u{200d}🚀x", true, &[("👩\u{200d}🚀", 2), ("x", 1)]);
        check("", false, &[]);
    }
}
