//! The bytes of a connection, over the port or over the Unix socket.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};

/// Where a connection comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// The port. Every user of this machine reaches it, and browsers do.
    Port(SocketAddr),
    /// The Unix socket. Only the user that the server runs as reaches it.
    Socket,
}

/// The bytes of a connection.
#[derive(Debug)]
pub(super) enum Stream {
    Port(TcpStream),
    Socket(UnixStream),
}

impl Stream {
    /// Writes what can be written without waiting.
    pub(super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Port(stream) => stream.try_write(bytes),
            Stream::Socket(stream) => stream.try_write(bytes),
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Port(stream) => Pin::new(stream).poll_read(context, buffer),
            Stream::Socket(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Port(stream) => Pin::new(stream).poll_write(context, bytes),
            Stream::Socket(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Port(stream) => Pin::new(stream).poll_write_vectored(context, pieces),
            Stream::Socket(stream) => Pin::new(stream).poll_write_vectored(context, pieces),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Stream::Port(stream) => stream.is_write_vectored(),
            Stream::Socket(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Port(stream) => Pin::new(stream).poll_flush(context),
            Stream::Socket(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Port(stream) => Pin::new(stream).poll_shutdown(context),
            Stream::Socket(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
