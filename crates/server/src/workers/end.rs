//! A worker is ended, and taken out of its session.

use api::{DashboardEvent, ErrorCode, Problem};
use model::WorkerId;
use protocol::{Attach, Form, VERSION};
use store::Worker;

use super::refuse_unmade;
use crate::app::{App, blocking};
use crate::changes::Changed;
use crate::tokens::Principal;

impl App {
    /// Ends a worker's child, and takes the worker out of its session. Nothing of it is left.
    pub(crate) async fn close_worker(&self, who: &Principal, id: WorkerId) -> Result<(), Problem> {
        let worker = self.db(move |store| store.worker(id)).await?;
        if worker.primary {
            self.refuse_task_worker(&worker).await?;
        }
        refuse_unmade(&worker)?;
        self.end_worker(&worker).await?;
        let dir = self.home().worker(id);
        let removed = blocking(move || dir.remove()).await?;
        if let Err(error) = removed
            && error.kind() != std::io::ErrorKind::NotFound
        {
            let words = format!("the worker has ended, and its recording cannot be removed: {error}");
            return Err(Problem::new(ErrorCode::Unavailable, words));
        }
        self.forget_worker(&worker).await?;
        self.record(who, "worker.close", id, Some(worker.name)).await;
        self.tell(DashboardEvent::TerminalClosed { worker_id: id, session_id: worker.session });
        Ok(())
    }

    pub(super) async fn refuse_task_worker(&self, worker: &Worker) -> Result<(), Problem> {
        let session = worker.session;
        let session = self.db(move |store| store.session(session)).await?;
        let Some(task) = session.task else { return Ok(()) };
        let owner = self.db(move |store| store.task(task)).await?;
        if owner.session == Some(session.id) {
            let words = "the worker is the one that its task's session was started for";
            return Err(Problem::new(ErrorCode::InUse, words)
                .hint("complete the task, or start its session over")
                .detail(serde_json::json!({ "taskId": task })));
        }
        Ok(())
    }

    /// Takes a worker that is gone out of the database.
    pub(crate) async fn forget_worker(&self, worker: &Worker) -> Result<(), Problem> {
        let id = worker.id;
        self.parts().watches.end(id);
        self.lives().forget(id);
        self.revoke_tokens_of(id, true).await;
        // That its directory is gone may have been noticed already.
        let removed = self.write_down(move |store| match store.remove_worker(id) {
            Err(store::StoreError::NotFound { .. }) => Ok(()),
            removed => removed,
        });
        removed.await?;
        self.changed(Changed::Worker(id));
        self.changed(Changed::Session(worker.session));
        Ok(())
    }

    /// Ends a worker's child, if it lives, and waits for it.
    pub(crate) async fn end_worker(&self, worker: &Worker) -> Result<(), Problem> {
        let dir = self.home().worker(worker.id);
        let ended = blocking(move || match reach::life(&dir) {
            reach::Life::Live(_) | reach::Life::NotAnswering { .. } => {
                reach::end(&dir, &as_server()).map(|_| ())
            }
            reach::Life::Exited(_) | reach::Life::Lost => {
                reach::wait_for_host(&dir);
                Ok(())
            }
        });
        ended.await?.or_else(|error| match error {
            reach::EndError::Unreached(reach::Unreached::Exited(_) | reach::Unreached::Lost) => Ok(()),
            error => {
                Err(Problem::new(ErrorCode::NotAnswering, format!("the worker cannot be ended: {error}"))
                    .hint("try again; `abide doctor` looks at hosts that do not answer"))
            }
        })
    }
}

/// How the server attaches when it ends a worker.
fn as_server() -> Attach {
    Attach {
        version: VERSION,
        epoch: None,
        since: None,
        history: 0,
        form: Form::Screen,
        read_only: false,
        size: None,
        ack: false,
        events: false,
        quiet: false,
        typist: None,
        name: "server".into(),
    }
}
