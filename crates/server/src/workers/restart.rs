//! Starts a worker again.

use api::{Problem, Restart, WorkerReply};
use model::{WorkerId, WorkerLife};

use super::again::Again;
use super::refuse_unmade;
use crate::rooms::Workers;
use crate::tokens::Principal;
use crate::views;

impl Workers {
    /// Starts a worker again, as a new worker that replaces the old one. Refuses to end the main worker of a task's session,
    /// because only its task ends it; after its end it can be started again here.
    pub(crate) async fn restart(
        &self,
        who: &Principal,
        id: WorkerId,
        restart: Restart,
    ) -> Result<WorkerReply, Problem> {
        let old = self.read(move |store| store.worker(id)).await?;
        refuse_unmade(&old)?;
        if old.primary && old.life == WorkerLife::Live {
            self.refuse_task_worker(&old).await?;
        }
        let session = old.session;
        self.refuse_unusable(&self.read(move |store| store.session(session)).await?)?;
        self.note_conversation(id).await;
        self.end(&old).await?;
        let Again { wanted, notice } = self.again(&old, restart).await?;
        let worker = self.add_wanted(who, session, wanted, None).await?;
        // Only after the new worker has started: otherwise the old one can be started again.
        let earlier = format!("{} (earlier)", old.name.trim_end_matches(" (earlier)"));
        let (new, words) = (worker.id, notice.clone());
        self.happened(move |store: &store::Store| {
            if let Some(words) = &words {
                store.add_notice(session, words)?;
            }
            store.replace_worker(id, &earlier, new)
        })
        .until_written()
        .await?;
        if old.life == WorkerLife::Paused {
            // It was imported and has no recording here.
            self.forget(&old).await?;
        }
        Ok(WorkerReply { worker: views::worker(&worker, self.lives()), notice })
    }
}
