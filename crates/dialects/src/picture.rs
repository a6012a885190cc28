//! A worker's screen, as text for an emulator.

use filter::EmulatorFilter;
use model::Offset;

/// Turns a host's snapshots and output into text for an emulator.
#[derive(Debug, Default)]
pub struct Picture {
    filter: EmulatorFilter,
    /// Whether more parts of a snapshot must follow.
    drawing: bool,
    /// The offset of the last snapshot. A client cannot resume before it.
    drawn: Offset,
}

/// A piece of text for an emulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Whole characters and whole sequences. It may be empty.
    pub text: String,
    /// Whether it starts a new screen.
    pub anew: bool,
    /// The offset at which a client that has shown everything up to here can resume, if there is one.
    pub offset: Option<Offset>,
}

impl Picture {
    /// Takes a part of a snapshot.
    pub fn snapshot(&mut self, at: Offset, last: bool, part: &[u8]) -> Piece {
        let anew = !self.drawing;
        if anew {
            self.filter.reset();
        }
        self.drawing = !last;
        self.drawn = at;
        let (text, unfinished) = self.pass(part);
        // An unfinished sequence in a snapshot may have another length than in the output.
        Piece { text, anew, offset: (last && unfinished == Some(0)).then_some(at) }
    }

    /// Takes output that ends at this offset.
    pub fn output(&mut self, end: Offset, bytes: &[u8]) -> Piece {
        let (text, unfinished) = self.pass(bytes);
        let offset = unfinished.and_then(|length| end.0.checked_sub(length as u64)).map(Offset);
        Piece { text, anew: false, offset: offset.filter(|offset| *offset >= self.drawn) }
    }

    /// Notes that the size changed. An incomplete snapshot ends here, and a new one follows.
    pub fn resized(&mut self) {
        self.drawing = false;
    }

    /// Whether the program wants pasted text in brackets.
    pub fn bracketed_paste(&self) -> bool {
        self.filter.bracketed_paste()
    }

    fn pass(&mut self, bytes: &[u8]) -> (String, Option<usize>) {
        // Used only when something is removed, which is rare. It is not kept, so idle viewers need no memory for it.
        let mut scratch = Vec::new();
        let emulated = self.filter.pass(bytes, &mut scratch);
        (emulated.shown.to_owned(), emulated.unfinished)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_cut_of_the_output_gives_whole_characters_and_sequences() {
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
    fn the_first_part_of_a_snapshot_starts_a_new_screen() {
        let mut picture = Picture::default();
        assert!(picture.snapshot(Offset(9), false, b"\x1bcone").anew);
        assert!(!picture.snapshot(Offset(9), true, b"two").anew);
        assert!(!picture.output(Offset(10), b"x").anew);
        assert!(picture.snapshot(Offset(20), false, b"\x1bcone").anew);
        picture.resized();
        assert!(picture.snapshot(Offset(20), true, b"\x1bcone").anew, "the previous snapshot was cut short");
    }

    #[test]
    fn a_piece_has_an_offset_only_if_a_client_can_resume_there() {
        let mut picture = Picture::default();
        assert_eq!(picture.snapshot(Offset(9), false, b"\x1bcone").offset, None);
        assert_eq!(
            picture.snapshot(Offset(9), true, b"two\x1b[3").offset,
            None,
            "the sequence is not complete"
        );
        assert_eq!(picture.output(Offset(9), b"").offset, None);
        assert_eq!(picture.output(Offset(11), b"1m").offset, Some(Offset(11)));
        assert_eq!(picture.output(Offset(15), b"ab\x1b[").offset, Some(Offset(13)));
        assert_eq!(picture.output(Offset(16), b"\n").offset, None, "the line feed was shown");
    }
}
