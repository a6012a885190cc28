//! One connection, and what it may do before it has brought a secret.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Sleep;

use super::Limits;
use super::anonymous::{Anonymous, Side};
use super::slow::Slow;
use super::standing::{Admission, Peer};
use super::stream::{Address, Stream};

/// How long the server reads on after it refused a body. A client on a slow link needs some seconds until it looks for
/// the answer; one that never stops must not keep its place for longer.
const READS_ON_FOR: Duration = Duration::from_secs(10);

/// How long a connection stays open for a last answer after its token was revoked or has expired.
const FAREWELL: Duration = Duration::from_secs(3);

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
    stream: Stream,
    peer: Peer,
    deadline: Option<Pin<Box<Sleep>>>,
    bytes_left: usize,
    closing: Closing,
    /// When the connection is cut, once its token is over.
    cut_at: Option<Pin<Box<Sleep>>>,
    slow: Slow,
    /// Its place among all connections.
    _place: OwnedSemaphorePermit,
}

impl Io {
    pub(super) fn new(
        stream: Stream,
        address: Address,
        side: Side,
        anonymous: &Arc<Anonymous>,
        limits: &Limits,
        place: OwnedSemaphorePermit,
    ) -> Io {
        Io {
            stream,
            peer: Peer::new(address, side, anonymous),
            deadline: Some(Box::pin(tokio::time::sleep(limits.anonymous_for))),
            bytes_left: limits.anonymous_bytes,
            closing: Closing::Open,
            cut_at: None,
            slow: Slow::default(),
            _place: place,
        }
    }

    pub(super) fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Whether the connection may go on.
    fn may_go_on(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let standing = &self.peer.standing;
        standing.ending.waker.register(context.waker());
        if let Some(deadline) = &mut self.deadline {
            match standing.admission() {
                Admission::Admitted => self.deadline = None,
                Admission::SentAway => return Err(io::ErrorKind::ConnectionAborted.into()),
                Admission::Anonymous if deadline.as_mut().poll(context).is_ready() => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Admission::Anonymous => {}
            }
        }
        if standing.ending.is_over() {
            // Only an answer without much content may still be sent, and the reason for which a socket is closed.
            let cut_at = self.cut_at.get_or_insert_with(|| Box::pin(tokio::time::sleep(FAREWELL)));
            if standing.is_answering() || cut_at.as_mut().poll(context).is_ready() {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
        }
        Ok(())
    }

    /// Whether no further request is read, because the token is over.
    fn has_ended(&self) -> bool {
        self.peer.standing.ending.is_over() && !self.peer.standing.is_working()
    }

    fn wrote(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match self.peer.standing.is_guests.load(Ordering::Acquire) {
            true => self.slow.wrote(context, written),
            false => written,
        }
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
        self.peer.left();
    }
}

impl AsyncRead for Io {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.may_go_on(context)?;
        if self.has_ended() {
            // As if the client had closed its side. What was answered before is still sent.
            return Poll::Ready(Ok(()));
        }
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
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.may_go_on(context)?;
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.wrote(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The server flushes after it has written everything.
        self.peer.standing.sent_all();
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
