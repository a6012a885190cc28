//! What each token uses of the server, and how much it may.
//!
//! Everything that the holder of a token opens hangs on the token's [`Share`]: connections, sockets, requests, exports,
//! threads. A *guest* is the holder of a token that does not permit everything. A guest has a limit for each of these,
//! and all guests together have one, so that neither one guest nor many can keep the owner waiting. Work for guests is
//! done by less urgent threads. When a token is revoked or expires, everything on its share ends at once.

mod guests;
mod limits;
mod pace;
mod share;
mod threads;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use api::{ErrorCode, Problem};
use model::TokenId;

pub(crate) use limits::BODY_WITHIN;
pub(crate) use share::{Ending, Permits, Place, Share};

use crate::tokens::{Principal, Tokens};
use guests::{Guests, Paced};

/// How many shares are remembered. Those that are not in use are forgotten when there are more.
const MOST_REMEMBERED: usize = 1024;

/// The shares of all tokens in use.
#[derive(Debug)]
pub(crate) struct Shares {
    all: Mutex<HashMap<TokenId, Arc<Share>>>,
    guests: Arc<Guests>,
    strangers: Paced,
}

impl Shares {
    /// The shares of a server with so many connections; no token has one yet.
    pub(crate) fn new(all_connections: usize) -> Shares {
        Shares {
            all: Mutex::default(),
            guests: Arc::new(Guests::new(all_connections)),
            strangers: Paced::new(limits::STRANGERS_RATE),
        }
    }

    /// The share of a principal. Must be called inside the runtime.
    pub(crate) fn of(&self, who: &Principal, tokens: &Tokens) -> Arc<Share> {
        let mut all = self.all();
        if let Some(share) = all.get(&who.token) {
            return share.clone();
        }
        if all.len() >= MOST_REMEMBERED {
            all.retain(|_, share| Arc::strong_count(share) > 1);
        }
        let guests = (!who.is_owner()).then(|| self.guests.clone());
        let share = Arc::new(Share::new(who.token, guests));
        all.insert(who.token, share.clone());
        let (over, dropped, watched) = (tokens.over(who), share.dropped(), Arc::downgrade(&share));
        tokio::spawn(async move {
            tokio::select! {
                () = over => if let Some(share) = watched.upgrade() { share.end() },
                () = dropped => {}
            }
        });
        share
    }

    /// Ends everything that hangs on a token. Returns its share, if the token was in use.
    pub(crate) fn end(&self, token: TokenId) -> Option<Arc<Share>> {
        let share = self.all().get(&token).cloned();
        if let Some(share) = &share {
            share.end();
        }
        share
    }

    /// Waits until a request without a secret may be answered, if it does not come from the server's own user.
    ///
    /// # Errors
    ///
    /// When that would take too long.
    pub(crate) async fn stranger(&self) -> Result<(), Problem> {
        let Some(wait) = self.strangers.wait(1, Instant::now()) else {
            let per_second = limits::STRANGERS_RATE.per_second;
            let words =
                format!("other users of this machine may send at most {per_second} requests a second");
            return Err(Problem::new(ErrorCode::TooMany, words).hint("sign in, or try again in a moment"));
        };
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        Ok(())
    }

    fn all(&self) -> MutexGuard<'_, HashMap<TokenId, Arc<Share>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
