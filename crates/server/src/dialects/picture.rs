//! A worker's screen, as text for an emulator.

use model::Offset;
use viewer::EmulatorFilter;

/// Turns what a host sends of a screen into text for an emulator.
#[derive(Debug, Default)]
pub(super) struct Picture {
    filter: EmulatorFilter,
    /// Whether a snapshot is on its way, with more parts to come.
    drawing: bool,
    /// Where the last snapshot stands; nothing before that can be gone on from.
    drawn: Offset,
}

/// A piece of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Whole characters and whole sequences; perhaps none.
    pub(super) text: String,
    /// Whether everything begins anew with it.
    pub(super) anew: bool,
    /// From where output goes on for one who has shown everything up to here, if that can be said.
    pub(super) offset: Option<Offset>,
}

impl Picture {
    /// Takes in a part of a snapshot.
    pub(super) fn snapshot(&mut self, at: Offset, last: bool, part: &[u8]) -> Piece {
        let anew = !self.drawing;
        if anew {
            self.filter.reset();
        }
        self.drawing = !last;
        self.drawn = at;
        let (text, unfinished) = self.pass(part);
        // What is unfinished in a snapshot need not have as many bytes as in the output.
        Piece { text, anew, offset: (last && unfinished == Some(0)).then_some(at) }
    }

    /// Takes in output that ends at this offset.
    pub(super) fn output(&mut self, end: Offset, bytes: &[u8]) -> Piece {
        let (text, unfinished) = self.pass(bytes);
        let offset = unfinished.and_then(|length| end.0.checked_sub(length as u64)).map(Offset);
        Piece { text, anew: false, offset: offset.filter(|offset| *offset >= self.drawn) }
    }

    /// A snapshot that is on its way is cut short: the next one follows.
    pub(super) fn resized(&mut self) {
        self.drawing = false;
    }

    /// Whether the program wants pasted text in brackets.
    pub(super) fn bracketed_paste(&self) -> bool {
        self.filter.bracketed_paste()
    }

    fn pass(&mut self, bytes: &[u8]) -> (String, Option<usize>) {
        // Needed only where something is taken out, which is rare; and kept by nobody who is idle.
        let mut scratch = Vec::new();
        let emulated = self.filter.pass(bytes, &mut scratch);
        (emulated.shown.to_owned(), emulated.unfinished)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_whole_however_the_output_is_cut() {
        let output = "größe 漢字 👍\x1b[31mred\x1b[0m".as_bytes();
        for cut in 0..output.len() {
            let mut picture = Picture::default();
            let first = picture.output(Offset(cut as u64), &output[..cut]);
            let second = picture.output(Offset(output.len() as u64), &output[cut..]);
            assert_eq!(first.text.clone() + &second.text, "größe 漢字 👍\x1b[31mred\x1b[0m");
            assert_eq!(first.offset, Some(Offset(first.text.len() as u64)), "at {cut}");
        }
    }

    #[test]
    fn every_snapshot_begins_anew_and_its_further_parts_do_not() {
        let mut picture = Picture::default();
        assert!(picture.snapshot(Offset(9), false, b"\x1bcone").anew);
        assert!(!picture.snapshot(Offset(9), true, b"two").anew);
        assert!(!picture.output(Offset(10), b"x").anew);
        assert!(picture.snapshot(Offset(20), false, b"\x1bcone").anew);
        picture.resized();
        assert!(picture.snapshot(Offset(20), true, b"\x1bcone").anew, "the one before was cut short");
    }

    #[test]
    fn an_offset_is_said_only_where_going_on_is_exact() {
        let mut picture = Picture::default();
        assert_eq!(picture.snapshot(Offset(9), false, b"\x1bcone").offset, None);
        assert_eq!(picture.snapshot(Offset(9), true, b"two\x1b[3").offset, None, "the rest is to come");
        assert_eq!(picture.output(Offset(9), b"").offset, None);
        assert_eq!(picture.output(Offset(11), b"1m").offset, Some(Offset(11)));
        assert_eq!(picture.output(Offset(15), b"ab\x1b[").offset, Some(Offset(13)));
        assert_eq!(picture.output(Offset(16), b"\n").offset, None, "the line feed was shown");
    }
}
