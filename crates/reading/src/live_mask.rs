//! Output that is still coming, as it may leave: with its secrets masked.

use std::sync::Arc;

use masking::{Masker, Rules};
use model::TermSize;

/// Masks output as it comes. A word that is not finished is held back, since it may be the beginning of a secret.
///
/// Recorded and live output both go through it: a secret may begin in the one and end in the other.
/// Every byte that goes in comes out once and in its turn, itself or masked.
pub struct LiveMask {
    rules: Arc<Rules>,
    masker: Masker,
    /// Bytes that were fed and not given out yet.
    held: Vec<u8>,
    /// The position in all that was fed at which that begins.
    start: u64,
}

/// What output that is held back may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldBack {
    /// A word that has not ended, with nothing beside it that tells of a secret.
    Word,
    /// A part of a secret.
    Secret,
}

impl LiveMask {
    /// A mask for output on a terminal of this size.
    pub fn new(rules: Arc<Rules>, size: TermSize) -> LiveMask {
        let masker = Masker::new(Arc::clone(&rules), size);
        LiveMask { rules, masker, held: Vec::new(), start: 0 }
    }

    /// The terminal's size changes here.
    pub fn resize(&mut self, size: TermSize) {
        self.masker.resize(size);
    }

    /// Goes on behind a screen that this snapshot draws, and gives the snapshot masked. What is held back belongs before
    /// the screen, so [`LiveMask::rest`] is asked for first.
    pub fn draw(&mut self, size: TermSize, snapshot: &[u8]) -> Vec<u8> {
        debug_assert!(self.held.is_empty(), "what is held back would be lost");
        self.masker = Masker::new(Arc::clone(&self.rules), size);
        self.masker.feed(snapshot);
        self.masker.look();
        let mut masked = snapshot.to_vec();
        masking::apply(&self.masker.take_masks(), 0, &mut masked);
        self.start = self.masker.position();
        masked
    }

    /// Takes output in, and gives out what no secret can reach back to. `masked` is the same output with those of its
    /// secrets masked that were known already.
    pub fn feed(&mut self, printed: &[u8], masked: &[u8]) -> Vec<u8> {
        debug_assert_eq!(printed.len(), masked.len(), "a mask has as many bytes as its secret");
        self.masker.feed(printed);
        self.held.extend(masked);
        self.give(self.masker.unsettled_from())
    }

    /// What is held back, if anything is.
    pub fn held_back(&self) -> Option<HeldBack> {
        if self.held.is_empty() {
            None
        } else if self.masker.may_be_in_secret() {
            Some(HeldBack::Secret)
        } else {
            Some(HeldBack::Word)
        }
    }

    /// Gives out what is left, masked as far as it is known what it is.
    pub fn rest(&mut self) -> Vec<u8> {
        self.give(u64::MAX)
    }

    fn give(&mut self, to: u64) -> Vec<u8> {
        let length = usize::try_from(to.saturating_sub(self.start)).unwrap_or(usize::MAX);
        if length == 0 || self.held.is_empty() {
            // The rules would take half a secret for a whole one, so the masker does not look before it must.
            return Vec::new();
        }
        self.masker.look();
        masking::apply(&self.masker.take_masks(), self.start, &mut self.held);
        let ready: Vec<u8> = self.held.drain(..length.min(self.held.len())).collect();
        self.start += ready.len() as u64;
        ready
    }
}

#[cfg(test)]
mod tests {
    use testkit::{Random, StreamGen};

    use super::*;

    const SECRET: &str = "password=hunter2hunter2";

    fn live_mask(size: TermSize) -> LiveMask {
        LiveMask::new(Arc::new(Rules::builtin()), size)
    }

