//! The socket: bound, accepted from, made again after it was deleted.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};

use home::WorkerDir;

/// Where viewers connect.
#[derive(Debug)]
pub(crate) struct Listener {
    listener: UnixListener,
}

impl Listener {
    /// Binds the worker's socket; no living host uses one that is there already, since we hold the worker's lock.
    pub(crate) fn bind(dir: &WorkerDir) -> io::Result<Listener> {
        let listener = home::bind_socket(&dir.socket())?;
        listener.set_nonblocking(true)?;
        Ok(Listener { listener })
    }

    /// Takes up a socket that is bound.
    pub(crate) fn resume(descriptor: OwnedFd) -> Listener {
        Listener { listener: UnixListener::from(descriptor) }
    }

    /// The next connection of the same user; others are closed at once.
    pub(crate) fn accept(&self) -> io::Result<Option<UnixStream>> {
        let stream = match self.listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Err(error) => return Err(error),
        };
        stream.set_nonblocking(true)?;
        if system::peers::is_this_user(&stream)? { Ok(Some(stream)) } else { self.accept() }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}
