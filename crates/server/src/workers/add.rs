//! Adds a worker to a session.

use api::{CreateWorker, ErrorCode, Problem};
use jiff::Timestamp;
use model::{SessionId, TermSize, WorkerId};
use store::Worker;

use super::{Wanted, new_id};
use crate::rooms::Workers;
use crate::tokens::Principal;
use crate::views;

impl Workers {
    /// Adds a worker to a session, and starts it. If it cannot be started, it is removed again.
    pub(crate) async fn add(
        &self,
        who: &Principal,
        session: SessionId,
        new: CreateWorker,
        size: Option<TermSize>,
    ) -> Result<api::Worker, Problem> {
        let wanted = self.wanted(new)?;
        let worker = self.add_wanted(who, session, wanted, size).await?;
        Ok(views::worker(&worker, self.lives()))
    }

    pub(crate) async fn add_wanted(
        &self,
        who: &Principal,
        session: SessionId,
        wanted: Wanted,
        size: Option<TermSize>,
    ) -> Result<Worker, Problem> {
        let id = new_id(WorkerId::from_random)?;
        let Wanted { kind, name, command, variables } = wanted;
        let found = self.read(move |store| store.session_with_workers(session)).await?;
        self.refuse_unusable(&found.session)?;
        let name = name.unwrap_or_else(|| next_terminal(&found.workers));
        let new = store::NewWorker { id, kind, name, command };
        let worker = self.step(move |store| store.add_worker(session, &new, Timestamp::now())).await?;
        self.access().record(who, "worker.start", id, Some(worker.name.clone())).await;
        match self.start(&found.session, &worker, size, variables, None).await {
            Ok(worker) => self.unless_closed(worker).await,
            Err(problem) => {
                // The server may have noticed the removed directory, and forgotten the worker already.
                let _ =
                    self.happened(move |store: &store::Store| store.remove_worker(id)).until_written().await;
                Err(problem)
            }
        }
    }

    /// Returns a worker that was just started. If its session was closed meanwhile, ends the worker. A request that
    /// closes a session ends its workers, except those that are still being started.
    async fn unless_closed(&self, worker: Worker) -> Result<Worker, Problem> {
        let session = worker.session;
        let is_closed = match self.read(move |store| store.session(session)).await {
            Ok(session) => session.closed_at.is_some(),
            Err(problem) => problem.code() == ErrorCode::NotFound,
        };
        if !is_closed {
            return Ok(worker);
        }
        self.undo_start(&worker).await;
        // It may have been removed with its session.
        let _ = self.forget(&worker).await;
        Err(Problem::new(ErrorCode::WrongState, "the session is closed"))
    }

    /// Ends a worker that no answer has named yet, and removes everything of it.
    pub(super) async fn undo_start(&self, worker: &Worker) {
        self.revoke_tokens_of(worker.id, true).await;
        if let Err(problem) = self.end(worker).await {
            tracing::warn!(worker.id = %worker.id, reason = problem.error.message, "a worker that is not wanted still runs");
            return;
        }
        let _ = self.node().remove_worker(worker.id).await;
    }
}

/// `Terminal 1`, `Terminal 2` and so on.
fn next_terminal(workers: &[Worker]) -> String {
    let taken = |name: &String| workers.iter().any(|worker| worker.name == *name);
    let names = (1..).map(|number| format!("Terminal {number}"));
    names.into_iter().find(|name| !taken(name)).unwrap_or_default()
}
