//! One-time codes, which browsers exchange for a token.
//!
//! A link ends in `#` and a code. The page sends the code to the server, once, and gets a token, which the browser
//! keeps for the page's origin. Codes are kept only in memory.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use model::OwnerId;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The letters of ids. They are hard to confuse.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The length of a code: a hundred random bits.
const LETTERS: usize = 20;

/// How long a code is valid: long enough to carry it to another machine.
pub const GOOD_FOR: Duration = home::SIGN_IN_PAGE_GOOD_FOR;

/// The most open codes. A further one replaces the oldest.
const MOST_OPEN: usize = 32;

/// The codes that are neither used nor expired.
#[derive(Debug, Default)]
pub struct Codes {
    open: Mutex<Vec<Open>>,
}

/// A code, as its hash, so that the time of a comparison reveals nothing about the code.
#[derive(Debug)]
struct Open {
    hash: [u8; 32],
    owner: OwnerId,
    until: Instant,
}

impl Codes {
    /// Makes a code for a token of this owner.
    ///
    /// # Errors
    ///
    /// When the machine has no random bytes.
    pub fn make(&self, owner: OwnerId, now: Instant) -> Result<String, home::StartError> {
        let bytes = home::random_bytes::<LETTERS>()?;
        let code: String =
            bytes.iter().map(|&byte| char::from(ALPHABET[usize::from(byte) % ALPHABET.len()])).collect();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|code| now < code.until);
        if open.len() >= MOST_OPEN {
            open.remove(0);
        }
        open.push(Open { hash: hash(&code), owner, until: now + GOOD_FOR });
        Ok(code)
    }

    /// Uses a code. Returns the owner it was made for, or none if it is wrong, used or expired.
    #[must_use]
    pub fn take(&self, code: &str, now: Instant) -> Option<OwnerId> {
        let asked = hash(code);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|code| now < code.until);
        let mut owner = None;
        // All codes are compared, so that the time reveals nothing.
        open.retain(|code| {
            let is_it = bool::from(code.hash.ct_eq(&asked));
            owner = owner.or(is_it.then_some(code.owner));
            !is_it
        });
        owner
    }
}

fn hash(code: &str) -> [u8; 32] {
    Sha256::digest(code).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s6_a_code_is_valid_once_and_expires() {
        let codes = Codes::default();
        let now = Instant::now();
        let code = codes.make(OwnerId::ONLY, now).unwrap();
        assert_eq!(code.len(), LETTERS);
        assert!(code.bytes().all(|letter| ALPHABET.contains(&letter)));
        assert_eq!((codes.take("", now), codes.take(&code[1..], now)), (None, None));
        assert_eq!(codes.take(&code, now), Some(OwnerId::ONLY));
        assert_eq!(codes.take(&code, now), None, "the code was used");

        let old = codes.make(OwnerId::ONLY, now).unwrap();
        assert_eq!(codes.take(&old, now + GOOD_FOR), None);
        assert_eq!(codes.take(&old, now), None, "an expired code is removed");
    }

    #[test]
    fn s12_the_number_of_open_codes_is_bounded() {
        let codes = Codes::default();
        let now = Instant::now();
        let all: Vec<String> = (0..=MOST_OPEN).map(|_| codes.make(OwnerId::ONLY, now).unwrap()).collect();
        assert_eq!(codes.take(&all[0], now), None, "a new code replaces the oldest");
        assert!(all[1..].iter().all(|code| codes.take(code, now).is_some()));
    }
}
