//! Giving memory back: a machine may have hundreds of hosts, and most of them wait.

use std::time::{Duration, Instant};

/// Memory is given back when nothing was printed for so long after something was.
const REST: Duration = Duration::from_millis(150);

/// Less output than this leaves nothing worth giving back.
const WORTH_BYTES: usize = 256 << 10;

/// Notices when a host comes to rest.
#[derive(Debug)]
pub(crate) struct Thrift {
    /// Output since memory was last given back.
    bytes: usize,
    /// Whether a rest is worth waiting for.
    is_due: bool,
}

impl Thrift {
    /// Starting up took memory as well.
    pub(crate) fn new() -> Thrift {
        Thrift { bytes: 0, is_due: true }
    }

    /// Something was printed.
    pub(crate) fn note(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.is_due |= self.bytes >= WORTH_BYTES;
    }

    /// Something else than output took memory, or pages of our program.
    pub(crate) fn note_visit(&mut self) {
        self.is_due = true;
    }

    /// Waits for something to do; on the way, if it takes that long, gives memory back. Once, so that a host at rest
    /// has no timer.
    pub(crate) fn park(&mut self) {
        if !self.is_due {
            return std::thread::park();
        }
        let start = Instant::now();
        std::thread::park_timeout(REST);
        if start.elapsed() >= REST {
            (self.bytes, self.is_due) = (0, false);
            system::memory::give_back();
        }
    }
}
