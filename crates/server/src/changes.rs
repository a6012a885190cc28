//! Changes that have not been sent to viewers yet. Changes in quick succession are sent once.
//!
//! Two parts of the server add changes: the store, after each commit, and [`Lives`](crate::live::Lives), for facts that
//! only hosts know.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use model::OwnerId;
use store::Object;
use tokio::sync::Notify;

/// How long changes are collected. A title that changes ten times a second is sent less often.
const TOGETHER: Duration = Duration::from_millis(100);

/// Changes that have not been sent yet.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pending: Mutex<BTreeSet<(OwnerId, Object)>>,
    woken: Notify,
}

impl Changes {
    /// Notes that these things of an owner changed or were removed.
    pub(crate) fn note(&self, owner: OwnerId, changed: &[Object]) {
        let changed = changed.iter().map(|object| (owner, *object));
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).extend(changed);
        self.woken.notify_one();
    }

    /// Waits for a change, and collects further changes for a moment.
    pub(crate) async fn next(&self) -> BTreeSet<(OwnerId, Object)> {
        loop {
            self.woken.notified().await;
            tokio::time::sleep(TOGETHER).await;
            let taken = std::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner));
            if !taken.is_empty() {
                return taken;
            }
        }
    }
}
