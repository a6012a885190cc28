//! One-time codes: how a browser gets its token.
//!
//! A link ends in `#` and a code; the page behind it gives the code back once and gets a token, which it keeps for its
//! own origin. Codes are only ever in memory.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The letters of ids, which nobody misreads.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// A hundred random bits.
const LETTERS: usize = 20;

/// Long enough to walk over to another machine with it.
pub const GOOD_FOR: Duration = Duration::from_secs(600);

/// So many may be open; a further one takes the place of the oldest.
const MOST_OPEN: usize = 32;

/// The codes that are open.
#[derive(Debug, Default)]
pub struct Codes {
    open: Mutex<Vec<Open>>,
}

/// Its hash, so that how long a comparison takes says nothing about the code.
#[derive(Debug)]
struct Open {
    hash: [u8; 32],
    until: Instant,
}

impl Codes {
    /// Makes a code.
    ///
    /// # Errors
    ///
    /// When the machine has no random bytes.
    pub fn make(&self, now: Instant) -> Result<String, home::StartError> {
        let bytes = home::random_bytes::<LETTERS>()?;
        let code: String =
            bytes.iter().map(|&byte| char::from(ALPHABET[usize::from(byte) % ALPHABET.len()])).collect();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|code| now < code.until);
        if open.len() >= MOST_OPEN {
            open.remove(0);
        }
        open.push(Open { hash: hash(&code), until: now + GOOD_FOR });
        Ok(code)
    }

    /// Uses a code up; false if it is wrong, used or too old.
    #[must_use]
    pub fn take(&self, code: &str, now: Instant) -> bool {
        let asked = hash(code);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|code| now < code.until);
        let before = open.len();
        open.retain(|code| !bool::from(code.hash.ct_eq(&asked)));
        open.len() < before
    }
}

fn hash(code: &str) -> [u8; 32] {
    Sha256::digest(code).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s6_a_code_is_good_once_and_not_for_long() {
        let codes = Codes::default();
        let now = Instant::now();
        let code = codes.make(now).unwrap();
        assert_eq!(code.len(), LETTERS);
        assert!(code.bytes().all(|letter| ALPHABET.contains(&letter)));
        assert!(!codes.take("", now) && !codes.take(&code[1..], now));
        assert!(codes.take(&code, now));
        assert!(!codes.take(&code, now), "it was used");

        let old = codes.make(now).unwrap();
        assert!(!codes.take(&old, now + GOOD_FOR));
        assert!(!codes.take(&old, now), "looking at it too late used it up");
    }

    #[test]
    fn s12_open_codes_are_bounded() {
        let codes = Codes::default();
        let now = Instant::now();
        let all: Vec<String> = (0..=MOST_OPEN).map(|_| codes.make(now).unwrap()).collect();
        assert!(!codes.take(&all[0], now), "the oldest made room");
        assert!(all[1..].iter().all(|code| codes.take(code, now)));
    }
}
