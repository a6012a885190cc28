//! Descriptors of a worker, held for the day its host is killed.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use home::{Adopted, StartError, WorkerDir};
use protocol::{Decoder, HostMessage, Leased, ViewerMessage};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use thiserror::Error;
use viewer::{Connection, ConnectionError, ReachError};

/// How long a host may take to answer; one that is stopped is asked again another time.
const ANSWER: Duration = Duration::from_secs(5);

/// The PTY, the child and the host.
const DESCRIPTORS: usize = 3;

/// A worker's lease.
#[derive(Debug)]
pub struct Lease {
    dir: WorkerDir,
    /// Nothing once the host has closed it.
    connection: Option<Connection>,
    decoder: Decoder,
    leased: Leased,
    pty: OwnedFd,
    child: OwnedFd,
    host: OwnedFd,
}

/// Why there is no lease.
#[derive(Debug, Error)]
pub enum LeaseError {
    /// The host cannot be reached.
    #[error(transparent)]
    Reach(#[from] ReachError),
    /// The host closed the connection or cannot be spoken to.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// The worker has ended, so there is nothing to keep.
    #[error("the worker has ended")]
    Ended,
    /// What came was no lease.
    #[error("the host gave no lease")]
    Nonsense,
    /// The system refuses.
    #[error("cannot receive the lease")]
    Io(#[from] io::Error),
}

/// What a host told its lease holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Nothing that matters.
    Nothing,
    /// The worker has ended; the lease is over.
    Returned,
    /// The host closed the connection. It is dead, or about to be.
    Closed,
}

impl Lease {
    /// Asks a worker's host for its lease.
    ///
    /// # Errors
    ///
    /// See [`LeaseError`].
    pub fn take(dir: &WorkerDir) -> Result<Lease, LeaseError> {
        let mut connection = Connection::open(&dir.socket())?;
        connection.send(&ViewerMessage::Lease)?;
        set_socket_timeout(&connection, Timeout::Recv, Some(ANSWER)).map_err(io::Error::from)?;
        let mut decoder = Decoder::default();
        let mut descriptors = Vec::new();
        let leased = loop {
            if receive(&connection, &mut decoder, &mut descriptors)? == 0 {
                return Err(ConnectionError::Closed.into());
            }
            match message(&mut decoder)? {
                None => {}
                Some(HostMessage::Leased(leased)) => break leased,
                Some(HostMessage::Returned) => return Err(LeaseError::Ended),
                Some(_) => return Err(LeaseError::Nonsense),
            }
        };
        set_socket_timeout(&connection, Timeout::Recv, None).map_err(io::Error::from)?;
        let [pty, child, host] =
            <[OwnedFd; DESCRIPTORS]>::try_from(descriptors).map_err(|_| LeaseError::Nonsense)?;
        Ok(Lease { dir: dir.clone(), connection: Some(connection), decoder, leased, pty, child, host })
    }

    /// Whose lease it is.
    pub fn dir(&self) -> &WorkerDir {
        &self.dir
    }

    /// Readable when the host has said something. Nothing once it can say nothing more.
    pub fn connection(&self) -> Option<BorrowedFd<'_>> {
        self.connection.as_ref().map(AsFd::as_fd)
    }

    /// Readable when the host is dead.
    pub fn host(&self) -> BorrowedFd<'_> {
        self.host.as_fd()
    }

    /// Reads what the host said. To be called when the connection is readable.
    pub fn hear(&mut self) -> Said {
        let said = self.hear_once();
        if said == Said::Closed {
            self.connection = None;
        }
        said
    }

    fn hear_once(&mut self) -> Said {
        let Some(connection) = &self.connection else { return Said::Closed };
        match receive(connection, &mut self.decoder, &mut Vec::new()) {
            Ok(0) => return Said::Closed,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Said::Nothing,
            Err(_) => return Said::Closed,
        }
        loop {
            match message(&mut self.decoder) {
                Ok(None) => return Said::Nothing,
                Ok(Some(HostMessage::Returned)) => return Said::Returned,
                Ok(Some(_)) => {}
                Err(_) => return Said::Closed,
            }
        }
    }

    /// Starts a host that adopts the child.
    ///
    /// # Errors
    ///
    /// When it cannot be started. Another process may have been faster.
    pub fn adopt(&self, program: &Path, scope: bool) -> Result<Child, StartError> {
        let adopted =
            Adopted { pty: self.pty.as_fd(), child: self.child.as_fd(), child_pid: self.leased.child_pid };
        home::start_adopting(program, &self.dir, adopted, scope)
    }
}

/// The next message that we know.
fn message(decoder: &mut Decoder) -> Result<Option<HostMessage>, LeaseError> {
    loop {
        let Some(frame) = decoder.next_frame().map_err(|_| LeaseError::Nonsense)? else { return Ok(None) };
        if let Some(message) = HostMessage::read(frame).map_err(|_| LeaseError::Nonsense)? {
            return Ok(Some(message));
        }
    }
}

/// Reads once, with the descriptors that come along.
fn receive(from: &impl AsFd, decoder: &mut Decoder, descriptors: &mut Vec<OwnedFd>) -> io::Result<usize> {
    let mut bytes = [0; 4096];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        match recvmsg(from, &mut [IoSliceMut::new(&mut bytes)], &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => {}
            received => break received?.bytes,
        }
    };
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(came) = message {
            descriptors.extend(came);
        }
    }
    decoder.push(&bytes[..received]);
    Ok(received)
}
