//! Finding the host again after it closed the connection.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use home::WorkerDir;
use protocol::{Attach, Welcome};
use viewer::Connection;

use viewer::reach::{self, Unreached};

/// A host that changes its program is back within a fraction of a second; this is for a machine under heavy load.
const RECONNECT_WITHIN: Duration = Duration::from_secs(10);

/// The result of an attempt.
pub(super) type Outcome = Result<(Connection, Welcome), Unreached>;

/// A search for the host, on a thread of its own: we still have keys to look after.
pub(super) struct Reconnect {
    outcome: Receiver<Outcome>,
    /// Closed by the thread when it is done.
    done: UnixStream,
}

impl Reconnect {
    /// Begins to look for the host of this worker.
    pub(super) fn begin(dir: WorkerDir, attach: Attach) -> io::Result<Reconnect> {
        let (done, open) = UnixStream::pair()?;
        let (sender, outcome) = channel();
        thread::Builder::new().name("reconnect".into()).spawn(move || {
            // Fails only when the receiver is gone.
            let _ = sender.send(search(&dir, &attach));
            drop(open);
        })?;
        Ok(Reconnect { outcome, done })
    }

    /// Readable when the search is over.
    pub(super) fn done(&self) -> BorrowedFd<'_> {
        self.done.as_fd()
    }

    /// How it ended; waits for that.
    pub(super) fn outcome(&self) -> Outcome {
        self.outcome.recv().unwrap_or(Err(Unreached::Lost))
    }
}

/// A host that is there is given time; one that is gone for good is known at once.
fn search(dir: &WorkerDir, attach: &Attach) -> Outcome {
    let deadline = Instant::now() + RECONNECT_WITHIN;
    loop {
        match reach::attach(dir, attach) {
            Err(Unreached::NotAnswering { .. }) if Instant::now() < deadline => {}
            outcome => return outcome,
        }
    }
}
