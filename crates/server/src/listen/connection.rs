//! One connection, and what it may do before it has brought a secret.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::extract::connect_info::Connected;
use axum::serve::IncomingStream;
use futures_util::task::AtomicWaker;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Sleep;

use super::{Doors, Limits};

const ANONYMOUS: u8 = 0;
const ADMITTED: u8 = 1;
const SENT_AWAY: u8 = 2;

/// Connections that have brought no secret yet, the oldest first. There are few places: whoever comes when all are
/// taken sends the oldest away, so that nobody can keep others out by being silent.
#[derive(Debug)]
pub(super) struct Anonymous {
    waiting: Mutex<VecDeque<Arc<Standing>>>,
    most: usize,
}

/// How a connection stands with us.
#[derive(Debug)]
struct Standing {
    state: AtomicU8,
    waker: AtomicWaker,
}

impl Anonymous {
    pub(super) fn new(most: usize) -> Anonymous {
        Anonymous { waiting: Mutex::default(), most }
    }

    fn enter(&self) -> Arc<Standing> {
        let standing = Arc::new(Standing { state: AtomicU8::new(ANONYMOUS), waker: AtomicWaker::new() });
        let mut waiting = self.waiting();
        waiting.push_back(standing.clone());
        if waiting.len() > self.most
            && let Some(oldest) = waiting.pop_front()
        {
            oldest.leave(SENT_AWAY);
        }
        standing
    }

    fn forget(&self, standing: &Arc<Standing>) {
        self.waiting().retain(|other| !Arc::ptr_eq(other, standing));
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Arc<Standing>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Standing {
    /// It is no longer anonymous, one way or the other; the first way counts.
    fn leave(&self, to: u8) {
        let _ = self.state.compare_exchange(ANONYMOUS, to, Ordering::AcqRel, Ordering::Acquire);
        self.waker.wake();
    }
}

/// Who is at the other end of a connection.
#[derive(Clone, Debug)]
pub struct Peer {
    address: SocketAddr,
    standing: Arc<Standing>,
    anonymous: Arc<Anonymous>,
}

impl Peer {
    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// It has brought a right secret: from now on it may stay.
    pub(crate) fn admit(&self) {
        if self.standing.state.load(Ordering::Acquire) == ANONYMOUS {
            self.standing.leave(ADMITTED);
            self.anonymous.forget(&self.standing);
        }
    }
}

impl Connected<IncomingStream<'_, Doors>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Doors>) -> Peer {
        stream.io().peer.clone()
    }
}

/// A connection. While it is anonymous it has a deadline, and may say only so much; both hold for whatever is spoken
/// over it, also after an upgrade.
#[derive(Debug)]
pub struct Io {
    stream: TcpStream,
    peer: Peer,
    deadline: Option<Pin<Box<Sleep>>>,
    bytes_left: usize,
    /// Its place among all connections.
    _place: OwnedSemaphorePermit,
}

impl Io {
    pub(super) fn new(
        stream: TcpStream,
        address: SocketAddr,
        anonymous: &Arc<Anonymous>,
        limits: &Limits,
        place: OwnedSemaphorePermit,
    ) -> Io {
        let peer = Peer { address, standing: anonymous.enter(), anonymous: anonymous.clone() };
        Io {
            stream,
            peer,
            deadline: Some(Box::pin(tokio::time::sleep(limits.anonymous_for))),
            bytes_left: limits.anonymous_bytes,
            _place: place,
        }
    }

    /// Whether the connection may go on.
    fn may_go_on(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let Some(deadline) = &mut self.deadline else { return Ok(()) };
        self.peer.standing.waker.register(context.waker());
        match self.peer.standing.state.load(Ordering::Acquire) {
            ADMITTED => self.deadline = None,
            SENT_AWAY => return Err(io::ErrorKind::ConnectionAborted.into()),
            _ if deadline.as_mut().poll(context).is_ready() => return Err(io::ErrorKind::TimedOut.into()),
            _ => {}
        }
        Ok(())
    }
}

impl Drop for Io {
    fn drop(&mut self) {
        self.peer.anonymous.forget(&self.peer.standing);
    }
}

impl AsyncRead for Io {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.may_go_on(context)?;
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if self.deadline.is_some() {
            let read = buffer.filled().len() - before;
            self.bytes_left = self.bytes_left.checked_sub(read).ok_or(io::ErrorKind::QuotaExceeded)?;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Io {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.may_go_on(context)?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.may_go_on(context)?;
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
