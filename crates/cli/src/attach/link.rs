//! The way to the host, and back.

use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use protocol::{Attach, HostMessage, ViewerMessage, Welcome};
use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use viewer::{AskError, AttachError, Connection, ConnectionError, ReadSome, Received};

use super::backlog::Backlog;
use viewer::reach::Unreached;

/// How long a host may take to welcome us on a connection that it made itself.
const WELCOME_WITHIN: Duration = Duration::from_secs(5);

/// The longest piece of input in one message. A host takes a message whole or not at all, and has room for several
/// of this size.
const INPUT_BYTES: usize = 64 << 10;

/// The most that waits for a host which does not read: a large paste. More is not taken.
const UNSENT_BYTES: usize = 4 << 20;

/// A connection to a host on which nothing waits: what its socket does not take at once stays here.
pub(super) struct Link {
    connection: Connection,
    unsent: Backlog,
    /// Nothing can be sent any more. What the host said before can still be read, and at its end that it is gone.
    is_closed: bool,
}

/// The result of sending typed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// They are on their way.
    Sent,
    /// The host is so far behind that they were dropped.
    Dropped,
    /// The host is gone, and was not given them.
    Unsent,
}

impl Link {
    /// A link over a connection that was welcomed.
    pub(super) fn new(connection: Connection) -> Link {
        Link { connection, unsent: Backlog::default(), is_closed: false }
    }

    /// The socket, to be waited for.
    pub(super) fn socket(&self) -> BorrowedFd<'_> {
        self.connection.as_fd()
    }

    /// Whether something waits for the host to read.
    pub(super) fn wants_room(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Sends a message, if the host is there.
    pub(super) fn send(&mut self, message: &ViewerMessage) {
        message.write(self.unsent.end());
        self.flush();
    }

    /// Sends typed bytes.
    #[must_use]
    pub(super) fn send_input(&mut self, bytes: &[u8]) -> Input {
        if self.unsent.len() + bytes.len() > UNSENT_BYTES {
            return Input::Dropped;
        }
        for piece in bytes.chunks(INPUT_BYTES) {
            ViewerMessage::Input(piece.to_vec()).write(self.unsent.end());
        }
        self.flush();
        if self.is_closed { Input::Unsent } else { Input::Sent }
    }

    /// Sends as much of what waits as the socket takes.
    pub(super) fn flush(&mut self) {
        let socket = self.connection.as_fd();
        let sent =
            self.unsent.pass(|bytes| match send(socket, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Err(Errno::AGAIN | Errno::INTR) => Ok(0),
                sent => sent,
            });
        if sent.is_err() {
            self.is_closed = true;
            self.unsent = Backlog::default();
        }
    }

    /// Reads once, without waiting.
    pub(super) fn read_some(&mut self) -> Result<ReadSome, ConnectionError> {
        self.connection.read_some()
    }

    /// The next message that was read.
    pub(super) fn next_message(&mut self) -> Result<Option<HostMessage>, ConnectionError> {
        self.connection.buffered()
    }
}

/// Attaches over a connection that a new host has held since before its child was started.
pub(super) fn greet(stream: UnixStream, attach: Attach) -> Result<(Connection, Welcome), Unreached> {
    let mut connection = Connection::from_stream(stream);
    let answer = connection
        .send(&ViewerMessage::Attach(attach))
        .and_then(|()| connection.receive_before(Instant::now() + WELCOME_WITHIN));
    let error = match answer.map_err(AskError::from) {
        Ok(Received::Message(HostMessage::Welcome(welcome))) => return Ok((connection, welcome)),
        Ok(Received::Message(HostMessage::Refused(refused))) => AskError::Refused(refused),
        Ok(Received::Message(_)) => AskError::OutOfTurn,
        Ok(Received::Closed | Received::Late) => AskError::Closed,
        Err(error) => error,
    };
    Err(AttachError::Ask(error).into())
}
