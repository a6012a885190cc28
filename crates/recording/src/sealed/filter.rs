//! A filter that knows texts which a segment cannot contain, without reading the segment.
//!
//! Three bytes that follow each other in a line set one bit. A text that is searched for a word can be passed over if
//! the bit of any three bytes of the word is not set. Capital letters count as small ones, so that one filter serves
//! those who care for case and those who do not. The long s and the Kelvin sign, the two characters beyond ASCII whose
//! small letters are in it, count as those as well.

/// So many bits for each different three bytes, so that about one in eight bits is set.
const BITS_EACH: usize = 8;

const LEAST_BYTES: usize = 64;
const MOST_BYTES: usize = 64 << 10;

/// All values that three bytes can have, by their low five to six bits; only used while building.
const SEEN_BITS: u32 = 20;

/// The filter's bytes for a text. Their number is a power of two.
pub(super) fn filter(text: &[u8]) -> Vec<u8> {
    // Counted in a coarser filter first: how many different ones there are says how large the filter has to be.
    let mut seen = vec![0u64; 1 << (SEEN_BITS - 6)];
    let mut different = Vec::new();
    let as_ascii = as_ascii(text);
    for three in threes(text).chain(threes(&as_ascii)) {
        let bit = hash(three) >> (32 - SEEN_BITS);
        let (word, mask) = (&mut seen[bit as usize / 64], 1u64 << (bit % 64));
        if *word & mask == 0 {
            *word |= mask;
            different.push(bit);
        }
    }
    let bytes = (different.len() * BITS_EACH / 8).next_power_of_two().clamp(LEAST_BYTES, MOST_BYTES);
    let mut filter = vec![0u8; bytes];
    for bit in different {
        // The upper bits of the same hash, so that it need not be made again.
        let bit = (bit >> (SEEN_BITS - bits(bytes))) as usize;
        filter[bit / 8] |= 1 << (bit % 8);
    }
    filter
}

/// Whether a text with this filter may contain `needle`. A filter of a size that no filter has tells nothing.
pub(super) fn may_contain(filter: &[u8], needle: &[u8]) -> bool {
    if !filter.len().is_power_of_two() || bits(filter.len()) > SEEN_BITS {
        return true;
    }
    threes(needle).all(|three| {
        let bit = (hash(three) >> (32 - bits(filter.len()))) as usize;
        filter[bit / 8] & 1 << (bit % 8) != 0
    })
}

/// The lines with a long s or a Kelvin sign, with an s and a k in their places.
fn as_ascii(text: &[u8]) -> Vec<u8> {
    let (long_s, kelvin) = ("\u{17f}", "\u{212a}");
    // Their first bytes are seldom in a terminal's text, and looking for one byte is fast.
    let may_have = text.contains(&long_s.as_bytes()[0]) || text.contains(&kelvin.as_bytes()[0]);
    let Some(text) = Some(text).filter(|_| may_have).and_then(|text| str::from_utf8(text).ok()) else {
        return Vec::new();
    };
    let lines = text.lines().filter(|line| line.contains(long_s) || line.contains(kelvin));
    lines.flat_map(|line| (line.replace(long_s, "s").replace(kelvin, "k") + "\n").into_bytes()).collect()
}

/// How many bits choose one of a filter's.
fn bits(bytes: usize) -> u32 {
    bytes.ilog2() + 3
}

/// All three bytes that follow each other within a line, in small letters.
fn threes(text: &[u8]) -> impl Iterator<Item = u32> {
    let mut last = 0u32;
    let mut in_line = 0;
    text.iter().filter_map(move |&byte| {
        in_line = if byte == b'\n' { 0 } else { in_line + 1 };
        last = (last << 8 | u32::from(byte.to_ascii_lowercase())) & 0xff_ffff;
        (in_line >= 3).then_some(last)
    })
}

/// Spreads three bytes over 32 bits, of which the upper ones are the best.
fn hash(three: u32) -> u32 {
    (three.wrapping_mul(0x9e37_79b1) ^ three << 7).wrapping_mul(0x85eb_ca6b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_never_denies_a_text_that_is_there() {
        let text: String = (0..5_000).map(|number| format!("Line {number:x} of the Text äöü\n")).collect();
        let filter = filter(text.as_bytes());
        for line in text.lines() {
            for from in (0..line.len()).step_by(3) {
                let rest = &line.as_bytes()[from..];
                assert!(may_contain(&filter, rest) && may_contain(&filter, &rest.to_ascii_uppercase()));
            }
        }
        assert!(may_contain(&filter, b"xy"), "two bytes tell nothing");
    }

    #[test]
    fn the_filter_denies_most_texts_that_are_not_there() {
        let text: String = (0..5_000).map(|number| format!("line {number} of the text\n")).collect();
        let filter = filter(text.as_bytes());
        let words = (0..1_000u64).map(|seed| format!("{:x}", seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let passed = words.filter(|word| may_contain(&filter, word.as_bytes())).count();
        assert!(passed < 20, "{passed} of 1000 words that are not there");
    }

    #[test]
    fn a_long_s_and_a_kelvin_sign_are_found_as_s_and_k() {
        let filter = filter("wa\u{17f}h 300 \u{212a}elvin\n".as_bytes());
        assert!(may_contain(&filter, b"wash") && may_contain(&filter, b"Kelvin"));
    }

    #[test]
    fn words_do_not_reach_over_the_end_of_a_line() {
        assert!(!may_contain(&filter(b"ab\ncd\n"), b"abcd"));
    }
}
