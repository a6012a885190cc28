//! Collecting hosts that have left: they are our children until we end.
//!
//! Each is waited for by a small thread of its own. Whoever listens for `SIGCHLD` instead has every thread interrupted in
//! whatever it waits for.

use std::process::Child;
use std::thread;

/// A thread that only waits needs little.
const STACK_BYTES: usize = 64 << 10;

/// Whoever collects the processes that the server started.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reaper;

impl Reaper {
    /// One.
    pub(crate) fn new() -> Reaper {
        Reaper
    }

    /// Takes over a process, to be collected when it ends.
    pub(crate) fn take(&self, mut child: Child) {
        let waiting = thread::Builder::new().name("reaper".into()).stack_size(STACK_BYTES);
        // That it has ended is all that there is to know; its host's note says how. Without a thread it stays in the
        // kernel's list until we end.
        let _ = waiting.spawn(move || child.wait());
    }
}
