//! A worker is started once more.

use api::Problem;
use model::{WorkerId, WorkerLife};
use store::WorkerKind;

use super::{Wanted, refuse_unmade, refuse_unusable};
use crate::app::App;
use crate::changes::Changed;
use crate::tokens::Principal;
use crate::views;

impl App {
    /// Starts a worker's command once more, in a worker of its own that takes the place of the one that ended. What a
    /// task's session was started for is ended by its task alone; when it has ended, it can be started again here.
    pub(crate) async fn restart_worker(
        &self,
        who: &Principal,
        id: WorkerId,
        goes_on: bool,
    ) -> Result<api::Worker, Problem> {
        let old = self.db(move |store| store.worker(id)).await?;
        refuse_unmade(&old)?;
        if old.primary && old.life == WorkerLife::Live {
            self.refuse_task_worker(&old).await?;
        }
        let session = old.session;
        refuse_unusable(&self.db(move |store| store.session(session)).await?)?;
        let mut wanted = match &old.kind {
            // One that never ran has no conversation to go on with.
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
        self.end_worker(&old).await?;
        let worker = self.add_wanted(who, old.session, wanted, None).await?;
        // Not before there is another one: if that cannot be started, this one can be started again.
        let earlier = format!("{} (earlier)", old.name.trim_end_matches(" (earlier)"));
        let new = worker.id;
        self.write_down(move |store| store.replace_worker(id, &earlier, new)).await?;
        self.changed(Changed::Worker(id));
        // Whose task is doing as it does.
        self.changed(Changed::Worker(new));
        self.changed(Changed::Session(session));
        if old.life == WorkerLife::Paused {
            // Nothing of it was ever here.
            self.forget_worker(&old).await?;
        }
        Ok(views::worker(&worker, self.lives()))
    }
}
