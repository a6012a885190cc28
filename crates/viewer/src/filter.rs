//! What a child prints, made fit for somebody's own terminal.
//!
//! The host's terminal model answers a program's questions and decides what its screen shows. So a sequence passes
//! only if it makes no terminal answer, has no effect outside the screen, and leaves the outer terminal with what
//! the model shows. The grammar is the model's too: what that passes over never reaches the outer terminal, which
//! might read it another way.

mod csi;
mod emulator;
mod esc;
mod grammar;
mod modes;
mod osc;
mod shown;
mod text;
mod verdict;

pub use emulator::{Emulated, EmulatorFilter};

use grammar::{Found, Grammar};
use shown::Shown;
use text::Characters;
use verdict::{Source, Verdict};

/// A streaming filter for a child's output on its way to somebody's own terminal.
///
/// - Any split of the output into calls shows the same bytes.
/// - What is shown draws no answer from a terminal, touches neither clipboard, window nor printer, and holds links to
///   http, https and mailto only.
/// - What is shown is UTF-8 and ends inside no character and no sequence. What is unfinished waits here; a sequence of
///   more than 64 KiB is dropped to its end.
#[derive(Debug, Default)]
pub struct Filter {
    grammar: Grammar,
    characters: Characters,
    unfinished: Unfinished,
}

/// What was taken in of something that has not ended yet.
#[derive(Clone, Copy, Debug, Default)]
struct Unfinished {
    /// So many bytes.
    length: usize,
    /// Whether something was shown of them, such as a control inside a sequence.
    shown: bool,
}

/// What became of some output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed<'a> {
    /// All of it was taken in.
    All {
        /// What to show.
        shown: &'a [u8],
    },
    /// The program changed to another screen or reset its terminal. The outer terminal must do neither: ask for a
    /// snapshot, drop output until it comes, and [reset](Filter::reset) the filter then.
    Until {
        /// What to show before.
        shown: &'a [u8],
        /// So many bytes were taken in.
        used: usize,
    },
}

impl<'a> Passed<'a> {
    /// What to show.
    pub fn shown(self) -> &'a [u8] {
        match self {
            Passed::All { shown } | Passed::Until { shown, .. } => shown,
        }
    }
}

impl Filter {
    /// Takes in live output. What is to be shown is a part of `bytes` where nothing inside it had to go; otherwise it
    /// is put together in `scratch`.
    pub fn pass<'a>(&mut self, bytes: &'a [u8], scratch: &'a mut Vec<u8>) -> Passed<'a> {
        self.take_in(bytes, scratch, Source::Live)
    }

    /// Takes in a snapshot, or the next part of one. Shows it all, but for links to elsewhere and for an unfinished
    /// sequence at its end, with which the live output goes on.
    pub fn pass_snapshot<'a>(&mut self, part: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
        self.take_in(part, scratch, Source::Snapshot).shown()
    }

    /// Forgets what is unfinished: what comes next begins anew.
    pub fn reset(&mut self) {
        *self = Filter::default();
    }

    fn take_in<'a>(&mut self, bytes: &'a [u8], scratch: &'a mut Vec<u8>, source: Source) -> Passed<'a> {
        self.take_in_watching(bytes, scratch, source, |_| {})
    }

    /// Shows every sequence that needs a look to `watch` as well, whatever becomes of it.
    fn take_in_watching<'a>(
        &mut self,
        bytes: &'a [u8],
        scratch: &'a mut Vec<u8>,
        source: Source,
        mut watch: impl FnMut(&[u8]),
    ) -> Passed<'a> {
        let mut shown = Shown::new(bytes, scratch);
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let harmless = if self.is_at_rest() { harmless_len(rest) } else { 0 };
            if harmless > 0 {
                shown.keep(at..at + harmless);
                at += harmless;
                continue;
            }
            let (used, found) = self.step(rest);
            let taken = at..at + used;
            at = taken.end;
            self.unfinished = match self.is_at_rest() {
                true => Unfinished::default(),
                false => Unfinished {
                    length: self.unfinished.length + used,
                    shown: self.unfinished.shown || found != Found::Nothing,
                },
            };
            let mut judge = |sequence: &[u8]| {
                watch(sequence);
                verdict::judge(sequence, source)
            };
            let verdict = match &found {
                Found::Nothing => Verdict::Drop,
                Found::Character(_) | Found::Control(_) => Verdict::Pass,
                Found::SequenceHere => judge(&bytes[taken.clone()]),
                Found::Sequence(sequence) => judge(sequence),
            };
            match (verdict, found) {
                (Verdict::Pass, found) => shown.show(found, taken),
                (Verdict::Drop, _) => {}
                (Verdict::Replace(other), _) => shown.write(&other),
                (Verdict::Redraw, _) => return Passed::Until { shown: shown.finish(), used: at },
            }
        }
        Passed::All { shown: shown.finish() }
    }

    #[inline]
    fn is_at_rest(&self) -> bool {
        self.grammar.is_at_rest() && self.characters.is_at_rest()
    }

    /// Takes in a little that needs a look; says how many bytes that was.
    fn step(&mut self, bytes: &[u8]) -> (usize, Found) {
        if !self.characters.is_at_rest() || !bytes[0].is_ascii() {
            let (used, character) = self.characters.take(bytes);
            return (used, character.map_or(Found::Nothing, |c| self.grammar.take_character(c)));
        }
        self.grammar.take(bytes)
    }
}

/// How many bytes `bytes` begins with, at rest, that pass without a further look: most of all output.
#[inline]
fn harmless_len(bytes: &[u8]) -> usize {
    match text::plain_len(bytes) {
        0 => csi::drawing_len(bytes).unwrap_or(0),
        length => length,
    }
}
