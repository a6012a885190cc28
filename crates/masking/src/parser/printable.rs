//! Runs of printable ASCII, which most output is made of.

/// How many bytes of printable ASCII `bytes` begins with.
#[inline(always)]
pub(super) fn printable_len(bytes: &[u8]) -> usize {
    const BLOCK: usize = 32;
    /// Runs between colours are seldom longer.
    const SHORT: usize = 16;
    let mut len = 0;
    while let Some(eight) = bytes[len..].first_chunk() {
        let printable = printable_of_eight(u64::from_le_bytes(*eight));
        len += printable;
        if printable < 8 {
            return len;
        }
        // Without a branch inside, the compiler looks at all bytes of a block at once.
        while len >= SHORT
            && let Some(block) = bytes.get(len..len + BLOCK)
            && !block.iter().fold(false, |other, byte| other | !(0x20..0x7f).contains(byte))
        {
            len += BLOCK;
        }
    }
    len + bytes[len..].iter().take_while(|byte| (0x20..0x7f).contains(*byte)).count()
}

/// The same for eight bytes, the first of which is the lowest.
#[inline]
fn printable_of_eight(eight: u64) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * EACH;
    // A byte below what is subtracted borrows from the next, so only the lowest that is found counts.
    let below = |bytes: u64, least: u64| bytes.wrapping_sub(least * EACH) & !bytes & HIGH;
    let others = below(eight, 0x20) | below(eight ^ (0x7f * EACH), 1) | eight & HIGH;
    others.trailing_zeros() as usize / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_printable_bytes_ends_at_the_first_that_is_none() {
        for len in 0..80 {
            for other in (0..=0xff).filter(|byte| !(0x20..0x7f).contains(byte)) {
                for around in [b' ', b'a', b'~'] {
                    let mut bytes = vec![around; 100];
                    bytes[len] = other;
                    assert_eq!(printable_len(&bytes), len, "{other:#x} at {len}");
                    assert_eq!(printable_len(&bytes[..len]), len);
                    bytes[len + 1] = 0x80;
                    assert_eq!(printable_len(&bytes), len, "{other:#x} at {len}, and another");
                }
            }
        }
    }
}
