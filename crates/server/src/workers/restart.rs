//! Starts a worker again.

use api::Problem;
use model::{WorkerId, WorkerLife};
use store::WorkerKind;

use super::{Wanted, refuse_unmade};
use crate::rooms::Workers;
use crate::tokens::Principal;
use crate::views;

impl Workers {
    /// Starts a worker's command again, as a new worker that replaces the old one. Refuses to end the main worker of a
    /// task's session, because only its task ends it; after its end it can be started again here.
    pub(crate) async fn restart(
        &self,
        who: &Principal,
        id: WorkerId,
        goes_on: bool,
    ) -> Result<api::Worker, Problem> {
        let old = self.read(move |store| store.worker(id)).await?;
        refuse_unmade(&old)?;
        if old.primary && old.life == WorkerLife::Live {
            self.refuse_task_worker(&old).await?;
        }
        let session = old.session;
        self.refuse_unusable(&self.read(move |store| store.session(session)).await?)?;
        let mut wanted = match &old.kind {
            // An agent that never ran has no conversation to continue.
            WorkerKind::Agent { agent } if goes_on && !matches!(old.life, WorkerLife::Failed { .. }) => {
                self.wanted_agent(agent, None, true)?
            }
            WorkerKind::Agent { agent } => {
                let variables = self.wanted_agent(agent, None, false)?.variables;
                Wanted { kind: old.kind.clone(), name: None, command: old.command.clone(), variables }
            }
            WorkerKind::Terminal => Wanted {
                kind: old.kind.clone(),
                name: None,
                command: old.command.clone(),
                variables: Vec::new(),
            },
        };
        wanted.name = Some(old.name.clone());
        self.end(&old).await?;
        let worker = self.add_wanted(who, old.session, wanted, None).await?;
        // Only after the new worker has started: otherwise the old one can be started again.
        let earlier = format!("{} (earlier)", old.name.trim_end_matches(" (earlier)"));
        let new = worker.id;
        self.happened(move |store: &store::Store| store.replace_worker(id, &earlier, new))
            .until_written()
            .await?;
        if old.life == WorkerLife::Paused {
            // It was imported and has no recording here.
            self.forget(&old).await?;
        }
        Ok(views::worker(&worker, self.lives()))
    }
}
