//! A worker comes into a session.

use api::{CreateWorker, ErrorCode, Problem};
use jiff::Timestamp;
use model::{SessionId, TermSize, WorkerId};
use store::Worker;

use super::{Wanted, new_id, refuse_unusable};
use crate::app::{App, blocking};
use crate::changes::Changed;
use crate::tokens::Principal;
use crate::views;

impl App {
    /// Adds a worker to a session, and starts it. If it cannot be started, it was never there.
    pub(crate) async fn add_worker(
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
        let found = self.db(move |store| store.session_with_workers(session)).await?;
        refuse_unusable(&found.session)?;
        let name = name.unwrap_or_else(|| next_terminal(&found.workers));
        let new = store::NewWorker { id, kind, name, command };
        let worker = self.save(move |store| store.add_worker(session, &new, Timestamp::now())).await?;
        self.record(who, "worker.start", id, Some(worker.name.clone())).await;
        match self.start_worker(&found.session, &worker, size, variables).await {
            Ok(worker) => self.unless_closed(worker).await,
            Err(problem) => {
                // Whoever saw its directory go may have forgotten it already.
                let _ = self.write_down(move |store| store.remove_worker(id)).await;
                self.changed(Changed::Worker(id));
                Err(problem)
            }
        }
    }

    /// A worker that was just started; none, if its session came to its end meanwhile. Whoever ends a session looks at
    /// who is in it after it is closed, and leaves those to us who were still being started then.
    async fn unless_closed(&self, worker: Worker) -> Result<Worker, Problem> {
        let session = worker.session;
        let is_closed = match self.db(move |store| store.session(session)).await {
            Ok(session) => session.closed_at.is_some(),
            Err(problem) => problem.code() == ErrorCode::NotFound,
        };
        if !is_closed {
            return Ok(worker);
        }
        self.undo_start(&worker).await;
        // It may have gone with its session.
        let _ = self.forget_worker(&worker).await;
        Err(Problem::new(ErrorCode::WrongState, "the session is closed"))
    }

    /// Ends a worker that nobody was told of, and leaves nothing of it.
    pub(super) async fn undo_start(&self, worker: &Worker) {
        if let Err(problem) = self.end_worker(worker).await {
            tracing::warn!(worker.id = %worker.id, reason = problem.error.message, "a worker is left that nobody wants");
            return;
        }
        let dir = self.home().worker(worker.id);
        let _ = blocking(move || dir.remove()).await;
    }
}

/// `Terminal 1`, `Terminal 2` and so on.
fn next_terminal(workers: &[Worker]) -> String {
    let taken = |name: &String| workers.iter().any(|worker| worker.name == *name);
    let names = (1..).map(|number| format!("Terminal {number}"));
    names.into_iter().find(|name| !taken(name)).unwrap_or_default()
}
