//! Takes in the reports of hosts, the end of a worker included.

use api::{DashboardEvent, ErrorCode, Problem};
use jiff::Timestamp;
use model::{ExitStatus, WorkerId, WorkerLife};
use protocol::{RowsReport, SignalMessage, StatusReport, ViewerId};
use store::{Store, WorkerKind};

use crate::live::Started;
use crate::rooms::Workers;
use crate::standing::StandingChange;

impl Workers {
    /// Takes in a host's report about its worker.
    pub(crate) async fn reported(&self, id: WorkerId, report: &StatusReport) {
        let known = self.read(move |store| store.worker(id)).await;
        let started = match &known {
            Ok(worker) => Started {
                agent: match &worker.kind {
                    WorkerKind::Agent { agent } => Some(agent.clone()),
                    WorkerKind::Terminal => None,
                },
                command: worker.command.clone(),
            },
            // The database does not answer.
            Err(_) => Started { agent: None, command: Vec::new() },
        };
        self.note(id, self.lives().learn(self.owner(), id, self.agents(), &started, report));
        if let Err(problem) = self.hooked(id).await {
            tracing::debug!(worker.id = %id, reason = problem.error.message, "its hooks are not heard");
        }
        if let Ok(worker) = known
            && worker.life != WorkerLife::Live
        {
            // The worker seemed lost, and another host adopted it.
            let _ = self
                .happened(move |store: &store::Store| store.worker_live(id, Timestamp::now()))
                .until_written()
                .await;
        }
    }

    /// Takes in a signal of a worker's program.
    pub(crate) fn signalled(&self, id: WorkerId, signal: &SignalMessage) {
        self.note(id, self.lives().hear(self.owner(), id, self.agents(), signal));
    }

    /// Takes in that a worker's program has printed something.
    pub(crate) fn printed(&self, id: WorkerId) {
        self.note(id, self.lives().printed(self.owner(), id));
    }

    /// Takes in that a worker's terminal has another size.
    pub(crate) fn resized(&self, id: WorkerId) {
        self.note(id, self.lives().resized(self.owner(), id));
    }

    /// Takes in the text of a worker's screen.
    pub(crate) fn seen(&self, id: WorkerId, rows: RowsReport) {
        self.note(id, self.lives().saw(self.owner(), id, rows));
    }

    /// Takes in that time has passed. Says whether the host should be asked for the text of the screen.
    pub(crate) fn wake(&self, id: WorkerId) -> bool {
        let (asks, change) = self.lives().wake(self.owner(), id);
        self.note(id, change);
        asks
    }

    pub(super) fn note(&self, id: WorkerId, change: Option<StandingChange>) {
        if let Some(change) = change {
            self.note_conversation_after(id, &change);
            self.inbox().note(id, change);
            self.prompts().look_again(id);
        }
    }

    /// Notes who sees a worker now, and tells the dashboard who came and left.
    pub(crate) fn seen_by(&self, id: WorkerId, now: Vec<(ViewerId, String)>) {
        let before = self.lives().see(self.owner(), id, now.clone());
        let viewers = u32::try_from(now.len()).unwrap_or(u32::MAX);
        let exit = self.node().exit_of(id, None);
        let named = |name: &str| exit.show(name).into();
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
    }

    /// Notes whether a worker's host exists and does not answer.
    pub(crate) fn set_not_answering(&self, id: WorkerId, not_answering: bool) {
        self.lives().set_not_answering(self.owner(), id, not_answering);
    }

    /// Writes down that a worker's child has ended.
    ///
    /// # Errors
    ///
    /// When the database cannot be written now, and may be later.
    pub(crate) async fn exited(
        &self,
        id: WorkerId,
        status: ExitStatus,
        at: Timestamp,
    ) -> Result<(), Problem> {
        let activity = self.lives().get(id).map(|live| live.activity()).unwrap_or_default();
        // A host writes its note before it tells of the end, unless the disk is slow.
        let on_request = self.node().exit_note(id).await.is_some_and(|note| note.on_request);
        let kept = self.happened(move |store: &Store| {
            store.set_activity(id, activity)?;
            store.worker_exited(id, status, at, on_request)
        });
        let kept = kept.once().await;
        self.revoke_tokens_of(id, false).await;
        match kept {
            Ok(worker) => {
                if !status.is_success() {
                    self.note_gone_conversation(&worker).await;
                }
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
        self.lives().forget(self.owner(), id);
        Ok(())
    }

    /// Writes down that a worker's host vanished.
    ///
    /// # Errors
    ///
    /// When the database cannot be written now, and may be later.
    pub(crate) async fn lost(&self, id: WorkerId) -> Result<(), Problem> {
        self.lives().forget(self.owner(), id);
        let reason = self.node().why_lost(id).await;
        let kept =
            self.happened(move |store: &Store| store.worker_lost(id, reason, Timestamp::now())).once().await;
        match kept {
            // The database may know already that it is lost, or the worker may be removed.
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
