//! Character sets that a program may shift in: line drawing and the national ones.

/// A set of characters that replaces parts of ASCII.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Charset {
    #[default]
    Ascii,
    LineDrawing,
    British,
    Dutch,
    Finnish,
    French,
    FrenchCanadian,
    German,
    Italian,
    Norwegian,
    Spanish,
    Swedish,
    Swiss,
}

use Charset::{
    Ascii, British, Dutch, Finnish, French, FrenchCanadian, German, Italian, LineDrawing, Norwegian, Spanish,
    Swedish, Swiss,
};

impl Charset {
    /// The set that a designating sequence ends with, `ESC ( 0` for example.
    pub(crate) fn from_final(byte: u8) -> Option<Charset> {
        Some(match byte {
            b'B' => Ascii,
            b'0' => LineDrawing,
            b'A' => British,
            b'4' => Dutch,
            b'C' | b'5' => Finnish,
            b'R' => French,
            b'Q' => FrenchCanadian,
            b'K' => German,
            b'Y' => Italian,
            b'E' | b'6' => Norwegian,
            b'Z' => Spanish,
            b'H' | b'7' => Swedish,
            b'=' => Swiss,
            _ => return None,
        })
    }

    pub(crate) fn final_byte(self) -> u8 {
        match self {
            Ascii => b'B',
            LineDrawing => b'0',
            British => b'A',
            Dutch => b'4',
            Finnish => b'5',
            French => b'R',
            FrenchCanadian => b'Q',
            German => b'K',
            Italian => b'Y',
            Norwegian => b'E',
            Spanish => b'Z',
            Swedish => b'7',
            Swiss => b'=',
        }
    }

    /// The characters that differ from ASCII: positions, and what stands there.
    fn differences(self) -> (&'static str, &'static str) {
        match self {
            Ascii => ("", ""),
            LineDrawing => ("`abcdefghijklmnopqrstuvwxyz{|}~", "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"),
            British => ("#", "£"),
            Dutch => ("#@[\\]{|}~", "£¾i½|¨f¼´"),
            Finnish => ("[\\]^`{|}~", "ÄÖÅÜéäöåü"),
            French => ("#@[\\]{|}~", "£à°ç§éùè¨"),
            FrenchCanadian => ("@[\\]^`{|}~", "àâçêîôéùèû"),
            German => ("@[\\]{|}~", "§ÄÖÜäöüß"),
            Italian => ("#@[\\]`{|}~", "£§°çéùàòèì"),
            Norwegian => ("@[\\]^`{|}~", "ÄÆØÅÜäæøåü"),
            Spanish => ("#@[\\]{|}", "£§¡Ñ¿°ñç"),
            Swedish => ("@[\\]^`{|}~", "ÉÄÖÅÜéäöåü"),
            Swiss => ("#@[\\]^_`{|}~", "ùàéçêîèôäöüû"),
        }
    }

    /// What the set shows for an ASCII byte.
    pub(crate) fn translate(self, byte: u8) -> char {
        let (positions, shown) = self.differences();
        let found = positions.bytes().position(|position| position == byte);
        found.and_then(|i| shown.chars().nth(i)).unwrap_or(byte as char)
    }

    /// A character that prints as `c` in this set: itself, unless it is one that the set replaces. Some have none.
    pub(crate) fn source_of(self, c: char) -> Option<char> {
        let (positions, shown) = self.differences();
        if !c.is_ascii() || !positions.contains(c) {
            return Some(c);
        }
        let index = shown.chars().position(|s| s == c)?;
        Some(positions.as_bytes()[index] as char)
    }
}

/// The four designated sets and the one in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Charsets {
    pub(crate) designated: [Charset; 4],
    /// Which of the four is shifted in.
    pub(crate) level: usize,
    /// The set that printing goes through. Usually the designated one, but restoring a cursor brings back the
    /// set it was saved with and leaves the designation alone.
    pub(crate) active: Charset,
}

impl Charsets {
    /// Whether restoring a cursor left another set active than the one designated.
    pub(crate) fn strayed(&self) -> bool {
        self.active != self.designated[self.level]
    }

    pub(crate) fn designate(&mut self, level: usize, charset: Charset) {
        self.designated[level] = charset;
        if self.level == level {
            self.active = charset;
        }
    }

    pub(crate) fn shift(&mut self, level: usize) {
        self.level = level;
        self.active = self.designated[level];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_pairs_positions_with_characters() {
        for byte in 0x30..0x7f {
            if let Some(charset) = Charset::from_final(byte) {
                let (positions, shown) = charset.differences();
                assert_eq!(positions.len(), shown.chars().count(), "{charset:?}");
                assert_eq!(Charset::from_final(charset.final_byte()), Some(charset));
            }
        }
    }

    #[test]
    fn a_shown_character_can_be_printed_again() {
        assert_eq!(LineDrawing.translate(b'q'), '─');
        assert_eq!(LineDrawing.source_of('─'), Some('─'));
        assert_eq!(LineDrawing.source_of('A'), Some('A'));
        assert_eq!(LineDrawing.source_of('q'), None);
        assert_eq!(Dutch.translate(b']'), '|');
        assert_eq!(Dutch.source_of('|'), Some(']'));
    }
}
