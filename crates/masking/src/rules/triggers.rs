//! Finding triggers, quickly where there are none.
//!
//! Almost all output has no trigger in it. So a filter goes first, which looks up every three bytes in a table of a
//! few KiB: one step does not wait for the one before, as it does in an automaton. Of every trigger, its three rarest
//! bytes are in the table; where they stand, the trigger is compared.

/// The table has to stay in the processor's nearest cache.
const BITS: u32 = 14;
const TABLE: usize = 1 << BITS;
/// How many places are looked up before the result is asked for.
const PLACES: usize = 16;
/// So many bytes are read for them: four at each.
const BLOCK: usize = PLACES + 3;

/// The shortest trigger that the filter can see.
pub(super) const SHORTEST: usize = 3;

/// All triggers of all rules, in capitals or small letters.
#[derive(Debug)]
pub(super) struct Triggers {
    /// For each slot, the bucket with the triggers whose three bytes lead there; 0 where there are none.
    table: Box<[u8; TABLE]>,
    /// Where each bucket begins in `grams`, and the last one ends.
    buckets: Vec<usize>,
    grams: Vec<Gram>,
    longest: usize,
}

/// Three bytes by which a trigger is noticed.
#[derive(Debug)]
struct Gram {
    three: u32,
    /// Their distance from the trigger's beginning.
    offset: usize,
    /// The trigger in small letters, and the numbers under which it was given.
    text: Vec<u8>,
    literals: Vec<usize>,
}

/// A trigger in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Trigger {
    pub(super) end: usize,
    pub(super) start: usize,
    /// The number of its literal.
    pub(super) literal: usize,
}

impl Triggers {
    pub(super) fn new(literals: &[&[u8]]) -> Triggers {
        let mut numbered: Vec<(Vec<u8>, usize)> =
            literals.iter().enumerate().map(|(number, text)| (text.to_ascii_lowercase(), number)).collect();
        numbered.sort();
        let mut texts: Vec<_> = numbered.chunk_by(|one, next| one.0 == next.0).collect();
        // Short ones first: they have the least choice, and longer ones can be noticed by the same threes.
        texts.sort_by_key(|same| same[0].0.len());
        let mut grams: Vec<Gram> = Vec::with_capacity(texts.len());
        for same in texts {
            grams.extend(Gram::of(same, &grams));
        }
        grams.sort_by_key(|gram| slot(gram.three));
        let same_slot = |one: &Gram, next: &Gram| slot(one.three) == slot(next.three);
        // A byte names at most 255 buckets, so with very many triggers some slots share one.
        let shared = grams.chunk_by(same_slot).count().div_ceil(usize::from(u8::MAX)).max(1);
        let mut table = Box::new([0; TABLE]);
        let mut buckets = vec![0];
        let mut at = 0;
        for (index, same) in grams.chunk_by(same_slot).enumerate() {
            if index % shared == 0 {
                buckets.push(at);
            }
            table[slot(same[0].three)] = (buckets.len() - 1) as u8;
            at += same.len();
        }
        buckets.push(at);
        let longest = literals.iter().map(|literal| literal.len()).max().unwrap_or(0);
        Triggers { table, buckets, grams, longest }
    }

    /// The most columns that a trigger has.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Whether there is one in a text.
    pub(super) fn any(&self, text: &[u8]) -> bool {
        self.each(text, |_| true)
    }

    /// Every one in a text, also where they overlap, in the order of their ends.
    pub(super) fn all(&self, text: &[u8]) -> Vec<Trigger> {
        let mut all = Vec::with_capacity(8);
        self.each(text, |trigger| {
            all.push(trigger);
            false
        });
        all.sort_unstable();
        all
    }

    /// Hands out every trigger in a text, until `enough` says so; returns whether it did.
    #[inline(always)]
    fn each(&self, text: &[u8], mut enough: impl FnMut(Trigger) -> bool) -> bool {
        let mut at = 0;
        while let Some(block) = text[at..].first_chunk() {
            if self.passes(block) && self.in_block(block, text, at, &mut enough) {
                return true;
            }
            at += PLACES;
        }
        let rest = &text[at..];
        if rest.len() < SHORTEST {
            return false;
        }
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        self.passes(&last) && self.in_block(&last, text, at, &mut enough)
    }

    /// Whether any place of a block may be one of a trigger.
    #[inline(always)]
    fn passes(&self, block: &[u8; BLOCK]) -> bool {
        (0..PLACES).fold(0, |passed, i| passed | self.table[slot(four(block, i))]) != 0
    }

    /// Hands out the triggers that are noticed in a block, which begins at `at`.
    #[inline(never)]
    fn in_block(
        &self,
        block: &[u8; BLOCK],
        text: &[u8],
        at: usize,
        enough: &mut impl FnMut(Trigger) -> bool,
    ) -> bool {
        let buckets: [u8; PLACES] = std::array::from_fn(|i| self.table[slot(four(block, i))]);
        // All places at once, so that only those that passed are visited.
        let mut passed = u128::from_le_bytes(buckets);
        while passed != 0 {
            let i = passed.trailing_zeros() as usize / 8;
            passed &= !(0xff << (8 * i));
            if self.in_bucket(usize::from(buckets[i]), three(four(block, i)), text, at + i, enough) {
                return true;
            }
        }
        false
    }

