//! Collecting hosts that have left: they are our children until we end.

use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::signal::unix::{SignalKind, signal};

/// The processes that the server started and has not collected.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reaper {
    children: Arc<Mutex<Vec<Child>>>,
}

impl Reaper {
    /// Takes over a process, to be collected when it ends.
    pub(crate) fn take(&self, child: Child) {
        let mut children = self.children.lock().unwrap_or_else(PoisonError::into_inner);
        children.push(child);
        drop(children);
        // It may have ended before it was ours.
        self.collect();
    }

    /// Collects whatever ends, for ever.
    pub(crate) async fn run(self) -> std::io::Result<()> {
        let mut ended = signal(SignalKind::child())?;
        loop {
            ended.recv().await;
            self.collect();
        }
    }

    fn collect(&self) {
        let mut children = self.children.lock().unwrap_or_else(PoisonError::into_inner);
        // One that cannot be asked about is no longer ours.
        children.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
    }
}
