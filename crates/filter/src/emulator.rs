//! The form of the filter for an emulator that shows one worker and nothing else, such as a terminal in a page.

use crate::verdict::Source;
use crate::{Filter, modes};

/// A streaming filter for snapshots and output on their way to an emulator that has nothing else to show.
///
/// What holds for a [`Filter`] holds here too, but for this: both screens and the scrollback are the worker's own, so
/// that the emulator changes between screens, resets and erases as the program says. It is fed everything that a
/// host sends, snapshots in the full form as well as output.
#[derive(Debug, Default)]
pub struct EmulatorFilter {
    filter: Filter,
    bracketed_paste: bool,
}

/// The result of filtering some output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emulated<'a> {
    /// What to show: whole characters, whole sequences.
    pub shown: &'a str,
    /// The number of bytes at the end of the input that belong to an unfinished sequence or character, and wait. A viewer
    /// that has shown all of `shown` can resume before those bytes with a new filter. `None` if that would show
    /// something twice.
    pub unfinished: Option<usize>,
}

impl EmulatorFilter {
    /// Takes in what a host sent. What is to be shown is a part of `bytes` where nothing inside it had to go; otherwise
    /// it is put together in `scratch`.
    pub fn pass<'a>(&mut self, bytes: &'a [u8], scratch: &'a mut Vec<u8>) -> Emulated<'a> {
        let EmulatorFilter { filter, bracketed_paste } = self;
        let passed = filter.take_in_watching(bytes, scratch, Source::ForEmulator, |sequence| {
            if let Some(on) = modes::bracketed_paste(sequence) {
                *bracketed_paste = on;
            }
        });
        let shown = passed.shown();
        let unfinished = filter.unfinished();
        Emulated { shown: str::from_utf8(shown).expect("a filter shows whole characters"), unfinished }
    }

    /// Whether the program wants pasted text in brackets.
    pub fn bracketed_paste(&self) -> bool {
        self.bracketed_paste
    }

    /// Forgets what is unfinished: what comes next begins anew.
    pub fn reset(&mut self) {
        self.filter.reset();
    }
}
