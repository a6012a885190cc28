//! What changed and was not told yet. Changes that follow each other closely are told once.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use model::{RepositoryId, SessionId, TaskId, WorkerId, WorktreeId};
use tokio::sync::Notify;

/// A title that spins ten times a second is told a few times.
const TOGETHER: Duration = Duration::from_millis(100);

/// Something that looks different now, or is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Changed {
    Repository(RepositoryId),
    Worktree(WorktreeId),
    Session(SessionId),
    Worker(WorkerId),
    Task(TaskId),
}

/// What changed and was not told yet.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pending: Mutex<BTreeSet<Changed>>,
    woken: Notify,
}

impl Changes {
    /// Something changed.
    pub(crate) fn note(&self, changed: Changed) {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).insert(changed);
        self.woken.notify_one();
    }

    /// Waits for changes, and a moment for more.
    pub(crate) async fn next(&self) -> BTreeSet<Changed> {
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
