//! The door: bytes in, masks out.

use std::sync::Arc;

use model::TermSize;

use crate::mask::Mask;
use crate::reader::Reader;
use crate::rules::Rules;
use crate::shadow::Shadow;

/// Follows the output of one terminal and finds the secrets in it.
///
/// Positions count from 0 over everything fed. A snapshot is fed like any other bytes: that is how a masker gets to
/// know the screen that output goes on from.
#[derive(Debug)]
pub struct Masker {
    reader: Reader,
    shadow: Shadow,
}

impl Masker {
    /// A masker for an empty terminal.
    pub fn new(rules: Arc<Rules>, size: TermSize) -> Masker {
        Masker { reader: Reader::default(), shadow: Shadow::new(rules, size) }
    }

    /// Takes in output. Any split of it into calls gives the same masks.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.reader.feed(bytes, &mut self.shadow);
    }

    /// The terminal has another size from here on.
    pub fn resize(&mut self, size: TermSize) {
        self.shadow.resize(size);
    }

    /// Looks at everything that was not looked at yet: at the end of the output, or before a reader gets it.
    pub fn look(&mut self) {
        self.shadow.look_at_all();
        self.reader.look(&mut self.shadow);
    }

    /// The masks found since the last call. Masks come in the order in which they were found, and a byte may be in
    /// more than one.
    pub fn take_masks(&mut self) -> Vec<Mask> {
        std::mem::take(&mut self.shadow.masks)
    }

    /// How much was fed.
    pub fn position(&self) -> u64 {
        self.reader.position()
    }

    /// The first position that may still become part of a secret with what comes next: the word at the cursor, or its
    /// whole line if that has the makings of one. At most a few KiB are held back. Who hands on output while it
    /// comes calls [`Masker::look`], applies the masks, and hands on what is before this position.
    pub fn unsettled_from(&self) -> u64 {
        let (position, unfinished) = (self.reader.position(), self.reader.unfinished_from());
        self.shadow.unsettled_from(position).min(unfinished.max(position.saturating_sub(HELD_BACK)))
    }

    /// Whether what is unsettled has the makings of a secret, and is not only a word that has not ended: who hands on
    /// output while it comes had better wait longer for the rest of it.
    pub fn may_be_in_secret(&self) -> bool {
        self.shadow.is_cursor_near_trigger() || self.reader.unfinished_from() < self.reader.position()
    }

    /// How many columns were looked at so far. For tests and measurements.
    pub fn columns_looked_at(&self) -> u64 {
        self.shadow.looked_at
    }
}

/// Of an unfinished control string, so much is held back.
const HELD_BACK: u64 = 4096;
