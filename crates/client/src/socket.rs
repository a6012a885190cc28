//! How requests reach the server: over its Unix socket, and never over its port.
//!
//! A killed server's port is free for every user of the machine, so a token that is sent there may reach another program.
//! The socket is in the data directory, where only its user can listen.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use rustix::net::sockopt::{self, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use system::descriptors::ShortPath;
use system::peers::is_this_user;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport,
};
use ureq::{Error, Timeout};

/// What requests call the server: a socket has no name.
pub(crate) const NAME: &str = "http://localhost";

/// Connects to one socket, for every request.
#[derive(Debug)]
pub(crate) struct SocketConnector {
    pub(crate) path: PathBuf,
}

impl SocketConnector {
    /// Connects, and makes sure that the listener is a program of this user.
    pub(crate) fn connect(&self, within: Option<Duration>) -> io::Result<UnixStream> {
        let short = ShortPath::of(&self.path)?;
        let stream = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        // A server that is stopped takes no more connections after some.
        set_socket_timeout(&stream, sockopt::Timeout::Send, within)?;
        connect(&stream, &SocketAddrUnix::new(short.as_path())?)?;
        let stream = UnixStream::from(stream);
        match is_this_user(&stream)? {
            true => Ok(stream),
            false => Err(io::Error::new(io::ErrorKind::PermissionDenied, "another user listens there")),
        }
    }
}

impl Connector for SocketConnector {
    type Out = SocketTransport;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        _: Option<()>,
    ) -> Result<Option<SocketTransport>, Error> {
        let stream = SocketConnector::connect(self, left(details.timeout));
        let stream = stream.map_err(|error| of_io(error, details.timeout.reason))?;
        let buffers =
            LazyBuffers::new(details.config.input_buffer_size(), details.config.output_buffer_size());
        Ok(Some(SocketTransport { stream, buffers }))
    }
}

/// A connection over the socket.
pub(crate) struct SocketTransport {
    stream: UnixStream,
    buffers: LazyBuffers,
}

impl std::fmt::Debug for SocketTransport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SocketTransport").field("stream", &self.stream).finish_non_exhaustive()
    }
}

impl Transport for SocketTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.stream.set_write_timeout(left(timeout))?;
        let written = (&self.stream).write_all(&self.buffers.output()[..amount]);
        written.map_err(|error| of_io(error, timeout.reason))
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.stream.set_read_timeout(left(timeout))?;
        let read = loop {
            match (&self.stream).read(self.buffers.input_append_buf()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read.map_err(|error| of_io(error, timeout.reason))?,
            }
        };
        self.buffers.input_appended(read);
        Ok(read > 0)
    }

    /// Nothing may come between two answers: what comes then is the end of the connection.
    fn is_open(&mut self) -> bool {
        let look = || -> io::Result<usize> {
            self.stream.set_nonblocking(true)?;
            let read = (&self.stream).read(&mut [0]);
            self.stream.set_nonblocking(false)?;
            read
        };
        matches!(look(), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }
}

fn left(timeout: NextTimeout) -> Option<Duration> {
    timeout.not_zero().map(|left| *left)
}

fn of_io(error: io::Error, reason: Timeout) -> Error {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Error::Timeout(reason),
        _ => error.into(),
    }
}

/// Looks nothing up: the socket has a path. The address that it gives is never connected to.
#[derive(Debug)]
pub(crate) struct NoNames;

impl Resolver for NoNames {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let mut addresses = self.empty();
        addresses.push(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)));
        Ok(addresses)
    }
}
