//! A worker that was written down is started.

use std::ffi::OsString;

use api::{DashboardEvent, Problem};
use jiff::Timestamp;
use model::{TermSize, WorkerLife};
use store::{Session, SessionKind, Worker, WorkerKind};

use crate::app::{App, blocking};
use crate::changes::Changed;
use crate::hosts::StartWorker;
use crate::troubles;

impl App {
    /// Starts a worker that was written down. How that went is written down as well.
    pub(crate) async fn start_worker(
        &self,
        session: &Session,
        worker: &Worker,
        size: Option<TermSize>,
        mut variables: Vec<(OsString, OsString)>,
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
        let start = StartWorker {
            id,
            session: place,
            near: if agent.is_some() { worker.name.to_lowercase() } else { program(&worker.command) },
            agent,
            command: worker.command.clone(),
            cwd: session.location.clone(),
            size,
            variables,
        };
        if worker.life == WorkerLife::Pending {
            self.db(move |store| store.worker_provisioning(id)).await?;
        }
        let app = self.clone();
        let started = blocking(move || app.parts().hosts.start(start)).await?;
        if let Err(error) = started {
            let problem = troubles::of_start(&error);
            let reason = problem.error.message.clone();
            // Why it did not start is what to tell, also when it is gone meanwhile.
            let _ = self.write_down(move |store| store.worker_failed(id, &reason, Timestamp::now())).await;
            self.changed(Changed::Worker(id));
            return Err(problem);
        }
        let worker = match self.write_down(move |store| store.worker_live(id, Timestamp::now())).await {
            Ok(worker) => worker,
            Err(problem) => {
                // It went with its session: nobody would know of it.
                self.undo_start(worker).await;
                return Err(problem);
            }
        };
        self.parts().metrics.started();
        self.tell(DashboardEvent::TerminalCreated { worker_id: id, session_id: worker.session });
        self.changed(Changed::Worker(id));
        self.parts().watches.begin(self, id);
        Ok(worker)
    }

    /// A session as its workers' directories tell of it.
    async fn place(&self, session: &Session) -> Result<home::Session, Problem> {
        let SessionKind::Worktree { repository, worktree } = session.kind else {
            return Ok(home::Session::Quick { id: session.id });
        };
        let (id, task) = (session.id, session.task);
        let found =
            move |store: &store::Store| Ok((store.repository(repository)?, store.worktree(worktree)?));
        let (repository, worktree) = self.db(found).await?;
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
