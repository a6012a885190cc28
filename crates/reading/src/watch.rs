//! Watching a live worker to its end, through upgrades and adoptions of its host.

use std::time::Instant;

use home::WorkerDir;
use model::{Epoch, ExitStatus, Offset, TermSize};
use protocol::{Attach, HostMessage, Welcome};
use thiserror::Error;
use viewer::reach::{self, Unreached};
use viewer::{Connection, ConnectionError, Received};

use crate::screen::Screen;

/// A host that closes so many connections in a row, without a word on any, does not want us.
const MOST_CLOSED: u32 = 5;

/// Something seen of a worker.
#[derive(Debug)]
pub enum Seen {
    /// The whole terminal, anew: at first, after a resize, or when we were too slow.
    Screen(Screen),
    /// What the child printed, starting at byte `at`.
    Output {
        /// The offset of the first byte.
        at: Offset,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// The worker has ended; nothing more will be seen.
    Ended(End),
    /// Nothing before the deadline.
    Late,
}

/// Why a worker cannot be watched any longer.
#[derive(Debug, Error)]
pub enum WatchError {
    /// The connection broke, or the host does not speak our language.
    #[error(transparent)]
    Broken(#[from] ConnectionError),
    /// The host cannot be reached again.
    #[error("the host cannot be reached again")]
    Unreached(Unreached),
}

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Its child ended.
    Exited(ExitStatus),
    /// Its host vanished, and its child with it.
    Lost,
}

/// A viewer without a screen. It may be asked to send as well.
pub struct Watch {
    dir: WorkerDir,
    attach: Attach,
    connection: Connection,
    /// The size that the next snapshot has.
    size: TermSize,
    epoch: Epoch,
    /// The offset seen up to now; nothing before there was a screen, unless the caller asked for output alone.
    at: Option<Offset>,
    /// The parts of a snapshot that is not complete, and its offset.
    parts: Vec<u8>,
    parts_at: Offset,
    closed_in_a_row: u32,
}

impl Watch {
    /// Attaches to a worker.
    ///
    /// # Errors
    ///
    /// When its host cannot be reached.
    pub fn start(dir: &WorkerDir, attach: Attach) -> Result<Watch, Unreached> {
        let (connection, welcome) = reach::attach(dir, &attach)?;
        let Welcome { size, epoch, .. } = welcome;
        let at = attach.since;
        Ok(Watch {
            dir: dir.clone(),
            attach,
            connection,
            size,
            epoch,
            at,
            parts: Vec::new(),
            parts_at: Offset(0),
            closed_in_a_row: 0,
        })
    }

    /// The next thing that is seen; `None` for a deadline waits for ever.
    ///
    /// # Errors
    ///
    /// When the host stops answering, or does not speak our language.
    pub fn next(&mut self, deadline: Option<Instant>) -> Result<Seen, WatchError> {
        loop {
            let received = match deadline {
                Some(deadline) => self.connection.receive_before(deadline),
                None => self.connection.receive().map(|message| match message {
                    Some(message) => Received::Message(message),
                    None => Received::Closed,
                }),
            };
            let message = match received {
                Ok(Received::Message(message)) => message,
                Ok(Received::Late) => return Ok(Seen::Late),
                Ok(Received::Closed) | Err(ConnectionError::Closed) => match self.attach_again()? {
                    Some(end) => return Ok(Seen::Ended(end)),
                    None => continue,
                },
                Err(error) => return Err(error.into()),
            };
            self.closed_in_a_row = 0;
            if let Some(seen) = self.take(message) {
                return Ok(seen);
            }
        }
    }

    fn take(&mut self, message: HostMessage) -> Option<Seen> {
        match message {
            HostMessage::Snapshot { at, last, bytes } => {
                if at != self.parts_at {
                    self.parts.clear();
                }
                self.parts_at = at;
                self.parts.extend(bytes);
                last.then(|| {
                    self.at = Some(at);
                    let snapshot = std::mem::take(&mut self.parts);
                    Seen::Screen(Screen { size: self.size, at, snapshot })
                })
            }
            HostMessage::Output { at, bytes } => {
                self.at = Some(at + bytes.len());
                Some(Seen::Output { at, bytes })
            }
            HostMessage::Resized(resized) => {
                self.size = resized.size;
                // The unfinished snapshot has the old size, and its rest does not come.
                self.parts.clear();
                None
            }
            HostMessage::Exited(exited) => Some(Seen::Ended(End::Exited(exited.status))),
            _ => None,
        }
    }

    /// Goes on where we were; tells the worker's end if there is nowhere to go on.
    fn attach_again(&mut self) -> Result<Option<End>, WatchError> {
        self.closed_in_a_row += 1;
        if self.closed_in_a_row > MOST_CLOSED {
            return Err(ConnectionError::Closed.into());
        }
        self.parts.clear();
        let epoch = self.at.map(|_| self.epoch);
        let attach = Attach { since: self.at, epoch, ..self.attach.clone() };
        match reach::attach(&self.dir, &attach) {
            Ok((connection, welcome)) => {
                self.connection = connection;
                self.size = welcome.size;
                self.epoch = welcome.epoch;
                Ok(None)
            }
            Err(Unreached::Exited(note)) => Ok(Some(End::Exited(note.status))),
            Err(Unreached::Lost) => Ok(Some(End::Lost)),
            Err(error) => Err(WatchError::Unreached(error)),
        }
    }
}
