//! One-time codes, which sign in browsers.
//!
//! A link ends in `#` and a code. A page shows that it knows the code, without sending it, and registers its key. A
//! program sends the code, and gets a token. Either uses the code up. Codes are kept only in memory.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use model::OwnerId;
use proof::{CodeId, CodeKey};
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
    key: CodeKey,
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
        open.push(Open { hash: hash(&code), key: CodeKey::of(&code), owner, until: now + GOOD_FOR });
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

impl Codes {
    /// Uses the code with this name, if `knows` says that the other end knows it. Returns the owner it was made for,
    /// and its key. A wrong guess does not use it up: a hundred bits cannot be guessed.
    #[must_use]
    pub fn take_shown(
        &self,
        id: &CodeId,
        knows: impl FnOnce(&CodeKey) -> bool,
        now: Instant,
    ) -> Option<(OwnerId, CodeKey)> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|code| now < code.until);
        let at = open.iter().position(|code| code.key.id() == id)?;
        if !knows(&open[at].key) {
            return None;
        }
        let Open { owner, key, .. } = open.remove(at);
        Some((owner, key))
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
    fn s18_a_code_that_was_shown_is_used_up() {
        let codes = Codes::default();
        let now = Instant::now();
        let code = codes.make(OwnerId::ONLY, now).unwrap();
        let key = CodeKey::of(&code);
        assert!(codes.take_shown(&[0; 16], |_| true, now).is_none());
        assert!(codes.take_shown(key.id(), |_| false, now).is_none());
        assert!(codes.take_shown(key.id(), |_| true, now + GOOD_FOR).is_none());
        let code = codes.make(OwnerId::ONLY, now).unwrap();
        let key = CodeKey::of(&code);
        assert_eq!(codes.take_shown(key.id(), |_| true, now).unwrap().0, OwnerId::ONLY);
        assert!(codes.take_shown(key.id(), |_| true, now).is_none() && codes.take(&code, now).is_none());
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
