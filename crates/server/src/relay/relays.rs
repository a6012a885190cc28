//! What all sockets share.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use crate::dialects::PipeViewers;

/// How long sockets have to close when the server leaves.
const LEAVE_WITHIN: Duration = Duration::from_secs(3);

/// What all sockets of a server share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relays(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// Whether the server leaves. Every socket has a receiver of it.
    leaving: watch::Sender<bool>,
    pipes: PipeViewers,
}

impl Relays {
    /// How many sockets are open.
    pub(crate) fn open(&self) -> usize {
        self.0.leaving.receiver_count()
    }

    /// Closes all sockets, those to come as well, and waits a moment until they are.
    pub(crate) async fn close_all(&self) {
        self.0.leaving.send_replace(true);
        if timeout(LEAVE_WITHIN, self.0.leaving.closed()).await.is_err() {
            tracing::warn!(sockets = self.open(), "sockets are left behind");
        }
    }

    /// Whether the server leaves.
    pub(crate) fn is_leaving(&self) -> bool {
        *self.0.leaving.borrow()
    }

    /// Who watches tasks through the plain pipe.
    pub(crate) fn pipes(&self) -> &PipeViewers {
        &self.0.pipes
    }

    /// Turns true when the server leaves.
    pub(super) fn leaving(&self) -> watch::Receiver<bool> {
        self.0.leaving.subscribe()
    }
}
