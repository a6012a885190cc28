//! Output that is still coming, as it may leave: with its secrets masked.

use std::sync::Arc;

use masking::{Masker, Rules};
use model::TermSize;

/// Masks output as it comes. A word that is not finished is held back, since it may be the beginning of a secret.
pub(crate) struct LiveMask {
    masker: Masker,
    /// What was fed and not given out.
    held: Vec<u8>,
    /// The position in all that was fed at which that begins.
    start: u64,
}

impl LiveMask {
    pub(crate) fn new(rules: &Arc<Rules>, size: TermSize) -> LiveMask {
        LiveMask { masker: Masker::new(Arc::clone(rules), size), held: Vec::new(), start: 0 }
    }

    /// The terminal's size changes here.
    pub(crate) fn resize(&mut self, size: TermSize) {
        self.masker.resize(size);
    }

    /// Takes output in, and gives out what no secret can reach back to.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.masker.feed(bytes);
        self.held.extend(bytes);
        self.give(self.masker.unsettled_from())
    }

    /// Gives out what is left.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        self.give(u64::MAX)
    }

    fn give(&mut self, to: u64) -> Vec<u8> {
        self.masker.look();
        masking::apply(&self.masker.take_masks(), self.start, &mut self.held);
        let length = usize::try_from(to.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let ready: Vec<u8> = self.held.drain(..length.min(self.held.len())).collect();
        self.start += ready.len() as u64;
        ready
    }
}
