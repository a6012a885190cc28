//! A task's life: written down, started, archived, finished.

use std::ffi::OsString;

use api::{CreateTask, ErrorCode, KeptWorktree, Problem, UpdateTask};
use git::{BranchName, WorktreeBranch};
use jiff::Timestamp;
use model::{SessionId, TaskId, TaskState, WorkerId, WorktreeId};
use store::{Begun, NewTask, NewTaskSession, NewWorktree, SessionFilter, Task, TaskChange, WorktreePlace};

use crate::app::App;
use crate::changes::Changed;
use crate::tokens::Principal;
use crate::workers::{is_being_made, new_id};
use crate::{texts, views};

/// The agent of a task that names none.
const DEFAULT_AGENT: &str = "claude-code-builtin";

/// Of tasks with one title that start at once, each round of choosing a name for a branch leaves one fewer.
const MOST_TRIES: u32 = 64;

impl App {
    /// One task.
    pub(crate) async fn task(&self, id: TaskId) -> Result<api::Task, Problem> {
        let app = self.clone();
        self.db(move |store| views::task(store, &store.task(id)?, app.lives())).await
    }

    /// All tasks, or some.
    pub(crate) async fn tasks(&self, filter: store::TaskFilter) -> Result<Vec<api::Task>, Problem> {
        let app = self.clone();
        self.db(move |store| {
            let tasks = store.tasks(filter)?;
            tasks.iter().map(|task| views::task(store, task, app.lives())).collect()
        })
        .await
    }

    /// The worker of a task's session.
    pub(crate) async fn task_worker(&self, id: TaskId) -> Result<WorkerId, Problem> {
        let task = self.task(id).await?;
        task.worker_id.ok_or_else(|| {
            Problem::new(ErrorCode::NoSession, "the task has no session")
                .hint("start it with `session/start`")
        })
    }

    /// Writes down a task.
    pub(crate) async fn create_task(
        &self,
        who: &Principal,
        create: CreateTask,
    ) -> Result<api::Task, Problem> {
        if let Some(agent) = &create.agent_id {
            self.agent(agent)?;
        }
        let new = NewTask {
            repository: create.project_id,
            title: texts::line("title", &create.title)?,
            description: match &create.description {
                Some(text) => texts::description(text)?,
                None => None,
            },
            pinned: create.pinned,
            agent: create.agent_id,
        };
        let task = self.save(move |store| store.create_task(&new, Timestamp::now())).await?;
        self.record(who, "task.create", task.id, None).await;
        self.changed(Changed::Task(task.id));
        self.task(task.id).await
    }

    /// Changes what is written down.
    pub(crate) async fn update_task(&self, id: TaskId, update: UpdateTask) -> Result<api::Task, Problem> {
        if let Some(agent) = update.agent_id.as_deref().filter(|agent| !agent.is_empty()) {
            self.agent(agent)?;
        }
        let change = TaskChange {
            title: update.title.map(|title| texts::line("title", &title)).transpose()?,
            description: match update.description {
                Some(text) => Some(texts::description(&text)?),
                None => None,
            },
            pinned: update.pinned,
            agent: update.agent_id.map(|agent| (!agent.is_empty()).then_some(agent)),
            position: update.position.map(|position| usize::try_from(position).unwrap_or(0)),
        };
        self.save(move |store| store.update_task(id, &change)).await?;
        self.changed(Changed::Task(id));
        self.task(id).await
    }

    /// Forgets a task without a session.
    pub(crate) async fn delete_task(&self, who: &Principal, id: TaskId) -> Result<(), Problem> {
        self.save(move |store| store.delete_task(id)).await?;
        self.record(who, "task.delete", id, None).await;
        self.changed(Changed::Task(id));
        Ok(())
    }

    /// One of a task's steps that need nothing else.
    pub(crate) async fn step_task(
        &self,
        who: &Principal,
        id: TaskId,
        step: &'static str,
    ) -> Result<api::Task, Problem> {
        let stepped = self.save(move |store| match step {
            "activate" => store.activate_task(id),
            _ => store.reopen_task(id),
        });
        stepped.await?;
        self.record(who, &format!("task.{step}"), id, None).await;
        self.changed(Changed::Task(id));
        self.task(id).await
    }

