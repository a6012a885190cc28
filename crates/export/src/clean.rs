//! Output that may be shown anywhere.

use viewer::Filter;

/// Takes a child's output in, and gives out what somebody else's terminal may see: no questions, no clipboard, no
/// window, no links but to the web and to mail.
///
/// What is given out is UTF-8 and ends inside no character. Bytes that are none vanish, as they do on the screen.
#[derive(Default)]
pub(crate) struct Clean {
    filter: Filter,
    scratch: Vec<u8>,
}

impl Clean {
    /// Takes more of the output in.
    pub(crate) fn pass<'a>(&'a mut self, bytes: &'a [u8]) -> &'a str {
        // The viewer's filter stops live output where the program changes to another screen, for the sake of a person
        // whose terminal it is. Whoever plays a file has a terminal for it alone, as a snapshot supposes.
        let shown = self.filter.pass_snapshot(bytes, &mut self.scratch);
        str::from_utf8(shown).expect("the filter shows whole characters only")
    }

    /// What comes next begins anew.
    pub(crate) fn reset(&mut self) {
        self.filter.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s22_questions_and_the_clipboard_are_taken_out_and_screens_are_kept() {
        let mut clean = Clean::default();
        assert_eq!(clean.pass(b"a\x1b[c\x1b]52;c;aGk=\x07b\x1b[?1049hc\x1b[6n"), "ab\x1b[?1049hc");
        assert_eq!(clean.pass(b"\x1b]8;;file:///etc\x07x"), "\x1b]8;;\x1b\\x");
    }

    #[test]
    fn a_character_in_two_pieces_comes_whole_and_bytes_that_are_none_vanish() {
        let mut clean = Clean::default();
        assert_eq!(clean.pass(b"gr\xc3"), "gr");
        assert_eq!(clean.pass(b"\xb6\xc3\x9f\xff\xfee"), "\u{f6}\u{df}e");
    }
}
