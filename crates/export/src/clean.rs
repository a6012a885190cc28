//! Output that may be shown anywhere.

use filter::Filter;

/// Takes a child's output in, and gives out what another person's terminal may see: no questions, no clipboard, no
/// window, no links but to the web and to mail.
///
/// The output is UTF-8 and ends inside no character. Invalid bytes vanish, as they do on the screen.
#[derive(Default)]
pub(crate) struct Clean {
    filter: Filter,
    scratch: Vec<u8>,
}

impl Clean {
    /// Takes more of the output in.
    pub(crate) fn pass<'a>(&'a mut self, bytes: &'a [u8]) -> &'a str {
        // The filter stops live output where the program changes to another screen, for the sake of a person
        // whose terminal it is. A player has a terminal for the file alone, as a snapshot supposes.
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
    fn s22_questions_and_clipboard_writes_are_removed_and_screen_switches_are_kept() {
        let mut clean = Clean::default();
        assert_eq!(clean.pass(b"a\x1b[c\x1b]52;c;aGk=\x07b\x1b[?1049hc\x1b[6n"), "ab\x1b[?1049hc");
        assert_eq!(clean.pass(b"\x1b]8;;file:///etc\x07x"), "\x1b]8;;\x1b\\x");
    }

    #[test]
    fn a_split_character_is_joined_and_invalid_bytes_are_dropped() {
        let mut clean = Clean::default();
        assert_eq!(clean.pass(b"gr\xc3"), "gr");
        assert_eq!(clean.pass(b"\xb6\xc3\x9f\xff\xfee"), "\u{f6}\u{df}e");
    }
}
