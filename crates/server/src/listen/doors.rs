//! Accepts connections.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use api::{ErrorCode, Problem};
use axum::serve::Listener;
use rustix::process::{Resource, geteuid, getrlimit};
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::sync::Semaphore;

use super::anonymous::{Anonymous, Places, Side};
use super::connection::Io;
use super::stream::{Address, Stream};
use crate::node::{TcpUsers, is_this_user};

/// How long to wait when the system cannot open another connection.
const NO_ROOM_WAIT: Duration = Duration::from_millis(200);

/// How many connections the server accepts, and what they may do before they send a secret.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many at a time. The server refuses further ones with an error.
    pub connections: usize,
    /// How many of them without a secret, of the user that the server runs as. A further one replaces the oldest.
    pub own_anonymous: usize,
    /// The same, of all other users together. A further one replaces the oldest of the user who has the most.
    pub anonymous: usize,
    /// How long a connection may stay open without a secret.
    pub anonymous_for: Duration,
    /// How many bytes it may send before it sends a secret.
    pub anonymous_bytes: usize,
}

/// How many descriptors the server needs for everything except connections.
const OWN_FILES: u64 = 64;

impl Limits {
    /// The limits for this process.
    pub fn of_this_process() -> Limits {
        Limits::default().within(getrlimit(Resource::Nofile).current)
    }

    /// Lowers the limit for a process that may open only so many files. A connection may need a second descriptor for
    /// its host, and the server needs one to listen to each host. Refused connections get the reason.
    #[must_use]
    pub fn within(self, files: Option<u64>) -> Limits {
        let most = files.map_or(u64::MAX, |files| files.saturating_sub(OWN_FILES) / 3);
        let most = usize::try_from(most).unwrap_or(usize::MAX).max(1);
        let connections = self.connections.min(most);
        // Connections without a secret leave room for those with one.
        let own_anonymous = self.own_anonymous.min((connections / 2).max(1));
        Limits { connections, own_anonymous, ..self }
    }
}

impl Default for Limits {
    /// Enough for the five thousand viewers that abide promises, and their pages. A browser uses six connections for a
    /// moment to load a page. After a restart of the server, it opens one for each terminal that it shows, all at once.
    fn default() -> Limits {
        Limits {
            connections: 8192,
            own_anonymous: 1024,
            anonymous: 64,
            anonymous_for: Duration::from_secs(15),
            anonymous_bytes: 256 * 1024,
        }
    }
}

/// All listening sockets.
#[derive(Debug)]
pub struct Doors {
    listeners: Vec<TcpListener>,
    socket: Option<UnixListener>,
    /// Which of them is asked first for the next connection. Each has its turn, so that many connections at one keep out
    /// none at another.
    first: usize,
    places: Arc<Semaphore>,
    anonymous: Arc<Anonymous>,
    users: TcpUsers,
    limits: Limits,
}

impl Doors {
    pub(super) fn new(
        listeners: impl Iterator<Item = std::net::TcpListener>,
        socket: Option<std::os::unix::net::UnixListener>,
        limits: Limits,
    ) -> io::Result<Doors> {
        if let Some(socket) = &socket {
            socket.set_nonblocking(true)?;
        }
        Ok(Doors {
            listeners: listeners.map(TcpListener::from_std).collect::<io::Result<_>>()?,
            socket: socket.map(UnixListener::from_std).transpose()?,
            first: 0,
            places: Arc::new(Semaphore::new(limits.connections)),
            anonymous: Arc::new(Anonymous::new(Places {
                own: limits.own_anonymous,
                others: limits.anonymous,
            })),
            users: TcpUsers::default(),
            limits,
        })
    }

    fn poll_accept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<(Stream, Address)>> {
        let count = self.listeners.len() + usize::from(self.socket.is_some());
        for door in (0..count).map(|door| (self.first + door) % count) {
            if let Poll::Ready(accepted) = self.poll_door(door, context) {
                self.first = door + 1;
                return Poll::Ready(accepted);
            }
        }
        Poll::Pending
    }

    /// The next connection at one of them; the socket is the last.
    fn poll_door(&self, door: usize, context: &mut Context<'_>) -> Poll<io::Result<(Stream, Address)>> {
        match (self.listeners.get(door), &self.socket) {
            (Some(listener), _) => listener
                .poll_accept(context)
                .map_ok(|(stream, address)| (Stream::Port(stream), Address::Port(address))),
            (None, Some(socket)) => {
                socket.poll_accept(context).map_ok(|(stream, _)| (Stream::Socket(stream), Address::Socket))
            }
            (None, None) => Poll::Pending,
        }
    }

    /// Which user of this machine is at the other end.
    fn side_of(&self, stream: &Stream, address: Address) -> Side {
        match (stream, address) {
            (Stream::Port(stream), Address::Port(theirs)) => self.side(stream, theirs),
            (Stream::Socket(stream), _) if is_this_user(stream).unwrap_or(false) => Side::Own,
            _ => Side::Unknown,
        }
    }

    fn side(&self, stream: &TcpStream, theirs: SocketAddr) -> Side {
        match stream.local_addr().ok().and_then(|ours| self.users.user(ours, theirs)) {
            Some(user) if user == geteuid().as_raw() => Side::Own,
            Some(user) => Side::Other(user),
            None => Side::Unknown,
        }
    }
}

impl Listener for Doors {
    type Io = Io;
    type Addr = Address;

    async fn accept(&mut self) -> (Io, Address) {
        loop {
            let (stream, address) = match poll_fn(|context| self.poll_accept(context)).await {
                Ok(accepted) => accepted,
                Err(error) if is_about_one_connection(&error) => continue,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(NO_ROOM_WAIT).await;
                    continue;
                }
            };
            let side = self.side_of(&stream, address);
            if address == Address::Socket && side != Side::Own {
                // The socket's mode admits the server's own user and root. The server speaks to its user alone.
                continue;
            }
            let Ok(place) = self.places.clone().try_acquire_owned() else {
                turn_away(&stream);
                continue;
            };
            if let Stream::Port(stream) = &stream {
                // A terminal's echo must not wait for more bytes.
                let _ = stream.set_nodelay(true);
            }
            return (Io::new(stream, address, side, &self.anonymous, &self.limits, place), address);
        }
    }

    fn local_addr(&self) -> io::Result<Address> {
        let first = self.listeners.first().ok_or(io::ErrorKind::NotConnected)?;
        first.local_addr().map(Address::Port)
    }
}

fn is_about_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Sends an error to a connection over the limit, without waiting.
fn turn_away(stream: &Stream) {
    let problem = Problem::new(ErrorCode::Unavailable, "the server has reached its limit of connections");
    let body = serde_json::to_string(&problem).unwrap_or_default();
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.try_write(answer.as_bytes());
}
