//! The numbers that styles have in a block.

use std::collections::HashMap;

use crate::hash::FastHash;
use crate::style::StyleId;

/// Programs use a handful of styles at a time; these are found without hashing.
const RECENT: usize = 64;

/// From a style of the live screens to its number in the newest block.
pub(super) struct StyleNumbers {
    /// Zero is no style's number here: the default style is never asked for.
    recent: [(u32, u32); RECENT],
    all: HashMap<u32, u32, FastHash>,
}

impl Default for StyleNumbers {
    fn default() -> StyleNumbers {
        StyleNumbers { recent: [(0, 0); RECENT], all: HashMap::default() }
    }
}

impl StyleNumbers {
    pub(super) fn clear(&mut self) {
        self.recent = [(0, 0); RECENT];
        self.all.clear();
    }

    #[inline]
    pub(super) fn get_or_add(&mut self, id: StyleId, add: impl FnOnce() -> u32) -> u32 {
        let bits = id.bits();
        // Neighbouring palette colours and attributes fall into different places.
        let place = (bits ^ bits >> 9 ^ bits >> 18) as usize % RECENT;
        let (known, number) = self.recent[place];
        if known == bits {
            return number;
        }
        let number = *self.all.entry(bits).or_insert_with(add);
        self.recent[place] = (bits, number);
        number
    }
}
