//! Tokens in use, remembered.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use model::TokenId;
use store::Token;

/// So many tokens are remembered; more than a person's browsers and agents use at a time.
const MOST: usize = 512;

/// Using a token is written down at most so often.
const TOUCH_EVERY: Duration = Duration::from_secs(60);

/// Tokens in use.
#[derive(Default)]
pub(super) struct Known {
    used: HashMap<TokenId, Used>,
    /// The owner's own, which the database does not have.
    owner: Option<(Token, [u8; 32])>,
    owner_path: Option<PathBuf>,
    /// All that were taken back while this process ran. A look-up that began before may still bring one.
    revoked: HashSet<TokenId>,
}

struct Used {
    token: Token,
    hash: [u8; 32],
    last: Instant,
    touched: Option<Instant>,
}

impl Known {
    pub(super) fn find(&self, id: TokenId) -> Option<(Token, [u8; 32])> {
        if let Some(owner) = self.owner.as_ref().filter(|(token, _)| token.id == id) {
            return Some(owner.clone());
        }
        self.used.get(&id).map(|used| (used.token.clone(), used.hash))
    }

    /// Remembers a token, and forgets the one that was not used for longest if there are too many.
    pub(super) fn remember(&mut self, token: Token, hash: [u8; 32], now: Instant) {
        if self.revoked.contains(&token.id) {
            return;
        }
        if self.used.len() >= MOST && !self.used.contains_key(&token.id) {
            let oldest = self.used.iter().min_by_key(|(_, used)| used.last).map(|(&id, _)| id);
            oldest.map(|id| self.used.remove(&id));
        }
        self.used.insert(token.id, Used { token, hash, last: now, touched: None });
    }

    pub(super) fn set_owner(&mut self, token: Token, hash: [u8; 32]) {
        self.owner = Some((token, hash));
    }

    pub(super) fn set_owner_path(&mut self, path: &Path) {
        self.owner_path = Some(path.to_owned());
    }

    pub(super) fn owner_path(&self) -> Option<PathBuf> {
        self.owner_path.clone()
    }

    pub(super) fn owner(&self) -> Option<Token> {
        self.owner.as_ref().map(|(token, _)| token.clone())
    }

    /// Takes a token back; true if it was the owner's.
    pub(super) fn revoke(&mut self, id: TokenId) -> bool {
        self.revoked.insert(id);
        self.used.remove(&id);
        self.owner.take_if(|(token, _)| token.id == id).is_some()
    }

    pub(super) fn is_revoked(&self, id: TokenId) -> bool {
        self.revoked.contains(&id)
    }

    /// Takes note of a use; true if it is time to write that down.
    pub(super) fn wants_touch(&mut self, id: TokenId, now: Instant) -> bool {
        let Some(used) = self.used.get_mut(&id) else { return false };
        used.last = now;
        let due = used.touched.is_none_or(|touched| now.duration_since(touched) >= TOUCH_EVERY);
        if due {
            used.touched = Some(now);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use store::Scope;

    use super::*;

    fn token(number: u32) -> Token {
        let [a, b, c, d] = number.to_be_bytes().map(|byte| byte % 32);
        Token {
            id: TokenId::from_random([a, b, c, d, (number / 32 % 32) as u8, 0, 0, 0]),
            name: String::new(),
            scope: Scope::All,
            created_at: Timestamp::UNIX_EPOCH,
            expires_at: None,
            last_used_at: None,
            revoked_at: None,
        }
    }

    #[test]
    fn s12_the_one_not_used_for_longest_is_forgotten() {
        let mut known = Known::default();
        let start = Instant::now();
        for number in 0..MOST as u32 {
            known.remember(token(number), [0; 32], start + Duration::from_secs(number.into()));
        }
        let later = start + Duration::from_secs(10_000);
        known.wants_touch(token(0).id, later);
        known.remember(token(1023), [0; 32], later);
        assert_eq!(known.used.len(), MOST);
        assert!(known.find(token(0).id).is_some(), "it was used again");
        assert!(known.find(token(1).id).is_none());
    }

    #[test]
    fn s6_a_token_taken_back_is_not_remembered_again() {
        let mut known = Known::default();
        known.remember(token(1), [0; 32], Instant::now());
        known.revoke(token(1).id);
        known.remember(token(1), [0; 32], Instant::now());
        assert!(known.find(token(1).id).is_none());
    }

    #[test]
    fn a_use_is_written_down_once_a_minute() {
        let mut known = Known::default();
        let start = Instant::now();
        known.remember(token(1), [0; 32], start);
        assert!(known.wants_touch(token(1).id, start));
        assert!(!known.wants_touch(token(1).id, start + TOUCH_EVERY / 2));
        assert!(known.wants_touch(token(1).id, start + TOUCH_EVERY));
    }
}
