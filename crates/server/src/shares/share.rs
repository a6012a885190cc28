//! The share of one token.

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use api::{ErrorCode, Problem};
use futures_util::task::AtomicWaker;
use model::{TokenId, WorkerId};
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::guests::{Counted, Guests, Paced};
use super::limits::{self, Fast, MOST_WAIT, Most};

/// What one token uses of the server: everything that its holder opens hangs on it. It ends everything at once when the
/// token is revoked or expires.
#[derive(Debug)]
pub(crate) struct Share {
    token: TokenId,
    /// Nothing for the owner, whose use has hardly any limits.
    guest: Option<Guest>,
    exports: Counted,
    over: watch::Sender<bool>,
    connections: Mutex<Connections>,
    /// The workers whose hosts were told that the token is over.
    told: Mutex<HashSet<WorkerId>>,
}

/// What a guest uses, and what all guests use together.
#[derive(Debug)]
struct Guest {
    all: Arc<Guests>,
    connections: Counted,
    requests: Counted,
    reads: Counted,
    request_rate: Paced,
    attach_rate: Paced,
    message_rate: Paced,
}

#[derive(Debug, Default)]
struct Connections {
    next: u64,
    open: HashMap<u64, Arc<Ending>>,
}

/// Tells one connection that its token is over.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    is_over: AtomicBool,
    /// The task that serves the connection.
    pub(crate) waker: AtomicWaker,
}

/// The place of a connection in a share. Dropping it frees the place.
#[derive(Debug)]
pub(crate) struct Place {
    share: Arc<Share>,
    number: u64,
    _permits: Permits,
}

/// A right to use something that is limited. Dropping it gives it back.
#[derive(Debug, Default)]
pub(crate) struct Permits {
    _one: Option<OwnedSemaphorePermit>,
    _all: Option<OwnedSemaphorePermit>,
}

impl Share {
    pub(super) fn new(token: TokenId, guests: Option<Arc<Guests>>) -> Share {
        let most_exports = if guests.is_some() { limits::EXPORTS.one } else { limits::OWNERS_EXPORTS };
        let guest = guests.map(|all| Guest {
            all,
            connections: Counted::new(limits::CONNECTIONS.one),
            requests: Counted::new(limits::REQUESTS.one),
            reads: Counted::new(limits::READS.one),
            request_rate: Paced::new(limits::REQUEST_RATE.one),
            attach_rate: Paced::new(limits::ATTACH_RATE.one),
            message_rate: Paced::new(limits::MESSAGE_RATE.one),
        });
        Share {
            token,
            guest,
            exports: Counted::new(most_exports),
            over: watch::Sender::new(false),
            connections: Mutex::default(),
            told: Mutex::default(),
        }
    }

    /// The token.
    pub(crate) fn token(&self) -> TokenId {
        self.token
    }

    /// Whether it is the share of a guest.
    pub(crate) fn is_guest(&self) -> bool {
        self.guest.is_some()
    }

    /// Whether the token was revoked or has expired.
    pub(crate) fn is_over(&self) -> bool {
        *self.over.borrow()
    }

