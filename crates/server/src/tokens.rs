//! Tokens: who may come in, and how far.
//!
//! A token is 256 random bits that are shown once ([`Secret`]). The database has their hash, a [`Scope`], and until when
//! they are right; [`Tokens`] remembers those in use, so that a request costs no query. Whoever comes in is a
//! [`Principal`].
//!
//! The owner's own token is not in the database but in a file that the user's programs read ([`OwnerToken`]), so that it
//! stays the same when the database is rebuilt, and right when the database refuses.

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
use model::{TokenId, display_safe};
use store::{Scope, StoreError, Token, Trouble};
use subtle::ConstantTimeEq;
use thiserror::Error;
use tokio::sync::watch;

pub use owner_file::{OwnerToken, Place};
pub use principal::Principal;
pub use secret::{NotASecret, Secret};
pub use token_store::TokenStore;

use crate::gate::Pace;
use known::Known;

/// A token that nobody used for so long is no longer right. The owner's is an exception: it lies in a file.
const DISUSE: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Names are for lists; longer ones are cut.
const MOST_NAME_CHARACTERS: usize = 80;

/// A socket looks at its token's end at least so often, should the clock be set.
const LOOK_AGAIN: Duration = Duration::from_secs(3600);

/// All tokens.
#[derive(Clone)]
pub struct Tokens(Arc<Inner>);

struct Inner {
    store: Arc<dyn TokenStore>,
    pace: Arc<dyn Pace>,
    known: Mutex<Known>,
    /// Wakes open sockets when a token is taken back.
    revoked: watch::Sender<()>,
}

/// A token that was just made. Its secret is shown now or never.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// What is kept of it.
    pub token: Token,
    /// The token itself.
    pub secret: Secret,
}

