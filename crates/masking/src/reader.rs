//! Reads output through the grammar, and tells the shadow what that does to the screen.
//!
//! Every character and every string is handed on with its position.

use std::ops::Range;

use grammar::{
    ControlString, Decoded, Grammar, Params, Sequence, StringKind, Visitor, decode, plain_sequence,
    printable_len,
};

use crate::shadow::Shadow;
use crate::strings::StringText;

#[derive(Debug, Default)]
pub(crate) struct Reader {
    grammar: Grammar,
    string: StringText,
}

impl Reader {
    /// Takes in the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8], shadow: &mut Shadow) {
        self.grammar.feed(bytes, &mut Visit { shadow, string: &mut self.string });
    }

    /// How many bytes were taken in.
    pub(crate) fn position(&self) -> u64 {
        self.grammar.position()
    }

    /// Where an unfinished sequence or character began; the position if there is none.
    pub(crate) fn unfinished_from(&self) -> u64 {
        self.grammar.unfinished_from()
    }

    /// Looks at a string that has not ended yet.
    pub(crate) fn look(&mut self, shadow: &mut Shadow) {
        if let Some(kind) = self.grammar.unfinished_string() {
            self.string.look(kind, shadow);
        }
    }
}

/// Where C1 controls end and text begins.
const FIRST_PRINTABLE: char = '\u{a0}';

struct Visit<'a> {
    shadow: &'a mut Shadow,
    string: &'a mut StringText,
}

impl Visitor for Visit<'_> {
    fn keeps(_kind: StringKind) -> bool {
        false
    }

    #[inline(always)]
    fn shortcut(&mut self, bytes: &[u8], at: u64) -> usize {
        match bytes[0] {
            0x20..=0x7e => stretch(bytes, at, self.shadow),
            0x1b => match plain_sequence(bytes) {
                Some((len, b'm')) => {
                    self.shadow.styled();
                    len
                }
                _ => 0,
            },
            0x80.. => characters(bytes, at, self.shadow),
            _ => 0,
        }
    }

    #[inline(always)]
    fn text(&mut self, text: &[u8], at: u64) {
        self.shadow.print_ascii(text, at);
    }

    fn character(&mut self, c: char, place: Range<u64>) {
        self.shadow.print_char(c, place.start, (place.end - place.start) as usize);
    }

    #[inline(always)]
    fn control(&mut self, control: u8, _place: Range<u64>) {
        self.shadow.control(control);
    }

    fn escape(&mut self, sequence: Sequence<'_>) {
        self.shadow.escape(sequence.function.intermediate, sequence.function.last);
    }

    #[inline(always)]
    fn sequence(&mut self, params: &Params, sequence: Sequence<'_>) {
        self.shadow.sequence(params, sequence.function);
    }

    fn string_begins(&mut self, _kind: StringKind, introducer: Range<u64>) {
        self.string.begin(introducer.end);
    }

    #[inline]
    fn string_part(&mut self, bytes: &[u8]) {
        self.string.push(bytes);
    }

    fn string_ends(&mut self, string: ControlString<'_>) {
        if string.terminator.is_some() && string.kind != StringKind::Other {
            self.shadow.styled();
        }
        self.string.look(string.kind, self.shadow);
    }
}

/// Prints the ASCII and the colours that `bytes` begins with, as far as they go on in one row; says how many bytes that
/// was. None is no mistake: all of it can be done one by one, too.
#[inline(always)]
fn stretch(bytes: &[u8], start: u64, shadow: &mut Shadow) -> usize {
    let Some(mut pen) = shadow.pen() else { return 0 };
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        if byte == 0x1b {
            let Some((len, b'm')) = plain_sequence(rest) else { break };
            pen.styled();
            at += len;
        } else {
            let len = printable_len(rest);
            if len == 0 || !pen.print(&rest[..len], start + at as u64, 1) {
                break;
            }
            at += len;
        }
    }
    at
}

/// Prints the character beyond ASCII that `bytes` begins with, as often as it comes; says how many bytes that was.
#[inline(always)]
fn characters(bytes: &[u8], at: u64, shadow: &mut Shadow) -> usize {
    let Decoded::Char(c @ FIRST_PRINTABLE.., len) = decode(bytes) else { return 0 };
    let times = match bytes {
        // Boxes are drawn with such.
        &[first, second, third, ..] if len == 3 => {
            bytes.chunks_exact(3).take_while(|three| **three == [first, second, third]).count()
        }
        _ => 1,
    };
    match times {
        1 => shadow.print_char(c, at, len),
        _ => shadow.print_same(c, at, len, times),
    }
    len * times
}