    #[test]
    fn every_byte_comes_out_once_and_in_order() {
        let rules = Arc::new(Rules::builtin());
        for seed in 0..300 {
            let (generator, mut random) = (StreamGen::new(seed), Random::new(seed));
            let (size, mut bytes) = (generator.size(), generator.bytes());
            let at = random.below(bytes.len() + 1);
            bytes.splice(at..at, SECRET.bytes());
            let mut mask = LiveMask::new(Arc::clone(&rules), size);
            let (mut out, mut rest) = (Vec::new(), bytes.as_slice());
            while !rest.is_empty() {
                let (part, later) = rest.split_at(random.between(1, 60).min(rest.len()));
                out.extend(mask.feed(part, part));
                rest = later;
                match random.below(12) {
                    0 => out.extend(mask.rest()),
                    1 => {
                        out.extend(mask.rest());
                        mask.draw(size, b"\x1bc\x1b[2;3Hsomething password=");
                    }
                    2 => mask.resize(TermSize::clamped(
                        random.between(5, 90) as u16,
                        random.between(1, 30) as u16,
                    )),
                    _ => {}
                }
            }
            out.extend(mask.rest());
            assert_eq!(out.len(), bytes.len(), "seed {seed}");
            // Stars, wide stars, and the marks that mask marks.
            let masks = "*REDACT\0＊\u{34f}\u{fe00}\u{e0100}".as_bytes();
            let is_kept = |(out, byte): (&u8, &u8)| out == byte || masks.contains(out);
            assert!(out.iter().zip(&bytes).all(is_kept), "seed {seed}");
            assert_eq!(mask.held_back(), None);
        }
    }

    #[test]
    fn text_on_the_first_screen_helps_to_mask_the_output_after_it() {
        let size = TermSize::clamped(80, 24);
        let mut mask = live_mask(size);
        let snapshot = mask.draw(size, b"\x1bckey: ghp_aB3dE5fG7hJ9aB3dE5fG7hJ9aB3dE5fG7hJ9\r\n$ password=");
        assert!(
            snapshot.starts_with(b"\x1bckey: ***REDACTED***") && snapshot.ends_with(b"***\r\n$ password=")
        );
        assert_eq!(mask.feed(b"hunter2hunter2", b"hunter2hunter2"), b"");
        assert_eq!(mask.feed(b"\r\n", b"\r\n"), b"***REDACTED***\r\n");
    }

    #[test]
    fn earlier_output_helps_to_mask_later_output_and_masked_bytes_stay_masked() {
        let mut mask = live_mask(TermSize::clamped(80, 24));
        let mut out = mask.feed(b"https://app:hunter2", b"https://app:*******");
        out.extend(
            mask.feed(b"hunter2@example.org\r\nsomething\r\n", b"hunter2@example.org\r\n*********\r\n"),
        );
        assert_eq!(String::from_utf8_lossy(&out), "https://app:***REDACTED***@example.org\r\n*********\r\n");
    }

    #[test]
    fn a_word_is_held_back_until_it_ends_or_the_caller_takes_the_rest() {
        let mut mask = live_mask(TermSize::clamped(80, 24));
        assert_eq!(mask.feed(b"some wo", b"some wo"), b"some ");
        assert_eq!(mask.held_back(), Some(HeldBack::Word));
        assert_eq!(mask.rest(), b"wo");
        assert_eq!(mask.held_back(), None);
        assert_eq!(mask.feed(b"rd ", b"rd "), b"rd ");
    }

    #[test]
    fn a_possible_secret_is_told_from_an_unfinished_word() {
        for begun in ["password=hun", "$ curl -H 'Authorization: Bea", "ghp_aB3dE5", "\x1b]0;a title"] {
            let mut mask = live_mask(TermSize::clamped(80, 24));
            mask.feed(begun.as_bytes(), begun.as_bytes());
            assert_eq!(mask.held_back(), Some(HeldBack::Secret), "{begun}");
        }
        let mut mask = live_mask(TermSize::clamped(80, 24));
        mask.feed(b"password=hunter2hunter2\r\n50%", b"password=hunter2hunter2\r\n50%");
        assert_eq!(mask.held_back(), Some(HeldBack::Word), "a line that is over is no part of it");
    }
}