/// Why a token does not open the door.
#[derive(Debug, Error)]
pub enum CheckError {
    /// It is unknown, wrong, expired or taken back; nobody is told which.
    #[error("the token is not right")]
    Wrong,
    /// The database does not answer, so nobody knows.
    #[error("tokens cannot be looked up")]
    Unavailable(#[source] StoreError),
}

/// Why there is no new token, or why an old one is not taken back for good.
#[derive(Debug, Error)]
pub enum TokenError {
    /// The machine has no random bytes.
    #[error("the machine has no random bytes")]
    Random(#[source] home::StartError),
    /// The database refuses, or the worker that it shall open is not there.
    #[error("the token cannot be saved")]
    Store(#[source] StoreError),
    /// The disk refuses.
    #[error("the owner's token cannot be saved")]
    File(#[source] io::Error),
}

impl Tokens {
    /// The tokens that a database knows.
    pub fn new(store: Arc<dyn TokenStore>, pace: Arc<dyn Pace>) -> Tokens {
        let (revoked, _) = watch::channel(());
        Tokens(Arc::new(Inner { store, pace, known: Mutex::default(), revoked }))
    }

    /// Whose secret it is.
    ///
    /// # Errors
    ///
    /// When it is not right, or the database cannot say.
    pub async fn check(&self, secret: &Secret) -> Result<Principal, CheckError> {
        let id = secret.id();
        let found = self.known().find(id);
        let (token, hash) = match found {
            Some(found) => found,
            None => self.load(id).await?,
        };
        if !bool::from(hash.ct_eq(&secret.hash())) || self.is_over(&token) {
            return Err(CheckError::Wrong);
        }
        self.touch(id);
        Ok(Principal::of(&token))
    }

    /// Makes a token.
    ///
    /// # Errors
    ///
    /// When there are no random bytes, or the database refuses.
    pub async fn make(
        &self,
        name: &str,
        scope: Scope,
        expires_at: Option<Timestamp>,
    ) -> Result<NewToken, TokenError> {
        let secret = Secret::random().map_err(TokenError::Random)?;
        let new = store::NewToken { name: short(name), scope, hash: secret.hash(), expires_at };
        let now = self.0.pace.wall();
        let token =
            self.blocking(move |store| store.add_token(&new, now)).await.map_err(TokenError::Store)?;
        Ok(NewToken { secret: secret.with_id(token.id), token })
    }

    /// Takes a token back. Whoever came in with it is sent away at once, also when the disk refuses to save that; false
    /// if there is no such token. For the owner's own there is a new one in its file then.
    ///
    /// # Errors
    ///
    /// When the disk refuses: the token is then taken back until the server starts again.
    pub async fn revoke(&self, id: TokenId) -> Result<bool, TokenError> {
        let was_owners = self.known().revoke(id);
        self.0.revoked.send_replace(());
        if was_owners {
            return self.replace_owner().await.map(|()| true);
        }
        let now = self.0.pace.wall();
        match self.blocking(move |store| store.revoke_token(id, now)).await {
            Ok(_) => Ok(true),
            Err(StoreError::NotFound { .. }) => Ok(false),
            Err(error) => Err(TokenError::Store(error)),
        }
    }

    /// All tokens, the owner's first, without their secrets.
    ///
    /// # Errors
    ///
    /// When the database does not answer.
    pub async fn list(&self) -> Result<Vec<Token>, StoreError> {
        let kept = self.blocking(TokenStore::tokens).await?;
        Ok(self.known().owner().into_iter().chain(kept).collect())
    }

    /// Comes to an end when a principal's token is taken back or expires. Whoever serves a socket waits for this too.
    pub fn over(&self, principal: &Principal) -> impl Future<Output = ()> + Send + 'static {
        let tokens = self.clone();
        let (id, expires_at) = (principal.token, principal.expires_at);
        // Subscribed before the first look, so that nothing falls between the two.
        let mut revoked = tokens.0.revoked.subscribe();
        async move {
            loop {
                let left = expires_at.map(|end| end.duration_since(tokens.0.pace.wall()));
                if tokens.known().is_revoked(id) || left.is_some_and(|left| !left.is_positive()) {
                    return;
                }
                let left = left.map_or(LOOK_AGAIN, SignedDuration::unsigned_abs).min(LOOK_AGAIN);
                tokio::select! {
                    _ = revoked.changed() => {}
                    () = tokens.0.pace.wait(left) => {}
                }
            }
        }
    }

    /// Looks a token up and remembers it.
    async fn load(&self, id: TokenId) -> Result<(Token, [u8; 32]), CheckError> {
        let found =
            self.blocking(move |store| store.token_for_check(id)).await.map_err(CheckError::Unavailable)?;
        let (token, hash) = found.ok_or(CheckError::Wrong)?;
        // One that is remembered is in use, so only here can it turn out to be disused, and setting the clock does
        // not end all of them at once.
        let used = token.last_used_at.unwrap_or(token.created_at);
        if self.0.pace.wall().duration_since(used) >= DISUSE {
            return Err(CheckError::Wrong);
        }
        self.known().remember(token.clone(), hash, self.0.pace.now());
        Ok((token, hash))
    }

    fn is_over(&self, token: &Token) -> bool {
        !token.is_valid(self.0.pace.wall()) || self.known().is_revoked(token.id)
    }

    /// Takes note that a token is in use, now and then. Nobody waits for it, and it matters little if it fails.
    fn touch(&self, id: TokenId) {
        if self.known().wants_touch(id, self.0.pace.now()) {
            let (store, now) = (self.0.store.clone(), self.0.pace.wall());
            tokio::task::spawn_blocking(move || store.touch_token(id, now));
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
            // The runtime is being shut down, and nobody waits for the answer.
            Err(_) => Err(StoreError::Unavailable { reason: Trouble::OutOfReach }),
        }
    }

    /// Never held over anything but itself.
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A name that can be shown, and is not much longer than people's own.
fn short(name: &str) -> String {
    display_safe(name).chars().take(MOST_NAME_CHARACTERS).collect()
}

#[cfg(test)]
mod tests;
