//! How a connection stands with the server.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use api::Problem;
use axum::extract::connect_info::Connected;
use axum::serve::IncomingStream;

use super::Doors;
use super::anonymous::{Anonymous, Side};
use super::stream::Address;
use crate::shares::{Ending, Permits, Place, Share};

const ANONYMOUS: u8 = 0;
const ADMITTED: u8 = 1;
const SENT_AWAY: u8 = 2;

/// Whether a connection may go on without having sent a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// For a while.
    Anonymous,
    /// It has sent one.
    Admitted,
    /// Not any more.
    SentAway,
}

/// How a connection stands with the server.
#[derive(Debug)]
pub(super) struct Standing {
    admission: AtomicU8,
    side: Side,
    /// Set when the token that the connection brought is over. Its waker wakes the connection.
    pub(super) ending: Arc<Ending>,
    /// The client may still be sending a body that was refused.
    pub(super) sends_on: AtomicBool,
    /// Whether the connection is a guest's. If it is, it must not be read too slowly.
    pub(super) is_guests: AtomicBool,
    /// Whether it serves a socket, which ends with a reason.
    is_socket: AtomicBool,
    /// How many requests are being worked on.
    working: AtomicUsize,
    /// How many answers are being sent.
    answering: AtomicUsize,
    held: Mutex<Held>,
}

/// What a connection holds of its token's share.
#[derive(Debug, Default)]
struct Held {
    place: Option<Place>,
    /// For the request that is being answered.
    request: Option<Permits>,
}

impl Standing {
    pub(super) fn new(side: Side) -> Standing {
        Standing {
            admission: AtomicU8::new(ANONYMOUS),
            side,
            ending: Arc::default(),
            sends_on: AtomicBool::new(false),
            is_guests: AtomicBool::new(false),
            is_socket: AtomicBool::new(false),
            working: AtomicUsize::new(0),
            answering: AtomicUsize::new(0),
            held: Mutex::default(),
        }
    }

    pub(super) fn side(&self) -> Side {
        self.side
    }

    pub(super) fn admission(&self) -> Admission {
        match self.admission.load(Ordering::Acquire) {
            ANONYMOUS => Admission::Anonymous,
            ADMITTED => Admission::Admitted,
            _ => Admission::SentAway,
        }
    }

    /// It has lost its place.
    pub(super) fn send_away(&self) {
        self.leave(SENT_AWAY);
    }

    /// It is no longer anonymous, one way or the other; the first way counts.
    fn leave(&self, to: u8) {
        let _ = self.admission.compare_exchange(ANONYMOUS, to, Ordering::AcqRel, Ordering::Acquire);
        self.ending.waker.wake();
    }

    /// Whether an answer or the reason for the end of a socket is still to be sent.
    pub(super) fn is_working(&self) -> bool {
        self.working.load(Ordering::Acquire) > 0 || self.is_socket.load(Ordering::Acquire)
    }

    pub(super) fn is_answering(&self) -> bool {
        self.answering.load(Ordering::Acquire) > 0
    }

    /// Everything that was answered so far has been sent.
    pub(super) fn sent_all(&self) {
        if !self.is_working() && !self.is_answering() {
            self.held().request = None;
        }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who is at the other end of a connection.
#[derive(Clone, Debug)]
pub struct Peer {
    address: Address,
    pub(super) standing: Arc<Standing>,
    anonymous: Arc<Anonymous>,
}

impl Peer {
    pub(super) fn new(address: Address, side: Side, anonymous: &Arc<Anonymous>) -> Peer {
        let standing = Arc::new(Standing::new(side));
        anonymous.enter(&standing);
        Peer { address, standing, anonymous: anonymous.clone() }
    }

    /// Where it comes from.
    pub fn address(&self) -> Address {
        self.address
    }

    /// Whether it came over the Unix socket.
    pub(crate) fn is_at_socket(&self) -> bool {
        self.address == Address::Socket
    }

    /// Whether it is known to be the user that the server runs as.
    pub(crate) fn is_own_user(&self) -> bool {
        self.standing.side == Side::Own
    }

    /// It has brought a right secret: from now on it may stay, on the share of its token.
    ///
    /// # Errors
    ///
    /// When the share has no place left.
    pub(crate) fn admit(&self, share: &Arc<Share>) -> Result<(), Problem> {
        let mut held = self.standing.held();
        if !held.place.as_ref().is_some_and(|place| place.is_in(share)) {
            let place = share.connect(&self.standing.ending)?;
            let before = held.place.replace(place);
            drop(held);
            drop(before);
        } else {
            drop(held);
        }
        self.standing.is_guests.store(share.is_guest(), Ordering::Release);
        if self.standing.admission() == Admission::Anonymous {
            self.standing.leave(ADMITTED);
            self.anonymous.forget(&self.standing);
        }
        Ok(())
    }

    /// Whether it is on the share of a token.
    pub(crate) fn has_place(&self) -> bool {
        self.standing.held().place.is_some()
    }

    /// The server answers without having read the whole body. So it reads on before it closes the connection: if it
    /// closed at once, the system would answer the rest of the body with a reset, and the client could lose the answer.
    pub(crate) fn read_on(&self) {
        self.standing.sends_on.store(true, Ordering::Release);
    }

    /// A request is worked on until this is dropped. If the token ends meanwhile, the connection stays open
    /// for a moment, for the answer.
    pub(crate) fn work(&self) -> Working {
        self.standing.working.fetch_add(1, Ordering::AcqRel);
        Working(self.standing.clone())
    }

    /// The connection holds these until its answer has been sent.
    pub(crate) fn hold(&self, request: Permits) {
        self.standing.held().request = Some(request);
    }

    /// The connection serves a socket now, and holds nothing for a request any more.
    pub(crate) fn becomes_socket(&self) {
        self.standing.is_socket.store(true, Ordering::Release);
        self.standing.held().request = None;
    }

    /// An answer is being sent until this is dropped. If the token ends meanwhile, the connection is closed at once.
    pub(crate) fn answer(&self) -> Answering {
        self.standing.answering.fetch_add(1, Ordering::AcqRel);
        Answering(self.standing.clone())
    }

    /// The connection is closed.
    pub(super) fn left(&self) {
        self.anonymous.forget(&self.standing);
        *self.standing.held() = Held::default();
    }
}

impl Connected<IncomingStream<'_, Doors>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Doors>) -> Peer {
        stream.io().peer().clone()
    }
}

/// See [`Peer::work`].
#[derive(Debug)]
pub(crate) struct Working(Arc<Standing>);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.working.fetch_sub(1, Ordering::AcqRel);
        if self.0.ending.is_over() {
            self.0.ending.waker.wake();
        }
    }
}

/// See [`Peer::answer`].
#[derive(Debug)]
pub(crate) struct Answering(Arc<Standing>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.answering.fetch_sub(1, Ordering::AcqRel);
    }
}
