//! Finding triggers, quickly where there are none.
//!
//! Almost all output has no trigger in it. So a filter goes first, which looks up every three bytes in a table of a
//! few KiB: one step does not wait for the one before, as it does in an automaton. What passes is looked at again.

use aho_corasick::{AhoCorasick, AhoCorasickKind, FindOverlappingIter, Input, MatchKind};

/// Bits of the table; of ordinary text, one place in a thousand passes by accident.
const BITS: u32 = 17;
const TABLE: usize = 1 << (BITS - 3);
/// How many places are looked up before the result is asked for.
const BLOCK: usize = 16;

/// The shortest trigger that the filter can see.
pub(super) const SHORTEST: usize = 3;

/// All triggers of all rules, whatever their case.
#[derive(Debug)]
pub(super) struct Triggers {
    table: Box<[u8; TABLE]>,
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
        let mut table = Box::new([0; TABLE]);
        for literal in literals {
            let rarest = literal.windows(SHORTEST).min_by_key(|three| three.iter().map(|b| commonness(*b)).sum::<u32>());
            if let Some(three) = rarest {
                let slot = slot(u32::from_le_bytes([three[0], three[1], three[2], 0]));
                table[slot >> 3] |= 1 << (slot & 7);
            }
        }
        let longest = literals.iter().map(|literal| literal.len()).max().unwrap_or(0);
        Triggers { table, automaton, longest }
    }

    /// The most columns that a trigger has.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Whether there is one in a text.
    pub(super) fn any(&self, text: &[u8]) -> bool {
        let mut at = 0;
        while let Some(block) = text.get(at..at + BLOCK + SHORTEST) {
            let mut passed = 0;
            for i in 0..BLOCK {
                passed |= self.passes([block[i], block[i + 1], block[i + 2], block[i + 3]]);
            }
            if passed & 1 != 0 && self.stands_near(text, at, at + BLOCK) {
                return true;
            }
            at += BLOCK;
        }
        let rest = text.get(at..).unwrap_or_default();
        let passed = rest.windows(SHORTEST).any(|three| self.passes([three[0], three[1], three[2], 0]) & 1 != 0);
        passed && self.stands_near(text, at, text.len())
    }

    /// Every one in a text, as the number of its literal and where it begins.
    pub(super) fn all<'t>(&'t self, text: &'t [u8]) -> FindOverlappingIter<'t, 't> {
        self.automaton.find_overlapping_iter(text)
    }

    #[inline(always)]
    fn passes(&self, four: [u8; 4]) -> u8 {
        let slot = slot(u32::from_le_bytes(four));
        self.table[slot >> 3] >> (slot & 7)
    }

    #[cold]
    fn stands_near(&self, text: &[u8], from: usize, to: usize) -> bool {
        let window = &text[from.saturating_sub(self.longest)..text.len().min(to + self.longest)];
        self.automaton.find(Input::new(window).earliest(true)).is_some()
    }
}

/// The slot of three bytes, whatever their case; a fourth does not count.
#[inline(always)]
fn slot(bytes: u32) -> usize {
    const THREE: u32 = 0x00ff_ffff;
    const SMALL: u32 = 0x0020_2020;
    (((bytes & THREE) | SMALL).wrapping_mul(0x9E37_79B1) >> (32 - BITS)) as usize
}

/// How often a byte stands in ordinary text, roughly.
fn commonness(byte: u8) -> u32 {
    match byte.to_ascii_lowercase() {
        b'e' | b't' | b' ' => 9,
        b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 8,
        b'h' | b'l' | b'd' | b'c' | b'u' | b'm' => 6,
        b'p' | b'f' | b'g' | b'w' | b'y' | b'b' | b'-' | b'.' | b':' => 4,
        b'v' | b'k' | b'_' | b'/' | b'0'..=b'9' => 2,
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
