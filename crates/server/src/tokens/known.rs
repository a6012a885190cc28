//! A cache of the tokens in use.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use model::TokenId;
use store::{Token, Verifier};

/// The largest number of tokens in the cache: more than a person's browsers and agents use at a time.
const MOST: usize = 512;

/// The use of a token is saved at most so often.
const TOUCH_EVERY: Duration = Duration::from_secs(60);

/// Tokens in use.
#[derive(Default)]
pub(super) struct Known {
    used: HashMap<TokenId, Used>,
    /// The owner's own token, which is not in the database.
    owner: Option<(Token, Verifier)>,
    owner_path: Option<PathBuf>,
    /// All tokens that were revoked since this process started. A look-up that began earlier may still return one.
    revoked: HashSet<TokenId>,
}

struct Used {
    token: Token,
    verifier: Verifier,
    last: Instant,
    touched: Option<Instant>,
}

impl Known {
    pub(super) fn find(&self, id: TokenId) -> Option<(Token, Verifier)> {
        if let Some(owner) = self.owner.as_ref().filter(|(token, _)| token.id == id) {
            return Some(owner.clone());
        }
        self.used.get(&id).map(|used| (used.token.clone(), used.verifier.clone()))
    }

    /// Remembers a token. If there are too many, forgets the one that was unused for longest.
    pub(super) fn remember(&mut self, token: Token, verifier: Verifier, now: Instant) {
        if self.revoked.contains(&token.id) {
            return;
        }
        if self.used.len() >= MOST && !self.used.contains_key(&token.id) {
            let oldest = self.used.iter().min_by_key(|(_, used)| used.last).map(|(&id, _)| id);
            oldest.map(|id| self.used.remove(&id));
        }
        self.used.insert(token.id, Used { token, verifier, last: now, touched: None });
    }

    pub(super) fn set_owner(&mut self, token: Token, hash: [u8; 32]) {
        self.owner = Some((token, Verifier::Hash(hash)));
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

    /// Revokes a token. Returns true if it was the owner's.
    pub(super) fn revoke(&mut self, id: TokenId) -> bool {
        self.revoked.insert(id);
        self.used.remove(&id);
        self.owner.take_if(|(token, _)| token.id == id).is_some()
    }

    pub(super) fn is_revoked(&self, id: TokenId) -> bool {
        self.revoked.contains(&id)
    }

    /// Notes a use. Returns true if it is time to save it.
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
    use model::OwnerId;
    use store::Scope;

    use super::*;

    fn token(number: u32) -> Token {
        let [a, b, c, d] = number.to_be_bytes().map(|byte| byte % 32);
        Token {
            id: TokenId::from_random([a, b, c, d, (number / 32 % 32) as u8, 0, 0, 0]),
            owner: OwnerId::ONLY,
            name: String::new(),
            scope: Scope::All,
            is_device: false,
            created_at: Timestamp::UNIX_EPOCH,
            expires_at: None,
            last_used_at: None,
            revoked_at: None,
        }
    }

    #[test]
    fn s12_the_cache_forgets_the_token_that_was_unused_for_longest() {
        let mut known = Known::default();
        let start = Instant::now();
        for number in 0..MOST as u32 {
            known.remember(
                token(number),
                Verifier::Hash([0; 32]),
                start + Duration::from_secs(number.into()),
            );
        }
        let later = start + Duration::from_secs(10_000);
        known.wants_touch(token(0).id, later);
        known.remember(token(1023), Verifier::Hash([0; 32]), later);
        assert_eq!(known.used.len(), MOST);
        assert!(known.find(token(0).id).is_some(), "token 0 was used again");
        assert!(known.find(token(1).id).is_none());
    }

    #[test]
    fn s6_the_cache_does_not_remember_a_revoked_token() {
        let mut known = Known::default();
        known.remember(token(1), Verifier::Hash([0; 32]), Instant::now());
        known.revoke(token(1).id);
        known.remember(token(1), Verifier::Hash([0; 32]), Instant::now());
        assert!(known.find(token(1).id).is_none());
    }

    #[test]
    fn the_use_of_a_token_is_saved_once_a_minute() {
        let mut known = Known::default();
        let start = Instant::now();
        known.remember(token(1), Verifier::Hash([0; 32]), start);
        assert!(known.wants_touch(token(1).id, start));
        assert!(!known.wants_touch(token(1).id, start + TOUCH_EVERY / 2));
        assert!(known.wants_touch(token(1).id, start + TOUCH_EVERY));
    }
}
