//! Ends a worker, and keeps it or removes it from its session.

use api::{DashboardEvent, ErrorCode, Problem};
use model::WorkerId;
use store::Worker;

use super::refuse_unmade;
use crate::rooms::Workers;
use crate::tokens::Principal;

impl Workers {
    /// Ends a worker's child, and removes the worker with its recording.
    pub(crate) async fn close(&self, who: &Principal, id: WorkerId) -> Result<(), Problem> {
        let worker = self.read(move |store| store.worker(id)).await?;
        if worker.primary {
            self.refuse_task_worker(&worker).await?;
        }
        refuse_unmade(&worker)?;
        self.end(&worker).await?;
        if let Err(error) = self.node().remove_worker(id).await? {
            let words = format!("the worker has ended, but the server cannot remove its recording: {error}");
            return Err(Problem::new(ErrorCode::Unavailable, words));
        }
        self.forget(&worker).await?;
        self.access().record(who, "worker.close", id, Some(worker.name)).await;
        self.tell(DashboardEvent::TerminalClosed { worker_id: id, session_id: worker.session });
        Ok(())
    }

    /// Ends a worker's child. The worker stays in its session, with its recording.
    pub(crate) async fn end_and_keep(&self, who: &Principal, id: WorkerId) -> Result<(), Problem> {
        let worker = self.read(move |store| store.worker(id)).await?;
        refuse_unmade(&worker)?;
        self.end(&worker).await?;
        self.access().record(who, "worker.end", id, Some(worker.name)).await;
        Ok(())
    }

    pub(super) async fn refuse_task_worker(&self, worker: &Worker) -> Result<(), Problem> {
        let session = worker.session;
        let session = self.read(move |store| store.session(session)).await?;
        let Some(task) = session.task else { return Ok(()) };
        let owner = self.read(move |store| store.task(task)).await?;
        if owner.session == Some(session.id) {
            let words = "the worker is the main worker of its task's session";
            return Err(Problem::new(ErrorCode::InUse, words)
                .hint("complete the task, or retry it: that ends this session and starts another one")
                .detail(serde_json::json!({ "taskId": task })));
        }
        Ok(())
    }

    /// Removes a worker whose directory is gone from the database.
    pub(crate) async fn forget(&self, worker: &Worker) -> Result<(), Problem> {
        let id = worker.id;
        self.parts().watches.end(id);
        self.lives().forget(self.owner(), id);
        self.lives().set_handle(id, None);
        self.revoke_tokens_of(id, true).await;
        // The server may have noticed the removed directory already.
        let removed = self
            .happened(move |store: &store::Store| match store.remove_worker(id) {
                Err(store::StoreError::NotFound { .. }) => Ok(()),
                removed => removed,
            })
            .until_written();
        removed.await?;
        Ok(())
    }

    /// Ends a worker's child, if it lives, and waits for it.
    pub(crate) async fn end(&self, worker: &Worker) -> Result<(), Problem> {
        self.node().end(worker.id).await
    }
}