    /// Hands out the triggers of a bucket that are noticed by the three bytes at `at`.
    #[inline]
    fn in_bucket(
        &self,
        bucket: usize,
        three: u32,
        text: &[u8],
        at: usize,
        enough: &mut impl FnMut(Trigger) -> bool,
    ) -> bool {
        for gram in &self.grams[self.buckets[bucket]..self.buckets[bucket + 1]] {
            if gram.three != three {
                continue;
            }
            let Some(start) = at.checked_sub(gram.offset) else { continue };
            let end = start + gram.text.len();
            let stands = text.get(start..end).is_some_and(|found| gram.is(found));
            let mut found = gram.literals.iter().map(|&literal| Trigger { end, start, literal });
            if stands && found.any(&mut *enough) {
                return true;
            }
        }
        false
    }
}

impl Gram {
    /// For a literal, which came under several numbers: one that is known, if it is nearly as rare as the rarest; none for
    /// a literal that is too short.
    fn of(same: &[(Vec<u8>, usize)], known: &[Gram]) -> Option<Gram> {
        let (text, literals) = (same[0].0.clone(), same.iter().map(|(_, number)| *number).collect());
        let score = |three: &[u8]| {
            let common = if COMMON.iter().any(|common| *common == three) { VERY } else { 0 };
            common + three.iter().map(|&byte| commonness(byte)).sum::<u32>()
        };
        let number = |bytes: &[u8]| three(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]));
        let threes = || {
            text.windows(SHORTEST).enumerate().map(|(offset, bytes)| (score(bytes), offset, number(bytes)))
        };
        let rarest = threes().min()?;
        let is_known = |three: u32| known.iter().any(|gram| gram.three == three);
        let shared =
            threes().filter(|&(score, _, three)| score <= rarest.0 + NEARLY && is_known(three)).min();
        let (_, offset, three) = shared.unwrap_or(rarest);
        Some(Gram { three, offset, text, literals })
    }

    /// Whether a text as long as the trigger is the trigger. Those that are noticed by the same three bytes mostly begin
    /// alike and end differently.
    #[inline]
    fn is(&self, text: &[u8]) -> bool {
        text.iter().zip(&self.text).rev().all(|(byte, known)| byte.to_ascii_lowercase() == *known)
    }
}

/// Four bytes of a block.
#[inline(always)]
fn four(block: &[u8; BLOCK], at: usize) -> u32 {
    block[at..].first_chunk().map_or(0, |four| u32::from_le_bytes(*four))
}

/// Three bytes in any case, without a fourth.
#[inline(always)]
fn three(four: u32) -> u32 {
    (four | 0x0020_2020) & 0x00ff_ffff
}

/// The slot of three bytes, in any case. The factor shifts a fourth one out, and of the many that are possible
/// it is one that leads few of the threes of ordinary text to the slots of our triggers: about one in two hundred.
#[inline(always)]
fn slot(four: u32) -> usize {
    const FACTOR: u32 = 0xf3_6727 << 8;
    ((four | 0x0020_2020).wrapping_mul(FACTOR) >> (32 - BITS)) as usize
}

/// Threes that stand in ordinary text and logs more often than their bytes let expect, and that triggers have, too.
const COMMON: &[&[u8; SHORTEST]] = &[
    b"acc", b"all", b"and", b"bui", b"com", b"con", b"ent", b"has", b"htt", b"ial", b"ing", b"int", b"ion",
    b"ken", b"key", b"ock", b"str", b"ter", b"the", b"ttp", b"val",
];
/// Fewer different threes are worth so much in the score: the fewer slots are taken, the fewer are met by chance.
const NEARLY: u32 = 8;
/// More than three bytes can score.
const VERY: u32 = 40;

/// How often a byte stands in ordinary text, roughly. Blanks also stand beside everything else.
fn commonness(byte: u8) -> u32 {
    match byte.to_ascii_lowercase() {
        b' ' => 12,
        b'e' | b't' | b'o' => 9,
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

    #[test]
    fn all_triggers_are_those_that_comparing_everywhere_finds() {
        let mut random = testkit::Random::new(11);
        for count in [1, 5, 300, 2000] {
            // Few letters, so that triggers repeat, overlap and share their three bytes.
            let letters = b"abAB-_:";
            let mut word = |len: usize| -> Vec<u8> { (0..len).map(|_| random.pick(letters)).collect() };
            let words: Vec<Vec<u8>> = (0..count).map(|number| word(3 + number % 9)).collect();
            let literals: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
            let triggers = Triggers::new(&literals);
            for length in 0..60 {
                let text = word(length);
                let stands = |start: usize, literal: &[u8]| {
                    text[start..]
                        .get(..literal.len())
                        .is_some_and(|found| found.eq_ignore_ascii_case(literal))
                };
                let mut expected: Vec<Trigger> = (0..length)
                    .flat_map(|start| (0..literals.len()).map(move |literal| (start, literal)))
                    .filter(|&(start, literal)| stands(start, literals[literal]))
                    .map(|(start, literal)| Trigger { end: start + literals[literal].len(), start, literal })
                    .collect();
                expected.sort_unstable();
                assert_eq!(triggers.all(&text), expected, "{count} triggers, {length} bytes");
                assert_eq!(triggers.any(&text), !expected.is_empty());
            }
        }
    }
}
