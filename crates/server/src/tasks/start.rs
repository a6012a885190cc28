//! Starts a task's session: a worktree on a branch of its own, its setup commands, and the agent in it.

use std::ffi::OsString;

use api::{ErrorCode, Problem};
use git::{BranchName, WorktreeBranch};
use jiff::Timestamp;
use model::{SessionId, TaskId, WorkerId, WorktreeId};
use store::{Begun, NewTaskSession, NewWorktree, Task};

use super::refuse_inactive;
use crate::faults::StartStep;
use crate::rooms::Tasks;
use crate::stops::{Stop, Stoppable};
use crate::tokens::Principal;
use crate::workers::new_id;

/// The agent of a task that names none.
const DEFAULT_AGENT: &str = "claude";

/// A start tries this many branch names. Of tasks with one title that start at once, one gets its name in each round.
const MOST_TRIES: u32 = 64;

impl Tasks {
    /// Starts a task's session. Of several requests at once, one succeeds. The worktree is made and the agent is
    /// started in the background; if that fails, the reason is written down. A server that is told to stop waits for
    /// it.
    pub(crate) async fn start(&self, who: &Principal, id: TaskId) -> Result<api::Task, Problem> {
        let task = self.read(move |store| store.task(id)).await?;
        refuse_inactive(&task)?;
        let agent = task.agent.clone().unwrap_or_else(|| DEFAULT_AGENT.to_owned());
        let wanted = self.workers().wanted_agent(&agent, Some(&prompt(&task)), false)?;
        let worktree = new_id(WorktreeId::from_random)?;
        let session = NewTaskSession {
            id: new_id(SessionId::from_random)?,
            worktree: NewWorktree {
                id: worktree,
                path: self.node().worktree_path(worktree),
                branch: BranchName::from_title(&task.title).as_str().to_owned(),
                base_commit: None,
                made_by_abide: true,
            },
            title: None,
        };
        let worker = store::NewWorker {
            id: new_id(WorkerId::from_random)?,
            kind: wanted.kind,
            name: wanted.name.unwrap_or_else(|| "Agent".to_owned()),
            command: wanted.command,
        };
        // Before the session is there, so that it can be cancelled from its first moment on.
        let work = self.stops().begin(worktree)?;
        self.faults().before(StartStep::Begin).await;
        let begun = self
            .step(move |store| store.begin_session(id, &session, &worker, Timestamp::now()))
            .await
            .map_err(not_active)?;
        self.access().record(who, "task.start", id, Some(begun.session.id.to_string())).await;
        let (app, variables) = (self.clone(), wanted.variables);
        self.parts().underway.begin(async move { app.provision(begun, variables, work).await });
        self.get(id).await
    }

    /// Makes a task's worktree and starts its agent.
    async fn provision(self, begun: Begun, variables: Vec<(OsString, OsString)>, work: Stoppable) {
        let (worker, worktree, task) = (begun.worker.id, begun.worktree.id, begun.task.id);
        if let Err(problem) = self.make_and_start(begun, variables, work.stop()).await {
            let reason = problem.error.message;
            tracing::info!(task.id = %task, reason, "a task's session could not be started");
            let _ = self
                .happened(move |store: &store::Store| {
                    store.start_failed(worktree, worker, &reason, Timestamp::now())
                })
                .until_written()
                .await;
        }
        self.faults().before(StartStep::Done).await;
    }

    async fn make_and_start(
        &self,
        begun: Begun,
        variables: Vec<(OsString, OsString)>,
        stop: &Stop,
    ) -> Result<(), Problem> {
        let Begun { session, worktree, worker, .. } = begun;
        let (worker_id, worktree_id, repository) = (worker.id, worktree.id, worktree.repository);
        self.may_take(StartStep::Provision, stop).await?;
        let (worker, repository) = self
            .step(move |store| Ok((store.worker_provisioning(worker_id)?, store.repository(repository)?)))
            .await?;
        self.make_task_worktree(&repository, &worktree, stop).await?;
        self.may_take(StartStep::Setup, stop).await?;
        if let Some(notice) = self.worktrees().run_setup(&repository, worktree_id, stop).await? {
            let session = session.id;
            self.happened(move |store: &store::Store| store.add_notice(session, &notice))
                .until_written()
                .await?;
        }
        self.may_take(StartStep::StartAgent, stop).await?;
        self.workers().start(&session, &worker, None, variables, Some(stop)).await.map(|_| ())
    }

    /// Refuses the next step of a start that is asked to stop.
    async fn may_take(&self, step: StartStep, stop: &Stop) -> Result<(), Problem> {
        self.faults().before(step).await;
        stop.check()
    }

    async fn make_task_worktree(
        &self,
        repository: &store::Repository,
        worktree: &store::Worktree,
        stop: &Stop,
    ) -> Result<(), Problem> {
        let id = worktree.id;
        let mut tries = 0;
        loop {
            self.may_take(StartStep::NameBranch, stop).await?;
            let (path, wanted) = (repository.path.clone(), worktree.branch.clone());
            let name = self.node().git(move |git| git.free_branch(&path, &wanted.parse()?)).await?;
            let branch = name.as_str().to_owned();
            self.step(move |store| store.set_worktree_branch(id, &branch)).await?;
            let branch = WorktreeBranch::New { name, base: None };
            self.may_take(StartStep::MakeWorktree, stop).await?;
            let path = worktree.path.clone();
            let made = self.worktrees().make(repository.path.clone(), path, branch, stop).await;
            self.faults().before(StartStep::WorktreeReady).await;
            match made.and_then_ready(self, id).await {
                // Another start took the name in between.
                Err(problem) if problem.code() == ErrorCode::BranchExists && tries < MOST_TRIES => tries += 1,
                made => return made,
            }
        }
    }
}

/// The agent's prompt: one argument, never typed.
fn prompt(task: &Task) -> String {
    match &task.description {
        Some(description) => format!("{}\n\n{description}", task.title),
        None => task.title.clone(),
    }
}

/// The problem for a task that is not active.
fn not_active(mut problem: Problem) -> Problem {
    if problem.code() == ErrorCode::WrongState {
        problem.error.code = ErrorCode::TaskNotActive;
        return problem.hint("activate or reopen it first");
    }
    problem
}
