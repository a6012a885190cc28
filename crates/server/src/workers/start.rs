//! Starts a worker that the database knows.

use std::ffi::OsString;

use api::{DashboardEvent, Problem};
use jiff::Timestamp;
use model::{TermSize, WorkerLife};
use store::{Session, SessionKind, Worker, WorkerKind};

use crate::faults::StartStep;
use crate::node::{GivenHooks, StartWorker};
use crate::rooms::Workers;
use crate::stops::Stop;

impl Workers {
    /// Starts a worker that the database knows, and writes down whether that succeeded. If it is asked to stop before the
    /// worker runs, it ends the worker and removes everything of it.
    pub(crate) async fn start(
        &self,
        session: &Session,
        worker: &Worker,
        size: Option<TermSize>,
        mut variables: Vec<(OsString, OsString)>,
        stop: Option<&Stop>,
    ) -> Result<Worker, Problem> {
        let id = worker.id;
        let place = self.place(session).await?;
        if let SessionKind::Worktree { worktree, .. } = session.kind {
            variables.push(("COMPOSE_PROJECT_NAME".into(), format!("abide-{worktree}").into()));
        }
        let agent = match &worker.kind {
            WorkerKind::Agent { agent } => Some(agent.clone()),
            WorkerKind::Terminal => None,
        };
        if agent.is_some() {
            variables.extend(self.token_for(worker).await);
        }
        let hooks = agent.as_deref().and_then(|agent| self.hooks_for(worker, agent));
        let (command, hook_settings) = match hooks {
            Some((command, settings)) => (command, Some(settings)),
            None => (worker.command.clone(), None),
        };
        let start = StartWorker {
            id,
            session: place,
            near: if agent.is_some() { worker.name.to_lowercase() } else { program(&worker.command) },
            agent,
            command,
            cwd: session.location.clone(),
            size,
            variables,
            hook_settings,
        };
        if worker.life == WorkerLife::Pending {
            self.step(move |store| store.worker_provisioning(id)).await?;
        }
        let started = self.node().start(start).await.map(|handle| self.lives().set_handle(id, Some(handle)));
        if let Err(problem) = started {
            // The person reads this reason later, as the reason of the task's failure, and needs the hint there too.
            let reason = match &problem.error.hint {
                Some(hint) => format!("{}; {hint}", problem.error.message),
                None => problem.error.message.clone(),
            };
            // The answer names this problem, also if the worker is gone from the database meanwhile.
            let _ = self
                .happened(move |store: &store::Store| store.worker_failed(id, &reason, Timestamp::now()))
                .until_written()
                .await;
            self.revoke_tokens_of(id, true).await;
            return Err(problem);
        }
        self.faults().before(StartStep::AgentLive).await;
        if let Some(Err(problem)) = stop.map(Stop::check) {
            self.undo_start(worker).await;
            return Err(problem);
        }
        let worker = match self
            .happened(move |store: &store::Store| store.worker_live(id, Timestamp::now()))
            .until_written()
            .await
        {
            Ok(worker) => worker,
            Err(problem) => {
                // The worker was removed with its session.
                self.undo_start(worker).await;
                return Err(problem);
            }
        };
        self.parts().metrics.started();
        self.tell(DashboardEvent::TerminalCreated { worker_id: id, session_id: worker.session });
        self.parts().watches.begin(self, id);
        Ok(worker)
    }

    /// The command of an agent with arguments that make it run our hooks, and the settings for these. Nothing if the user's
    /// definition gives it settings of its own.
    fn hooks_for(&self, worker: &Worker, agent: &str) -> Option<(Vec<String>, Vec<u8>)> {
        let agent = self.agent(agent).ok()?;
        let first = agent.hooks.arguments.first()?;
        if agent.hooks.is_empty() || agent.command.contains(first) {
            return None;
        }
        let GivenHooks { arguments, settings } = self.node().hooks_for(worker.id, &agent.hooks)?;
        Some((agent.with_arguments(&worker.command, arguments)?, settings))
    }

    /// The session, as the meta of its workers describes it.
    async fn place(&self, session: &Session) -> Result<home::Session, Problem> {
        let SessionKind::Worktree { repository, worktree } = session.kind else {
            return Ok(home::Session::Quick { id: session.id });
        };
        let (id, task) = (session.id, session.task);
        let found =
            move |store: &store::Reader| Ok((store.repository(repository)?, store.worktree(worktree)?));
        let (repository, worktree) = self.read(found).await?;
        Ok(home::Session::Worktree {
            id,
            repository: repository.id,
            repository_path: repository.path,
            worktree: worktree.id,
            branch: worktree.branch,
            task,
        })
    }
}

fn program(command: &[String]) -> String {
    let program = command.first().map_or("", String::as_str);
    program.rsplit('/').next().unwrap_or(program).to_owned()
}