    /// Starts a task's session: of however many ask at once, one gets it. Its worktree and its agent are seen to in
    /// the background, and what goes wrong there is written down.
    pub(crate) async fn start_task(&self, who: &Principal, id: TaskId) -> Result<api::Task, Problem> {
        let task = self.db(move |store| store.task(id)).await?;
        // Looked at before anything about the agent is: that the task is not active is the first thing to know.
        self.refuse_inactive(&task)?;
        let agent = task.agent.clone().unwrap_or_else(|| DEFAULT_AGENT.to_owned());
        let wanted = self.wanted_agent(&agent, Some(&prompt(&task)), false)?;
        let worktree = new_id(WorktreeId::from_random)?;
        let session = NewTaskSession {
            id: new_id(SessionId::from_random)?,
            worktree: NewWorktree {
                id: worktree,
                path: self.worktrees_dir().join(worktree.as_str()),
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
        let begun = self
            .save(move |store| store.begin_session(id, &session, &worker, Timestamp::now()))
            .await
            .map_err(not_active)?;
        self.record(who, "task.start", id, Some(begun.session.id.to_string())).await;
        self.changed(Changed::Task(id));
        self.changed(Changed::Session(begun.session.id));
        let app = self.clone();
        let variables = wanted.variables;
        tokio::spawn(async move { app.provision_task(begun, variables).await });
        self.task(id).await
    }

    fn refuse_inactive(&self, task: &Task) -> Result<(), Problem> {
        if task.state == TaskState::Active {
            return Ok(());
        }
        Err(Problem::new(ErrorCode::TaskNotActive, format!("the task is in state {}", task.state.as_str()))
            .hint("activate or reopen it first"))
    }

    /// Makes a task's worktree and starts its agent.
    async fn provision_task(self, begun: Begun, variables: Vec<(OsString, OsString)>) {
        let worker = begun.worker.id;
        let task = begun.task.id;
        if let Err(problem) = self.make_and_start(begun, variables).await {
            let reason = problem.error.message;
            tracing::info!(task.id = %task, reason, "a task's session could not be started");
            // One that failed to start has been written down already.
            let _ =
                self.write_down(move |store| store.worker_failed(worker, &reason, Timestamp::now())).await;
        }
        self.changed(Changed::Worker(worker));
        self.changed(Changed::Task(task));
    }

    async fn make_and_start(
        &self,
        begun: Begun,
        variables: Vec<(OsString, OsString)>,
    ) -> Result<(), Problem> {
        let Begun { session, worktree, worker, .. } = begun;
        let (worker_id, worktree_id, repository) = (worker.id, worktree.id, worktree.repository);
        let (worker, repository) = self
            .db(move |store| Ok((store.worker_provisioning(worker_id)?, store.repository(repository)?)))
            .await?;
        self.changed(Changed::Worker(worker_id));
        let made = self.make_task_worktree(&repository, &worktree).await;
        if let Err(problem) = made {
            self.write_down(move |store| store.worktree_gone(worktree_id, Timestamp::now())).await?;
            return Err(problem);
        }
        self.changed(Changed::Worktree(worktree_id));
        if let Some(notice) = self.run_setup(&repository, worktree_id).await? {
            let session = session.id;
            self.write_down(move |store| store.add_notice(session, &notice)).await?;
        }
        self.start_worker(&session, &worker, None, variables).await.map(|_| ())
    }

    async fn make_task_worktree(
        &self,
        repository: &store::Repository,
        worktree: &store::Worktree,
    ) -> Result<(), Problem> {
        let id = worktree.id;
        let mut tries = 0;
        loop {
            let (path, wanted) = (repository.path.clone(), worktree.branch.clone());
            let name = self.git(move |git| git.free_branch(&path, &wanted.parse()?)).await?;
            let branch = name.as_str().to_owned();
            self.db(move |store| store.set_worktree_branch(id, &branch)).await?;
            let branch = WorktreeBranch::New { name, base: None };
            let made = self.make_worktree(repository.path.clone(), worktree.path.clone(), branch).await;
            match made.and_then_ready(self, id).await {
                // Somebody else took the name in between.
                Err(problem) if problem.code() == ErrorCode::BranchExists && tries < MOST_TRIES => tries += 1,
                made => return made,
            }
        }
    }

    /// Archives a task's session, if it has one, and starts another.
    pub(crate) async fn retry_task(&self, who: &Principal, id: TaskId) -> Result<api::ArchivedTask, Problem> {
        let task = self.db(move |store| store.task(id)).await?;
        self.refuse_inactive(&task)?;
        let kept_worktree = self.archive(who, &task, false).await?;
        Ok(api::ArchivedTask { task: self.start_task(who, id).await?, kept_worktree })
    }

    /// Archives a task's session, if it has one, and finishes the task.
    pub(crate) async fn complete_task(
        &self,
        who: &Principal,
        id: TaskId,
    ) -> Result<api::ArchivedTask, Problem> {
        let task = self.db(move |store| store.task(id)).await?;
        task.state.complete().map_err(|wrong| Problem::new(ErrorCode::WrongState, wrong.to_string()))?;
        let kept_worktree = match task.session {
            Some(_) => self.archive(who, &task, true).await?,
            None => {
                self.save(move |store| store.complete_task(id)).await?;
                None
            }
        };
        self.record(who, "task.complete", id, None).await;
        self.changed(Changed::Task(id));
        Ok(api::ArchivedTask { task: self.task(id).await?, kept_worktree })
    }

    /// Ends a task's session: its workers first, always. Its worktree goes to the trash, unless work is in it that
    /// would be lost; then it is kept, and that is said.
    async fn archive(
        &self,
        who: &Principal,
        task: &Task,
        complete: bool,
    ) -> Result<Option<KeptWorktree>, Problem> {
        let Some(session) = task.session else { return Ok(None) };
        let found = self.db(move |store| store.session_with_workers(session)).await?;
        if found.workers.iter().any(is_being_made) {
            return Err(Problem::new(ErrorCode::WrongState, "the session is still being made")
                .hint("wait until it runs or has failed"));
        }
        for worker in &found.workers {
            self.end_worker(worker).await?;
        }
        let store::SessionKind::Worktree { worktree, .. } = found.session.kind else {
            return Err(Problem::new(ErrorCode::Internal, "a task's session has no worktree"));
        };
        let worktree = self.db(move |store| store.worktree(worktree)).await?;
        let work = self.work_to_keep(&worktree).await;
        let kept = (!work.is_empty()).then(|| worktree.path.clone());
        let (id, path) = (task.id, kept.clone());
        let archived = self
            .save(move |store| {
                store.archive_this_session(id, session, Timestamp::now(), path.as_deref(), complete)
            })
            .await?;
        // Somebody else was faster.
        let Some(archived) = archived else { return Ok(None) };
        self.end_latecomers(session).await;
        let log = archived.log.id;
        self.record(who, "task.archive", id, Some(log.to_string())).await;
        self.changed(Changed::Session(session));
        self.changed(Changed::Task(id));
        let is_there = matches!(worktree.place, WorktreePlace::Ready | WorktreePlace::Kept { .. });
        if let Some(path) = kept {
            let (worktree_id, reason) = (worktree.id, work.join(", "));
            self.write_down(move |store| store.keep_worktree(worktree_id, &reason)).await?;
            self.changed(Changed::Worktree(worktree_id));
            return Ok(Some(KeptWorktree { path: views::text(&path), work }));
        }
        if is_there
            && worktree.path.is_dir()
            && let Err(problem) = self.trash(&worktree).await
        {
            // It stays where it is, and is said to.
            let reason = problem.error.message.clone();
            let (worktree_id, kept, path) = (worktree.id, reason.clone(), worktree.path.clone());
            self.write_down(move |store| {
                store.keep_worktree(worktree_id, &kept)?;
                store.log_kept_worktree(log, &path)
            })
            .await?;
            self.changed(Changed::Worktree(worktree_id));
            return Ok(Some(KeptWorktree { path: views::text(&worktree.path), work: vec![reason] }));
        }
        Ok(None)
    }

    /// Sees to worktrees whose session was archived by a server that was stopped before it could.
    pub(crate) async fn finish_archives(&self) -> Result<(), Problem> {
        let found = self.db(|store| Ok((store.worktrees(None)?, store.sessions(SessionFilter::Open)?)));
        let (worktrees, sessions) = found.await?;
        let is_left = |worktree: &&store::Worktree| {
            let is_marked =
                matches!(&worktree.place, WorktreePlace::Kept { reason } if reason == store::ARCHIVED);
            is_marked && !sessions.iter().any(|session| session.location == worktree.path)
        };
        for worktree in worktrees.iter().filter(is_left) {
            let mut work = self.work_to_keep(worktree).await;
            if work.is_empty()
                && let Err(problem) = self.trash(worktree).await
            {
                work.push(problem.error.message);
            }
            if !work.is_empty() {
                let (id, reason) = (worktree.id, work.join(", "));
                self.write_down(move |store| store.keep_worktree(id, &reason)).await?;
                self.changed(Changed::Worktree(id));
            }
        }
        Ok(())
    }

    /// Ends those who came into a session between the last look at it and its end. Those who are still being started
    /// see for themselves that it is closed.
    async fn end_latecomers(&self, session: SessionId) {
        let Ok(found) = self.db(move |store| store.session_with_workers(session)).await else { return };
        for worker in found.workers.iter().filter(|worker| !is_being_made(worker)) {
            if let Err(problem) = self.end_worker(worker).await {
                tracing::warn!(worker.id = %worker.id, reason = problem.error.message, "it outlives its session");
            }
        }
    }

    /// Why a worktree has to be kept. One that cannot be looked at is kept.
    async fn work_to_keep(&self, worktree: &store::Worktree) -> Vec<String> {
        let is_there = matches!(worktree.place, WorktreePlace::Ready | WorktreePlace::Kept { .. });
        if !is_there || !worktree.path.is_dir() {
            return Vec::new();
        }
        match self.work_in(worktree).await {
            Ok(work) => work,
            Err(problem) => vec![problem.error.message],
        }
    }

    /// Past sessions of a task, newest first.
    pub(crate) async fn session_logs(&self, id: TaskId) -> Result<Vec<api::SessionLog>, Problem> {
        let logs = self.db(move |store| store.session_logs(id)).await?;
        Ok(logs.into_iter().map(views::session_log).collect())
    }
}

/// What the agent is told: one argument, never typed.
fn prompt(task: &Task) -> String {
    match &task.description {
        Some(description) => format!("{}\n\n{description}", task.title),
        None => task.title.clone(),
    }
}

/// A task that cannot be started from where it is, in the words of that.
fn not_active(mut problem: Problem) -> Problem {
    if problem.code() == ErrorCode::WrongState {
        problem.error.code = ErrorCode::TaskNotActive;
        return problem.hint("activate or reopen it first");
    }
    problem
}
