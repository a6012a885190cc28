//! What hosts tell of their workers, their end included.

use api::{DashboardEvent, ErrorCode, Problem};
use jiff::Timestamp;
use model::{ExitStatus, WorkerId, WorkerLife};
use protocol::{SignalMessage, StatusReport, ViewerId};

use crate::app::App;
use crate::changes::Changed;
use crate::hosts;

impl App {
    /// A worker's host has told all about it.
    pub(crate) async fn reported(&self, id: WorkerId, report: &StatusReport) {
        self.lives().learn(id, report);
        let is_live = self.db(move |store| store.worker(id)).await;
        if let Ok(worker) = is_live
            && worker.life != WorkerLife::Live
        {
            // It was thought to be lost, and another host took it up.
            let _ = self.write_down(move |store| store.worker_live(id, Timestamp::now())).await;
        }
        self.changed(Changed::Worker(id));
    }

    /// A worker's program has said something.
    pub(crate) fn signalled(&self, id: WorkerId, signal: &SignalMessage) {
        if self.lives().hear(id, signal) {
            self.changed(Changed::Worker(id));
        }
    }

    /// These see a worker now.
    pub(crate) fn seen_by(&self, id: WorkerId, now: Vec<(ViewerId, String)>) {
        let before = self.lives().see(id, now.clone());
        let viewers = u32::try_from(now.len()).unwrap_or(u32::MAX);
        let named = |name: &str| model::display_safe(name);
        for (viewer, name) in &now {
            if !before.iter().any(|(there, _)| there == viewer) {
                self.tell(DashboardEvent::ViewerAttached { worker_id: id, viewer: named(name), viewers });
            }
        }
        for (viewer, name) in &before {
            if !now.iter().any(|(there, _)| there == viewer) {
                self.tell(DashboardEvent::ViewerDetached { worker_id: id, viewer: named(name), viewers });
            }
        }
        self.changed(Changed::Worker(id));
    }

    /// A worker's host is there and says nothing, or speaks again.
    pub(crate) fn is_silent(&self, id: WorkerId, silent: bool) {
        self.lives().is_silent(id, silent);
        self.changed(Changed::Worker(id));
    }

    /// A worker's child has ended.
    ///
    /// # Errors
    ///
    /// When that could not be written down, and may be later.
    pub(crate) async fn exited(
        &self,
        id: WorkerId,
        status: ExitStatus,
        at: Timestamp,
    ) -> Result<(), Problem> {
        let activity = self.lives().get(id).map(|live| live.activity()).unwrap_or_default();
        let kept = self.db(move |store| {
            store.set_activity(id, activity)?;
            store.worker_exited(id, status, at)
        });
        let kept = kept.await;
        self.revoke_tokens_of(id, false).await;
        self.changed(Changed::Worker(id));
        match kept {
            Ok(worker) => {
                let signal = match status {
                    ExitStatus::Killed { signal } => Some(signal),
                    ExitStatus::Exited { .. } | ExitStatus::Unknown => None,
                };
                self.tell(DashboardEvent::ProcessExited {
                    worker_id: id,
                    session_id: worker.session,
                    exit_code: status.code(),
                    signal,
                });
            }
            Err(problem) if problem.code() == ErrorCode::Unavailable => return Err(problem),
            Err(problem) => {
                tracing::warn!(worker.id = %id, reason = problem.error.message, "its end is not kept");
            }
        }
        self.lives().forget(id);
        Ok(())
    }

    /// A worker's host vanished without a word.
    ///
    /// # Errors
    ///
    /// When that could not be written down, and may be later.
    pub(crate) async fn lost(&self, id: WorkerId) -> Result<(), Problem> {
        self.lives().forget(id);
        let reason = hosts::why_lost(&self.home().worker(id));
        let kept = self.db(move |store| store.worker_lost(id, reason, Timestamp::now())).await;
        self.changed(Changed::Worker(id));
        match kept {
            // That it is lost may be known already, and one that was removed is not missed.
            Ok(_) => Ok(()),
            Err(problem) if matches!(problem.code(), ErrorCode::WrongState | ErrorCode::NotFound) => Ok(()),
            Err(problem) if problem.code() == ErrorCode::Unavailable => Err(problem),
            Err(problem) => {
                tracing::warn!(worker.id = %id, reason = problem.error.message, "that it is lost is not kept");
                Ok(())
            }
        }
    }
}
