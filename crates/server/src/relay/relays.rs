//! State that all sockets share.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use crate::dialects::PipeViewers;

/// How long sockets may take to close when the server stops.
const LEAVE_WITHIN: Duration = Duration::from_secs(3);

/// State that all sockets of a server share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relays(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// Whether the server stops. Every socket has a receiver.
    leaving: watch::Sender<bool>,
    pipes: PipeViewers,
}

impl Relays {
    /// How many sockets are open.
    pub(crate) fn open(&self) -> usize {
        self.0.leaving.receiver_count()
    }

    /// Closes all sockets, and every socket that opens later. Waits a moment until they are closed.
    pub(crate) async fn close_all(&self) {
        self.0.leaving.send_replace(true);
        if timeout(LEAVE_WITHIN, self.0.leaving.closed()).await.is_err() {
            tracing::warn!(sockets = self.open(), "some sockets did not close in time");
        }
    }

    /// Whether the server stops.
    pub(crate) fn is_leaving(&self) -> bool {
        *self.0.leaving.borrow()
    }

    /// The viewers of the plain pipe.
    pub(crate) fn pipes(&self) -> &PipeViewers {
        &self.0.pipes
    }

    /// Becomes true when the server stops.
    pub(super) fn leaving(&self) -> watch::Receiver<bool> {
        self.0.leaving.subscribe()
    }
}
