//! Tokens: which ones are valid, and what each one permits.
//!
//! A device's token is a key that the device does not give away ([`Device`]). Any other token is 256 random bits, shown once ([`Secret`]). The database has their hash, a [`Scope`] and an expiry time.
//! [`Tokens`] remembers the tokens in use, so that a request needs no query. A request with a valid token has a
//! [`Principal`].
//!
//! The owner's own token is not in the database but in a file that the user's programs read ([`OwnerToken`]). So it
//! stays the same when the database is rebuilt, and stays valid when the database fails.

mod devices;
mod known;
mod owner_file;
mod principal;
mod secret;
mod token_store;

use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use model::{OwnerId, TokenId, display_safe};
use store::{Scope, StoreError, Token, Trouble, Verifier};
use subtle::ConstantTimeEq;
use thiserror::Error;
use tokio::sync::watch;

pub use devices::Device;
pub use owner_file::{OwnerToken, Place};
pub use principal::Principal;
pub use secret::{NotASecret, Secret};
pub use token_store::TokenStore;

use crate::gate::Clock;
use known::Known;

/// A token expires if it is not used for so long. The owner's token is an exception, because it is in a file.
const DISUSE: SignedDuration = SignedDuration::from_hours(90 * 24);

/// The longest name of a token. Longer names are cut, because names are shown in lists.
const MOST_NAME_CHARACTERS: usize = 80;

/// How often a socket checks its token's expiry at the latest, in case the system clock is changed.
const LOOK_AGAIN: Duration = Duration::from_secs(3600);

/// All tokens.
#[derive(Clone)]
pub struct Tokens(Arc<Inner>);

struct Inner {
    store: Arc<dyn TokenStore>,
    clock: Arc<dyn Clock>,
    known: Mutex<Known>,
    /// Wakes open sockets when a token is revoked.
    revoked: watch::Sender<()>,
}

/// A new token. Its secret is shown only now.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// The data that is stored.
    pub token: Token,
    /// The token itself.
    pub secret: Secret,
}