    /// Ends when the token is revoked or expires.
    pub(crate) fn over(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut over = self.over.subscribe();
        async move {
            // If the share is gone, nothing of it is left to end.
            if over.wait_for(|over| *over).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Whether a worker's host is still to be told that the token is over. The caller tells it.
    pub(crate) fn is_to_be_told(&self, worker: WorkerId) -> bool {
        self.is_over() && self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(worker)
    }

    /// Ends when the share itself is dropped.
    pub(super) fn dropped(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut over = self.over.subscribe();
        async move { while over.changed().await.is_ok() {} }
    }

    /// Ends everything: the token is over.
    pub(super) fn end(&self) {
        self.over.send_replace(true);
        for ending in self.connections().open.values() {
            ending.is_over.store(true, Ordering::Release);
            ending.waker.wake();
        }
    }

    /// Takes a place for a connection.
    ///
    /// # Errors
    ///
    /// When the guest has as many as it may, or all guests have.
    pub(crate) fn connect(self: &Arc<Share>, ending: &Arc<Ending>) -> Result<Place, Problem> {
        let permits = match &self.guest {
            None => Permits::default(),
            Some(guest) => {
                let most = guest.all.most_connections;
                guest.connections.now_of(&guest.all.connections, most, "connections")?
            }
        };
        let mut connections = self.connections();
        connections.next += 1;
        let number = connections.next;
        connections.open.insert(number, ending.clone());
        drop(connections);
        if self.is_over() {
            ending.is_over.store(true, Ordering::Release);
        }
        Ok(Place { share: self.clone(), number, _permits: permits })
    }

    /// Waits until a request may be answered.
    ///
    /// # Errors
    ///
    /// When that would take too long.
    pub(crate) async fn request(&self) -> Result<Permits, Problem> {
        let Some(guest) = &self.guest else { return Ok(Permits::default()) };
        guest.pace(&guest.request_rate, &guest.all.request_rate, 1, "requests", limits::REQUEST_RATE).await?;
        guest.requests.soon_of(&guest.all.requests, "requests under way", limits::REQUESTS).await
    }

    /// Waits until a recording may be read.
    ///
    /// # Errors
    ///
    /// When that would take too long.
    pub(crate) async fn read(&self) -> Result<Permits, Problem> {
        let Some(guest) = &self.guest else { return Ok(Permits::default()) };
        guest.reads.soon_of(&guest.all.reads, "recordings being read", limits::READS).await
    }

    /// Takes a place for an export.
    ///
    /// # Errors
    ///
    /// When the token has as many as it may, or all guests have.
    pub(crate) fn export(&self) -> Result<Permits, Problem> {
        match &self.guest {
            None => self.exports.now(limits::OWNERS_EXPORTS, "exports"),
            Some(guest) => self.exports.now_of(&guest.all.exports, limits::EXPORTS, "exports"),
        }
    }

    /// Waits until a socket may attach.
    pub(crate) async fn attach(&self) -> Result<(), Problem> {
        let Some(guest) = &self.guest else { return Ok(()) };
        guest.pace(&guest.attach_rate, &guest.all.attach_rate, 1, "attaches", limits::ATTACH_RATE).await
    }

    /// Waits until a socket's message of this length may be passed on.
    pub(crate) async fn message(&self, length: usize) {
        let Some(guest) = &self.guest else { return };
        let cost = 1 + u32::try_from(length / 1024).unwrap_or(u32::MAX / 2);
        // A message that would have to wait for very long waits as long as one may, and costs nothing more.
        let paced = guest.pace(&guest.message_rate, &guest.all.message_rate, cost, "", limits::MESSAGE_RATE);
        if paced.await.is_err() {
            tokio::time::sleep(MOST_WAIT).await;
        }
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Guest {
    async fn pace(&self, one: &Paced, all: &Paced, cost: u32, what: &str, fast: Fast) -> Result<(), Problem> {
        let now = Instant::now();
        let own = one.wait(cost, now).ok_or_else(|| too_fast(what, fast.one.per_second, "one token"))?;
        let shared =
            all.wait(cost, now).ok_or_else(|| busy(what, fast.all.per_second as usize, " a second"))?;
        let wait = own.max(shared);
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        Ok(())
    }
}

impl Counted {
    /// A permit now, or an error.
    fn now(&self, most: usize, what: &str) -> Result<Permits, Problem> {
        let one = self.try_take().ok_or_else(|| too_many(what, most))?;
        Ok(Permits { _one: Some(one), _all: None })
    }

    /// A permit of one guest and one of all guests now, or an error.
    fn now_of(&self, all: &Counted, most: Most, what: &str) -> Result<Permits, Problem> {
        let one = self.try_take().ok_or_else(|| too_many(what, most.one))?;
        let all = all.try_take().ok_or_else(|| busy(what, most.all, ""))?;
        Ok(Permits { _one: Some(one), _all: Some(all) })
    }

    /// The same, but waits a while. The guest's own comes first, so that it waits for itself before others wait for it.
    async fn soon_of(&self, all: &Counted, what: &str, most: Most) -> Result<Permits, Problem> {
        let both = async {
            let one = self.take().await;
            Permits { _one: one, _all: all.take().await }
        };
        tokio::time::timeout(MOST_WAIT, both).await.map_err(|_| busy(what, most.all, ""))
    }
}

/// A guest has as many of something as it may.
fn too_many(what: &str, most: usize) -> Problem {
    Problem::new(ErrorCode::TooMany, format!("this token may have at most {most} {what} at a time"))
        .hint("close some of them first")
}

/// Too much is waiting.
fn too_fast(what: &str, per_second: u32, whose: &str) -> Problem {
    Problem::new(ErrorCode::TooMany, format!("{whose} may have at most {per_second} {what} a second"))
        .hint("wait a moment, and ask less often")
}

/// All guests together have as much as they may.
fn busy(what: &str, most: usize, unit: &str) -> Problem {
    let words = format!("tokens for single workers may have at most {most} {what}{unit} together");
    Problem::new(ErrorCode::Unavailable, words).hint("try again in a moment")
}

impl Ending {
    /// Whether the token is over.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }
}

impl Place {
    /// Whether it is a place in this share.
    pub(crate) fn is_in(&self, share: &Arc<Share>) -> bool {
        Arc::ptr_eq(&self.share, share)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.share.connections().open.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn token(number: u8) -> TokenId {
        TokenId::from_random([number; 8])
    }

    /// The shares of some guests, on a server with so many connections.
    fn guests(all_connections: usize, many: u8) -> Vec<Arc<Share>> {
        let all = Arc::new(Guests::new(all_connections));
        (0..many).map(|number| Arc::new(Share::new(token(number), Some(all.clone())))).collect()
    }

    fn connect(share: &Arc<Share>) -> Result<Place, ErrorCode> {
        share.connect(&Arc::default()).map_err(|problem| problem.code())
    }

    #[test]
    fn s19_guests_have_at_most_half_of_all_connections_and_the_owner_is_not_counted() {
        let guests = guests(8, 2);
        let places: Vec<_> = (0..4).map(|number| connect(&guests[number % 2])).collect();
        assert!(places.iter().all(Result::is_ok));
        assert_eq!(connect(&guests[0]).unwrap_err(), ErrorCode::Unavailable);
        let owner = Arc::new(Share::new(token(9), None));
        let owners: Vec<_> = (0..1000).map(|_| connect(&owner)).collect();
        assert!(owners.iter().all(Result::is_ok));
        drop(places);
        assert!(connect(&guests[0]).is_ok(), "a place that is free again");
    }

    #[test]
    fn s19_all_guests_together_have_a_limit_of_exports() {
        let guests = guests(8192, 5);
        let begun: Vec<Permits> =
            (0..limits::EXPORTS.all).map(|number| guests[number / 2].export().unwrap()).collect();
        assert_eq!(guests[0].export().unwrap_err().code(), ErrorCode::TooMany);
        assert_eq!(guests[4].export().unwrap_err().code(), ErrorCode::Unavailable);
        drop(begun);
        assert!(guests[4].export().is_ok());
    }

    #[tokio::test]
    async fn s19_a_request_waits_for_its_turn() {
        let guests = guests(8192, 2);
        let mut held = Vec::new();
        for _ in 0..limits::REQUESTS.one {
            held.push(guests[0].request().await.unwrap());
        }
        let mut waiting = Box::pin(guests[0].request());
        assert!((&mut waiting).now_or_never().is_none(), "this guest has as many as it may");
        assert!(guests[1].request().await.is_ok(), "another guest does not wait");
        held.pop();
        waiting.await.unwrap();
    }

    #[tokio::test]
    async fn s19_the_end_of_a_token_reaches_all_its_connections_and_those_that_come_later() {
        let share = Arc::new(Share::new(token(1), None));
        let other = Arc::new(Share::new(token(2), None));
        let [first, moved, late] = [(); 3].map(|()| Arc::<Ending>::default());
        let _first = share.connect(&first).unwrap();
        // A request with another token came on this connection since.
        drop(share.connect(&moved).unwrap());
        let _moved = other.connect(&moved).unwrap();
        let over = share.over();
        share.end();
        over.await;
        let _late = share.connect(&late).unwrap();
        assert_eq!([first.is_over(), moved.is_over(), late.is_over()], [true, false, true]);
        let worker = WorkerId::from_random([1; 8]);
        assert!(share.is_to_be_told(worker) && !share.is_to_be_told(worker) && !other.is_to_be_told(worker));
    }
}
