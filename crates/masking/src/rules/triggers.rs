//! Finding triggers, quickly where there are none.
//!
//! Almost all output has no trigger in it. So a filter goes first, which looks up every three bytes in a table of a
//! few KiB: one step does not wait for the one before, as it does in an automaton. What passes is looked at again.

use aho_corasick::{AhoCorasick, AhoCorasickKind, FindOverlappingIter, Input, MatchKind};

/// The table has to stay in the processor's nearest cache. Of ordinary text, one place in a hundred passes by accident.
const BITS: u32 = 14;
const TABLE: usize = 1 << BITS;
/// How many places are looked up before the result is asked for.
const BLOCK: usize = 16;

/// The shortest trigger that the filter can see.
pub(super) const SHORTEST: usize = 3;

/// All triggers of all rules, whatever their case.
#[derive(Debug)]
pub(super) struct Triggers {
    table: Box<[u8; TABLE]>,
    /// What the table stands for, sorted.
    threes: Vec<u32>,
    automaton: AhoCorasick,
    longest: usize,
}

impl Triggers {
    pub(super) fn new(literals: &[&[u8]]) -> Triggers {
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .build(literals)
            .expect("triggers are few and short");
        let score = |three: &&[u8]| three.iter().map(|&byte| commonness(byte)).sum::<u32>();
        let rarest = |literal: &&[u8]| literal.windows(SHORTEST).min_by_key(score).map(three_of);
        let mut threes: Vec<u32> = literals.iter().filter_map(rarest).collect();
        threes.sort_unstable();
        let mut table = Box::new([0; TABLE]);
        for &three in &threes {
            table[slot(three)] = 1;
        }
        let longest = literals.iter().map(|literal| literal.len()).max().unwrap_or(0);
        Triggers { table, threes, automaton, longest }
    }

    /// The most columns that a trigger has.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Whether there is one in a text.
    pub(super) fn any(&self, text: &[u8]) -> bool {
        let mut at = 0;
        while let Some(block) = text[at..].first_chunk() {
            if self.passes(block) && self.stands_in(block, text, at) {
                return true;
            }
            at += BLOCK;
        }
        let mut last = [0; BLOCK + 3];
        last[..text.len() - at].copy_from_slice(&text[at..]);
        self.passes(&last) && self.stands_in(&last, text, at)
    }

    /// Every one in a text, as the number of its literal and where it begins.
    pub(super) fn all<'t>(&'t self, text: &'t [u8]) -> FindOverlappingIter<'t, 't> {
        self.automaton.find_overlapping_iter(text)
    }

    /// Whether any place of a block may be one of a trigger.
    #[inline(always)]
    fn passes(&self, block: &[u8; BLOCK + 3]) -> bool {
        (0..BLOCK).fold(0, |passed, i| passed | self.table[slot(four(block, i))]) != 0
    }

    /// Whether a trigger stands around any place of a block, which begins at `at`.
    fn stands_in(&self, block: &[u8; BLOCK + 3], text: &[u8], at: usize) -> bool {
        (0..BLOCK).any(|i| {
            let four = four(block, i);
            self.table[slot(four)] != 0
                && self.threes.binary_search(&(four & 0x00ff_ffff | 0x0020_2020)).is_ok()
                && self.stands_at(text, at + i)
        })
    }

    fn stands_at(&self, text: &[u8], at: usize) -> bool {
        let window =
            &text[at.saturating_sub(self.longest).min(text.len())..text.len().min(at + self.longest)];
        self.automaton.find(Input::new(window).earliest(true)).is_some()
    }
}

/// Four bytes of a block.
#[inline(always)]
fn four(block: &[u8; BLOCK + 3], at: usize) -> u32 {
    block[at..].first_chunk().map_or(0, |four| u32::from_le_bytes(*four))
}

/// Three bytes as a number, whatever their case.
fn three_of(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]) | 0x0020_2020
}

/// The slot of three bytes, whatever their case; a fourth is shifted out.
#[inline(always)]
fn slot(four: u32) -> usize {
    ((four << 8 | 0x2020_2000).wrapping_mul(0x9E37_79B1) >> (32 - BITS)) as usize
}

/// How often a byte stands in ordinary text, roughly.
fn commonness(byte: u8) -> u32 {
    match byte.to_ascii_lowercase() {
        b'e' | b't' | b'o' | b' ' => 9,
        b'a' | b'i' | b'n' | b's' | b'r' => 8,
        b'h' | b'l' | b'd' | b'c' | b'u' | b'm' => 6,
        b'p' | b'k' | b'f' | b'g' | b'w' | b'y' | b'b' | b'-' | b'.' | b':' => 4,
        b'v' | b'_' | b'/' | b'0'..=b'9' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trigger_is_found_wherever_it_stands_and_in_any_case() {
        let literals: [&[u8]; 4] = [b"token", b"sk-", b"://", b"hooks.slack.com/"];
        let triggers = Triggers::new(&literals);
        for literal in literals {
            for length in [literal.len(), 18, 19, 20, 40, 100] {
                for at in 0..=length.saturating_sub(literal.len()) {
                    let mut text = vec![b'x'; length.max(literal.len())];
                    text[at..at + literal.len()].copy_from_slice(&literal.to_ascii_uppercase());
                    assert!(triggers.any(&text), "{literal:?} at {at} of {length}");
                    text[at + 1] = b'#';
                    assert!(!triggers.any(&text), "broken {literal:?} at {at} of {length}");
                }
            }
        }
        assert!(!triggers.any(b"") && !triggers.any(b"sk"));
    }
}