/// Why a token is refused.
#[derive(Debug, Error)]
pub enum CheckError {
    /// The token is unknown, wrong, expired or revoked. The answer does not say which.
    #[error("the token is not valid")]
    Wrong,
    /// The database does not answer.
    #[error("tokens cannot be looked up")]
    Unavailable(#[source] StoreError),
}

/// Why a token could not be made or revoked.
#[derive(Debug, Error)]
pub enum TokenError {
    /// The machine has no random bytes.
    #[error("the machine has no random bytes")]
    Random(#[source] home::StartError),
    /// The database refuses, or the token's worker does not exist.
    #[error("the token cannot be saved")]
    Store(#[source] StoreError),
    /// The disk refuses.
    #[error("the owner's token cannot be saved")]
    File(#[source] io::Error),
}

impl Tokens {
    /// Tokens that are kept in this store.
    pub fn new(store: Arc<dyn TokenStore>, clock: Arc<dyn Clock>) -> Tokens {
        let (revoked, _) = watch::channel(());
        Tokens(Arc::new(Inner { store, clock, known: Mutex::default(), revoked }))
    }

    /// Finds the principal of a secret.
    ///
    /// # Errors
    ///
    /// When the secret is wrong, or the database does not answer.
    pub async fn check(&self, secret: &Secret) -> Result<Principal, CheckError> {
        let (token, verifier) = self.find(secret.id()).await?;
        match verifier {
            Verifier::Hash(hash) if bool::from(hash.ct_eq(&secret.hash())) => self.use_of(&token),
            _ => Err(CheckError::Wrong),
        }
    }

    /// A token and what it is checked with.
    async fn find(&self, id: TokenId) -> Result<(Token, Verifier), CheckError> {
        let found = self.known().find(id);
        match found {
            Some(found) => Ok(found),
            None => self.load(id).await,
        }
    }

    /// Notes the use of a token that has been shown rightly. It may still be over.
    fn use_of(&self, token: &Token) -> Result<Principal, CheckError> {
        if self.is_over(token) {
            return Err(CheckError::Wrong);
        }
        self.touch(token.owner, token.id);
        Ok(Principal::of(token))
    }

    /// Makes a token for an owner.
    ///
    /// # Errors
    ///
    /// When there are no random bytes, or the database refuses.
    pub async fn make(
        &self,
        owner: OwnerId,
        name: &str,
        scope: Scope,
        expires_at: Option<Timestamp>,
    ) -> Result<NewToken, TokenError> {
        let secret = Secret::random().map_err(TokenError::Random)?;
        let verifier = Verifier::Hash(secret.hash());
        let new = store::NewToken { name: short(name), scope, verifier, expires_at };
        let token = self.add(owner, new).await?;
        Ok(NewToken { secret: secret.with_id(token.id), token })
    }

    async fn add(&self, owner: OwnerId, new: store::NewToken) -> Result<Token, TokenError> {
        let now = self.0.clock.wall();
        self.blocking(move |store| store.add_token(owner, &new, now)).await.map_err(TokenError::Store)
    }

    /// Revokes an owner's token. Its sockets are closed at once, even if the disk fails. Returns false if the owner has
    /// no such token. If it is the owner's own token, a new one replaces it in its file.
    ///
    /// # Errors
    ///
    /// When the disk refuses. The token is then revoked only until the server restarts.
    pub async fn revoke(&self, owner: OwnerId, id: TokenId) -> Result<bool, TokenError> {
        if self.is_anothers(owner, id).await {
            return Ok(false);
        }
        let was_owners = self.known().revoke(id);
        self.0.revoked.send_replace(());
        if was_owners {
            return self.replace_owner().await.map(|()| true);
        }
        let now = self.0.clock.wall();
        match self.blocking(move |store| store.revoke_token(owner, id, now)).await {
            Ok(_) => Ok(true),
            Err(StoreError::NotFound { .. }) => Ok(false),
            Err(error) => Err(TokenError::Store(error)),
        }
    }

    /// All tokens of an owner, without their secrets. The one in the file comes first.
    ///
    /// # Errors
    ///
    /// When the database does not answer.
    pub async fn list(&self, owner: OwnerId) -> Result<Vec<Token>, StoreError> {
        let kept = self.blocking(move |store| store.tokens(owner)).await?;
        let in_file = self.known().owner().filter(|token| token.owner == owner);
        Ok(in_file.into_iter().chain(kept).collect())
    }

    /// Whether a token belongs to another owner. If the database does not answer, it does not.
    async fn is_anothers(&self, owner: OwnerId, id: TokenId) -> bool {
        let known = self.known().find(id);
        let token = match known {
            Some(known) => Some(known),
            None => self.blocking(move |store| store.token_for_check(id)).await.ok().flatten(),
        };
        token.is_some_and(|(token, _)| token.owner != owner)
    }

    /// Ends when a principal's token is revoked or expires. Serving a socket must wait for this too.
    pub fn over(&self, principal: &Principal) -> impl Future<Output = ()> + Send + 'static {
        let tokens = self.clone();
        let (id, expires_at) = (principal.token, principal.expires_at);
        // Subscribe before the first check, so that no revocation is missed.
        let mut revoked = tokens.0.revoked.subscribe();
        async move {
            loop {
                let left = expires_at.map(|end| end.duration_since(tokens.0.clock.wall()));
                if tokens.known().is_revoked(id) || left.is_some_and(|left| !left.is_positive()) {
                    return;
                }
                let left = left.map_or(LOOK_AGAIN, SignedDuration::unsigned_abs).min(LOOK_AGAIN);
                tokio::select! {
                    _ = revoked.changed() => {}
                    () = tokens.0.clock.wait(left) => {}
                }
            }
        }
    }

    /// Looks a token up and remembers it.
    async fn load(&self, id: TokenId) -> Result<(Token, Verifier), CheckError> {
        let found =
            self.blocking(move |store| store.token_for_check(id)).await.map_err(CheckError::Unavailable)?;
        let (token, verifier) = found.ok_or(CheckError::Wrong)?;
        // Only tokens that are not remembered can be out of use. So a change of the clock does not end the tokens in
        // use.
        let used = token.last_used_at.unwrap_or(token.created_at);
        if self.0.clock.wall().duration_since(used) >= DISUSE {
            return Err(CheckError::Wrong);
        }
        self.known().remember(token.clone(), verifier.clone(), self.0.clock.now());
        Ok((token, verifier))
    }

    fn is_over(&self, token: &Token) -> bool {
        !token.is_valid(self.0.clock.wall()) || self.known().is_revoked(token.id)
    }

    /// Saves from time to time that a token is in use. It runs in the background, and a failure does no harm.
    fn touch(&self, owner: OwnerId, id: TokenId) {
        if self.known().wants_touch(id, self.0.clock.now()) {
            let (store, now) = (self.0.store.clone(), self.0.clock.wall());
            tokio::task::spawn_blocking(move || store.touch_token(owner, id, now));
        }
    }

    async fn blocking<T: Send + 'static>(
        &self,
        call: impl FnOnce(&dyn TokenStore) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = self.0.store.clone();
        match tokio::task::spawn_blocking(move || call(&*store)).await {
            Ok(done) => done,
            Err(stopped) if stopped.is_panic() => std::panic::resume_unwind(stopped.into_panic()),
            // The runtime is shutting down.
            Err(_) => Err(StoreError::Unavailable { reason: Trouble::OutOfReach }),
        }
    }

    /// Never hold this lock while doing anything else.
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A name that is safe to show and not too long.
fn short(name: &str) -> String {
    display_safe(name).chars().take(MOST_NAME_CHARACTERS).collect()
}

#[cfg(test)]
mod tests;
