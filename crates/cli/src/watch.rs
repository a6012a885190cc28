//! Watching a live worker to its end, through upgrades and adoptions of its host.

use std::time::Instant;

use home::{Worker, WorkerDir};
use model::{Epoch, ExitStatus, Offset, TermSize};
use protocol::{Attach, HostMessage, Welcome};
use terminal::{HistoryLimit, Terminal};
use viewer::{Connection, ConnectionError, Received};

use crate::failure::Failure;
use crate::workers;
use reach::Unreached;

/// A host that closes so many connections in a row, without a word on any, does not want us.
const MOST_CLOSED: u32 = 5;

/// What was seen of a worker.
#[derive(Debug)]
pub(crate) enum Seen {
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

/// A whole terminal, as of an offset.
#[derive(Debug)]
pub(crate) struct Screen {
    /// How large it is.
    pub(crate) size: TermSize,
    /// The offset it stands for.
    pub(crate) at: Offset,
    /// What rebuilds it in a fresh terminal.
    pub(crate) snapshot: Vec<u8>,
}

impl Screen {
    /// The terminal.
    pub(crate) fn terminal(&self, history: HistoryLimit) -> Terminal {
        let mut terminal = Terminal::new(self.size, history);
        terminal.feed(&self.snapshot);
        terminal
    }
}

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Its child ended.
    Exited(ExitStatus),
    /// Its host vanished, and its child with it.
    Lost,
}

/// A viewer without a screen. It may be asked to send as well.
pub(crate) struct Watch {
    worker: Worker,
    attach: Attach,
    connection: Connection,
    /// The size that the next snapshot has.
    size: TermSize,
    epoch: Epoch,
    /// What was seen up to now; nothing before there was a screen, unless somebody asked for output alone.
    at: Option<Offset>,
    /// The parts of a snapshot that is not complete, and its offset.
    parts: Vec<u8>,
    parts_at: Offset,
    closed_in_a_row: u32,
}

impl Watch {
    /// Attaches to a worker.
    pub(crate) fn start(worker: &Worker, attach: Attach) -> Result<Watch, Unreached> {
        let (connection, welcome) = reach::attach(&worker.dir, &attach)?;
        let Welcome { size, epoch, .. } = welcome;
        let at = attach.since;
        Ok(Watch {
            worker: worker.clone(),
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
    pub(crate) fn next(&mut self, deadline: Option<Instant>) -> Result<Seen, Failure> {
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
                Err(error) => return Err(self.broken(error)),
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
                // What was being drawn has the old size, and its rest does not come.
                self.parts.clear();
                None
            }
            HostMessage::Exited(exited) => Some(Seen::Ended(End::Exited(exited.status))),
            _ => None,
        }
    }

    /// Goes on where we were; tells the worker's end if there is nowhere to go on.
    fn attach_again(&mut self) -> Result<Option<End>, Failure> {
        self.closed_in_a_row += 1;
        if self.closed_in_a_row > MOST_CLOSED {
            return Err(self.broken(ConnectionError::Closed));
        }
        self.parts.clear();
        let epoch = self.at.map(|_| self.epoch);
        let attach = Attach { since: self.at, epoch, ..self.attach.clone() };
        match reach::attach(self.dir(), &attach) {
            Ok((connection, welcome)) => {
                self.connection = connection;
                self.size = welcome.size;
                self.epoch = welcome.epoch;
                Ok(None)
            }
            Err(Unreached::Exited(note)) => Ok(Some(End::Exited(note.status))),
            Err(Unreached::Lost) => Ok(Some(End::Lost)),
            Err(error) => Err(workers::unreached(&self.worker, error)),
        }
    }

    fn dir(&self) -> &WorkerDir {
        &self.worker.dir
    }

    fn broken(&self, error: ConnectionError) -> Failure {
        let context = format!("cannot go on watching worker `{}`", self.worker.meta.name);
        Failure::from(anyhow::Error::from(error).context(context))
            .hint("`abide doctor` compares the releases of abide and its hosts")
    }
}
