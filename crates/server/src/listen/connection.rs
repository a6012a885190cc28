//! One connection, and what it may do before it has brought a secret.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::IncomingStream;
use futures_util::task::AtomicWaker;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Sleep;

use super::{Doors, Limits};

/// How long the server reads on after it refused a body. A client on a slow link needs some seconds until it looks for
/// the answer; one that never stops must not keep its place for longer.
const READS_ON_FOR: Duration = Duration::from_secs(10);

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
    /// The client may still be sending a body that was refused.
    sends_on: AtomicBool,
}

impl Anonymous {
    pub(super) fn new(most: usize) -> Anonymous {
        Anonymous { waiting: Mutex::default(), most }
    }

    fn enter(&self) -> Arc<Standing> {
        let standing = Arc::new(Standing {
            state: AtomicU8::new(ANONYMOUS),
            waker: AtomicWaker::new(),
            sends_on: AtomicBool::new(false),
        });
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

    /// The server answers without having read the whole body. So it reads on before it closes the connection: if it
    /// closed at once, the system would answer the rest of the body with a reset, and the client could lose the answer.
    pub(crate) fn read_on(&self) {
        self.standing.sends_on.store(true, Ordering::Release);
    }
}

impl Connected<IncomingStream<'_, Doors>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Doors>) -> Peer {
        stream.io().peer.clone()
    }
}

/// How far the server is with closing a connection.
#[derive(Debug)]
enum Closing {
    /// The connection is open for writing.
    Open,
    /// The answer is sent. The server reads what the client still sends, until it stops or until this time.
    ReadsOn { until: Pin<Box<Sleep>> },
}

/// A connection. While it is anonymous it has a deadline, and may say only so much; both hold for whatever is spoken
/// over it, also after an upgrade.
#[derive(Debug)]
pub struct Io {
    stream: TcpStream,
    peer: Peer,
    deadline: Option<Pin<Box<Sleep>>>,
    bytes_left: usize,
    closing: Closing,
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
            closing: Closing::Open,
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

    /// Reads and forgets, until the client has closed its side or the time is over.
    fn read_on(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut piece = [0; 16 * 1024];
        loop {
            if let Closing::ReadsOn { until } = &mut self.closing
                && until.as_mut().poll(context).is_ready()
            {
                return Poll::Ready(Ok(()));
            }
            let mut piece = ReadBuf::new(&mut piece);
            ready!(self.as_mut().poll_read(context, &mut piece))?;
            if piece.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
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
        if let Closing::Open = self.closing {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            if !self.peer.standing.sends_on.load(Ordering::Acquire) {
                return Poll::Ready(Ok(()));
            }
            self.closing = Closing::ReadsOn { until: Box::pin(tokio::time::sleep(READS_ON_FOR)) };
        }
        self.read_on(context)
    }
}
