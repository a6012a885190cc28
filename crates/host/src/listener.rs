//! The socket: bound, accepted from, made again when somebody deleted it.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};

use home::WorkerDir;
use rustix::fs::Mode;
use rustix::net::sockopt::socket_peercred;
use rustix::process::{geteuid, umask};

/// Where viewers connect.
#[derive(Debug)]
pub(crate) struct Listener {
    listener: UnixListener,
}

impl Listener {
    /// Binds the worker's socket; one that is there already is nobody's, since we hold the worker's lock.
    pub(crate) fn bind(dir: &WorkerDir) -> io::Result<Listener> {
        let path = dir.socket();
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // Data directories may have long names, sockets may not: this path is short wherever the directory is.
        let parent = File::open(dir.path())?;
        let short = format!("/proc/self/fd/{}/sock", parent.as_raw_fd());
        let before = umask(Mode::from_raw_mode(0o177));
        let listener = UnixListener::bind(short);
        umask(before);
        let listener = listener?;
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
        let peer = socket_peercred(&stream)?;
        if peer.uid == geteuid() { Ok(Some(stream)) } else { self.accept() }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}
