//! Makes what a child prints fit for the user's own terminal ([`Filter`]), or for a terminal emulator in a page
//! ([`EmulatorFilter`]).
//!
//! The host's terminal model answers a program's questions and decides what its screen shows. So a sequence passes
//! only if it makes no terminal answer, has no effect outside the screen, and leaves the outer terminal with what
//! the model shows. The grammar is the model's too: what that passes over never reaches the outer terminal, which
//! might read it another way.

mod csi;
mod emulator;
mod esc;
mod modes;
mod osc;
mod shown;
mod verdict;
mod visit;

pub use emulator::{Emulated, EmulatorFilter};

use grammar::Grammar;
use verdict::Source;
use visit::Visit;

/// A streaming filter for a child's output on its way to the user's own terminal.
///
/// - Any split of the output into calls shows the same bytes.
/// - What is shown draws no answer from a terminal, touches neither clipboard, window nor printer, and holds links to
///   http, https and mailto only.
/// - What is shown is UTF-8 and ends inside no character and no sequence. What is unfinished waits here; a sequence of
///   more than 64 KiB is dropped to its end.
#[derive(Debug, Default)]
pub struct Filter {
    grammar: Grammar,
    /// Where the last control ended that was shown although it stands inside a sequence.
    shown_to: u64,
}

/// The result of filtering some output.
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

    /// Shows every sequence that needs a look to `watch` as well, even if the filter then drops it.
    fn take_in_watching<'a>(
        &mut self,
        bytes: &'a [u8],
        scratch: &'a mut Vec<u8>,
        source: Source,
        mut watch: impl FnMut(&[u8]),
    ) -> Passed<'a> {
        let mut visit = Visit::new(bytes, self.grammar.position(), scratch, source, &mut watch);
        let used = self.grammar.feed(bytes, &mut visit);
        self.shown_to = visit.shown_to.unwrap_or(self.shown_to);
        match visit.redraws {
            true => Passed::Until { shown: visit.finish(), used },
            false => Passed::All { shown: visit.finish() },
        }
    }

    /// How many bytes belong to something that has not ended yet; `None` if something of it was shown.
    fn unfinished(&self) -> Option<usize> {
        let from = self.grammar.unfinished_from();
        (self.shown_to <= from).then(|| (self.grammar.position() - from) as usize)
    }
}
