//! Passes or drops each piece of output that the grammar finds.

use std::ops::Range;

use grammar::{ControlString, Params, Sequence, StringKind, Terminator, Visitor, plain_text_len};

use crate::shown::Shown;
use crate::verdict::{self, Source, Verdict};
use crate::{csi, osc};

/// ENQ asks for an answerback, anywhere.
const ENQ: u8 = 0x05;

/// One piece of output on its way through the filter.
pub(crate) struct Visit<'a, W> {
    input: &'a [u8],
    /// Where the input begins in the stream.
    start: u64,
    shown: Shown<'a>,
    source: Source,
    /// Is shown every sequence that needs a look, even those that the filter then drops.
    watch: W,
    /// Where the last control ended that was shown although it stands inside a sequence.
    pub(crate) shown_to: Option<u64>,
    /// Whether the screen must be drawn anew before the next byte.
    pub(crate) redraws: bool,
}

impl<'a, W: FnMut(&[u8])> Visit<'a, W> {
    pub(crate) fn new(
        input: &'a [u8],
        start: u64,
        scratch: &'a mut Vec<u8>,
        source: Source,
        watch: W,
    ) -> Visit<'a, W> {
        let shown = Shown::new(input, scratch);
        Visit { input, start, shown, source, watch, shown_to: None, redraws: false }
    }

    pub(crate) fn finish(self) -> &'a [u8] {
        self.shown.finish()
    }

    /// Shows bytes that stand at `place`, or elsewhere.
    fn show(&mut self, bytes: &[u8], place: Range<u64>) {
        let here = place.start.checked_sub(self.start).map(|at| at as usize..at as usize + bytes.len());
        match here {
            Some(here) if self.input.get(here.clone()).is_some_and(|input| std::ptr::eq(input, bytes)) => {
                self.shown.keep(here);
            }
            _ => self.shown.write(bytes),
        }
    }

    fn judged(&mut self, sequence: Sequence<'_>) {
        (self.watch)(sequence.bytes);
        match verdict::judge(sequence.bytes, self.source) {
            Verdict::Pass => self.show(sequence.bytes, sequence.place),
            Verdict::Drop => {}
            Verdict::Replace(other) => self.shown.write(&other),
            Verdict::Redraw => self.redraws = true,
        }
    }
}

impl<W: FnMut(&[u8])> Visitor for Visit<'_, W> {
    const READS_NUMBERS: bool = false;

    /// Only commands are ever shown.
    fn keeps(kind: StringKind) -> bool {
        kind == StringKind::System
    }

    /// Shows what passes without a further look: most of all output.
    #[inline(always)]
    fn shortcut(&mut self, bytes: &[u8], at: u64) -> usize {
        let mut len = 0;
        loop {
            let rest = &bytes[len..];
            len += match plain_text_len::<ENQ>(rest) {
                0 => match csi::drawing_len(rest) {
                    Some(drawing) => drawing,
                    None => break,
                },
                text => text,
            };
        }
        let at = (at - self.start) as usize;
        self.shown.keep(at..at + len);
        len
    }

    #[inline(always)]
    fn stops(&self) -> bool {
        self.redraws
    }

    fn text(&mut self, text: &[u8], at: u64) {
        self.show(text, at..at + text.len() as u64);
    }

    fn character(&mut self, c: char, _place: Range<u64>) {
        self.shown.write(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn control(&mut self, control: u8, place: Range<u64>) {
        let shown: &[u8] = match control {
            ENQ => return,
            0..0x80 => &[control],
            // C1 controls in their seven-bit form. Index, next line, tab stop: the model obeys no others.
            0x84 => b"\x1bD",
            0x85 => b"\x1bE",
            0x88 => b"\x1bH",
            _ => return,
        };
        self.shown.write(shown);
        self.shown_to = Some(place.end);
    }

    fn escape(&mut self, sequence: Sequence<'_>) {
        self.judged(sequence);
    }

    fn sequence(&mut self, _params: &Params, sequence: Sequence<'_>) {
        self.judged(sequence);
    }

    fn string_ends(&mut self, string: ControlString<'_>) {
        let ControlString { kind: StringKind::System, text, terminator: Some(terminator), .. } = string
        else {
            return;
        };
        // An ESC that ended the string belongs to what comes next, which would show the string again.
        let next = string.place.end.checked_sub(self.start).and_then(|at| self.input.get(at as usize));
        if terminator == Terminator::St && next == Some(&0x1b) {
            self.shown_to = Some(string.place.end + 1);
        }
        match osc::judge(text) {
            Verdict::Pass => {
                self.shown.write(b"\x1b]");
                self.shown.write(text);
                self.shown.write(terminator.as_str().as_bytes());
            }
            Verdict::Replace(other) => self.shown.write(&other),
            Verdict::Drop | Verdict::Redraw => {}
        }
    }
}
