//! The room of the inbox: what waits for a person, from the moment it begins to wait until it does not any more.

use api::Problem;
use jiff::Timestamp;
use model::{InboxItemId, InboxReason, WorkerId};
use store::{Reader, SessionKind, Store, StoreError};

mod answer;
mod answering;
mod news;
mod nudge;
mod settle;
mod stuck;

pub(crate) use answer::Asked;
pub(crate) use answering::Answering;
pub(crate) use news::News;
pub(crate) use nudge::Nudging;

use crate::rooms::Inbox;

impl Inbox {
    /// What waits for a person, the longest wait first.
    pub(crate) async fn list(&self) -> Result<Vec<api::InboxItem>, Problem> {
        self.read(|store| store.inbox()?.into_iter().map(|item| view(store, item)).collect()).await
    }

    /// One entry.
    pub(crate) async fn get(&self, id: InboxItemId) -> Result<api::InboxItem, Problem> {
        self.read(move |store| view(store, store.inbox_item(id)?)).await
    }

    /// A person has read an entry.
    pub(crate) async fn mark_read(&self, id: InboxItemId) -> Result<(), Problem> {
        self.step(move |store| store.read_inbox_item(id, Timestamp::now())).await
    }

    /// Sets an entry aside until a moment, or takes it up again.
    pub(crate) async fn snooze(
        &self,
        id: InboxItemId,
        until: Option<Timestamp>,
    ) -> Result<api::InboxItem, Problem> {
        self.step(move |store| store.snooze_inbox_item(id, until)).await?;
        self.get(id).await
    }

    /// A worker waits for nothing any more.
    pub(crate) async fn leave(&self, worker: WorkerId) {
        let left = self.happened(move |store: &Store| store.leave_inbox(worker)).until_written();
        log(worker, left.await.map(drop));
    }
}

/// The worker may have been removed meanwhile; then it waits for nothing.
fn log(worker: WorkerId, written: Result<(), Problem>) {
    if let Err(problem) = written {
        tracing::debug!(worker.id = %worker, reason = problem.error.message, "the inbox is left as it is");
    }
}

fn view(store: &Reader, item: store::InboxItem) -> Result<api::InboxItem, StoreError> {
    let session = store.session(store.worker(item.worker)?.session)?;
    let repository = match session.kind {
        SessionKind::Quick => None,
        SessionKind::Worktree { repository, .. } => Some(repository),
    };
    Ok(api::InboxItem {
        id: item.id,
        worker_id: item.worker,
        session_id: session.id,
        task_id: session.task,
        repository_id: repository,
        reason: item.reason,
        question_id: (item.reason == InboxReason::Asking).then_some(item.mark),
        words: item.words,
        since: item.since,
        read: item.read_at.is_some(),
        snoozed_until: item.snoozed_until,
    })
}
