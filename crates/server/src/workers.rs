//! A worker's life, as the server sees to it: asked for, started, ended, restarted, taken out.

use std::ffi::OsString;
use std::time::Duration;

use agents::{Agent, AgentId};
use api::{CreateWorker, DashboardEvent, ErrorCode, Problem};
use jiff::Timestamp;
use model::{ExitStatus, SessionId, TermSize, WorkerId, WorkerLife};
use protocol::{Attach, Form, SignalMessage, StatusReport, VERSION, ViewerId};
use store::{Scope, Session, SessionKind, Worker, WorkerKind};

use crate::app::{App, blocking};
use crate::changes::Changed;
use crate::hosts::{self, StartWorker};
use crate::tokens::Principal;
use crate::{texts, troubles, views};

/// A new worker's directory is looked at so often until its host runs.
const LOOKS: u32 = 100;

/// After so long each.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// What the person wants to run, before it has an id.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) kind: WorkerKind,
    pub(crate) name: Option<String>,
    pub(crate) command: Vec<String>,
    pub(crate) variables: Vec<(OsString, OsString)>,
}

impl App {
    /// One worker.
    pub(crate) async fn worker(&self, id: WorkerId) -> Result<api::Worker, Problem> {
        let worker = self.db(move |store| store.worker(id)).await?;
        Ok(views::worker(&worker, self.lives()))
    }

    /// All workers of sessions that are open.
    pub(crate) async fn workers(&self) -> Result<Vec<api::Worker>, Problem> {
        Ok(self.sessions().await?.into_iter().flat_map(|session| session.workers).collect())
    }

    /// The agent of this id.
    pub(crate) fn agent(&self, id: &str) -> Result<&Agent, Problem> {
        let unknown = || {
            let known: Vec<&str> = self.agents().all().map(|agent| agent.id.as_str()).collect();
            let shown = model::display_safe(id);
            Problem::new(ErrorCode::UnknownAgent, format!("there is no agent `{shown}`")).hint(format!(
                "known are {}; `agents.toml` in the data directory can name more",
                known.join(", ")
            ))
        };
        let id: AgentId = id.parse().map_err(|_| unknown())?;
        self.agents().get(&id).ok_or_else(unknown)
    }

    /// An agent to be run.
    pub(crate) fn wanted_agent(
        &self,
        id: &str,
        prompt: Option<&str>,
        goes_on: bool,
    ) -> Result<Wanted, Problem> {
        let agent = self.agent(id)?;
        let prompt = prompt.map(texts::prompt).transpose()?.flatten();
        let command = if goes_on { agent.restart() } else { agent.start(prompt.as_deref()) };
        let variables = agent.environment.iter().map(|(name, value)| (name.into(), value.into()));
        Ok(Wanted {
            kind: WorkerKind::Agent { agent: agent.id.as_str().to_owned() },
            name: Some(agent.name.clone()),
            command,
            variables: variables.collect(),
        })
    }

    fn wanted(&self, new: CreateWorker) -> Result<Wanted, Problem> {
        match new {
            CreateWorker::Agent { name, agent_id, prompt, continue_conversation } => {
                let mut wanted = self.wanted_agent(&agent_id, prompt.as_deref(), continue_conversation)?;
                if let Some(name) = name {
                    wanted.name = Some(texts::line("name", &name)?);
                }
                Ok(wanted)
            }
            CreateWorker::Terminal { name, command } => {
                let name = name.map(|name| texts::line("name", &name)).transpose()?;
                let command = command.filter(|command| !command.is_empty());
                let command = match command {
                    Some(command) => command,
                    None => vec![self.parts().hosts.shell().to_string_lossy().into_owned()],
                };
                if command.iter().any(|word| word.contains('\0')) || command[0].is_empty() {
                    return Err(Problem::new(ErrorCode::BadText, "the command cannot be run as it is"));
                }
                Ok(Wanted { kind: WorkerKind::Terminal, name, command, variables: Vec::new() })
            }
        }
    }

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
    async fn undo_start(&self, worker: &Worker) {
        if let Err(problem) = self.end_worker(worker).await {
            tracing::warn!(worker.id = %worker.id, reason = problem.error.message, "a worker is left that nobody wants");
            return;
        }
        let dir = self.home().worker(worker.id);
        let _ = blocking(move || dir.remove()).await;
    }

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

    /// A token that opens an agent's own worker and nothing else.
    async fn token_for(&self, worker: &Worker) -> Vec<(OsString, OsString)> {
        let scope = Scope::Worker { worker: worker.id, drive: true };
        match self.gate().tokens().make(&format!("agent {}", worker.name), scope, None).await {
            Ok(made) => vec![
                ("ABIDE_TOKEN".into(), made.secret.expose().into()),
                ("ABIDE_URL".into(), self.parts().url.clone().into()),
            ],
            Err(error) => {
                tracing::warn!(worker.id = %worker.id, %error, "the agent gets no token");
                Vec::new()
            }
        }
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

    /// Ends a worker's child, and takes the worker out of its session. Nothing of it is left.
    pub(crate) async fn close_worker(&self, who: &Principal, id: WorkerId) -> Result<(), Problem> {
        let worker = self.db(move |store| store.worker(id)).await?;
        if worker.primary {
            self.refuse_task_worker(&worker).await?;
        }
        refuse_unmade(&worker)?;
        self.end_worker(&worker).await?;
        let dir = self.home().worker(id);
        let removed = blocking(move || dir.remove()).await?;
        if let Err(error) = removed
            && error.kind() != std::io::ErrorKind::NotFound
        {
            let words = format!("the worker has ended, and its recording cannot be removed: {error}");
            return Err(Problem::new(ErrorCode::Unavailable, words));
        }
        self.forget_worker(&worker).await?;
        self.record(who, "worker.close", id, Some(worker.name)).await;
        self.tell(DashboardEvent::TerminalClosed { worker_id: id, session_id: worker.session });
        Ok(())
    }

    async fn refuse_task_worker(&self, worker: &Worker) -> Result<(), Problem> {
        let session = worker.session;
        let session = self.db(move |store| store.session(session)).await?;
        let Some(task) = session.task else { return Ok(()) };
        let owner = self.db(move |store| store.task(task)).await?;
        if owner.session == Some(session.id) {
            let words = "the worker is the one that its task's session was started for";
            return Err(Problem::new(ErrorCode::InUse, words)
                .hint("complete the task, or start its session over")
                .detail(serde_json::json!({ "taskId": task })));
        }
        Ok(())
    }

    /// Takes a worker that is gone out of the database.
    pub(crate) async fn forget_worker(&self, worker: &Worker) -> Result<(), Problem> {
        let id = worker.id;
        self.parts().watches.end(id);
        self.lives().forget(id);
        self.revoke_tokens_of(id, true).await;
        // That its directory is gone may have been noticed already.
        let removed = self.write_down(move |store| match store.remove_worker(id) {
            Err(store::StoreError::NotFound { .. }) => Ok(()),
            removed => removed,
        });
        removed.await?;
        self.changed(Changed::Worker(id));
        self.changed(Changed::Session(worker.session));
        Ok(())
    }

    /// Takes back the tokens that a worker which has ended was given, or all that open it.
    async fn revoke_tokens_of(&self, id: WorkerId, all: bool) {
        let tokens = self.db(store::Store::tokens).await.unwrap_or_default();
        let is_its = |token: &store::Token| match token.scope {
            Scope::Worker { worker, drive } => worker == id && (all || drive),
            Scope::All => false,
        };
        for token in tokens.into_iter().filter(|token| token.revoked_at.is_none()).filter(is_its) {
            if let Err(error) = self.gate().tokens().revoke(token.id).await {
                tracing::warn!(worker.id = %id, %error, "a token is not taken back for good");
            }
        }
    }

    /// Ends a worker's child, if it lives, and waits for it.
    pub(crate) async fn end_worker(&self, worker: &Worker) -> Result<(), Problem> {
        let dir = self.home().worker(worker.id);
        let ended = blocking(move || match reach::life(&dir) {
            reach::Life::Live(_) | reach::Life::NotAnswering { .. } => {
                reach::end(&dir, &as_server()).map(|_| ())
            }
            reach::Life::Exited(_) | reach::Life::Lost => {
                reach::wait_for_host(&dir);
                Ok(())
            }
        });
        ended.await?.or_else(|error| match error {
            reach::EndError::Unreached(reach::Unreached::Exited(_) | reach::Unreached::Lost) => Ok(()),
            error => {
                Err(Problem::new(ErrorCode::NotAnswering, format!("the worker cannot be ended: {error}"))
                    .hint("try again; `abide doctor` looks at hosts that do not answer"))
            }
        })
    }

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

    /// A worker's directory has come to be. Those that we start ourselves are known before.
    pub(crate) fn came(&self, id: WorkerId) {
        let app = self.clone();
        tokio::spawn(async move {
            for _ in 0..LOOKS {
                tokio::time::sleep(LOOK_AGAIN).await;
                let dir = app.home().worker(id);
                let known = app.db(move |store| store.worker(id)).await.is_ok();
                let is_hosted = dir.identity().is_some_and(|identity| identity.is_alive());
                match dir.meta() {
                    _ if known || !dir.path().exists() => return,
                    Ok(meta) if is_hosted || dir.exit_note().is_some() => {
                        return crate::hosts::adopt(&app, home::Worker { dir, meta }).await;
                    }
                    _ => {}
                }
            }
        });
    }

    /// A worker's directory is gone: somebody removed the worker. That it has ended may be told only after that.
    pub(crate) fn went(&self, id: WorkerId) {
        let app = self.clone();
        tokio::spawn(async move {
            for _ in 0..LOOKS {
                match app.db(move |store| store.worker(id)).await {
                    Ok(worker) if !worker.life.is_open() => {
                        if let Err(problem) = app.forget_worker(&worker).await {
                            let reason = problem.error.message;
                            tracing::debug!(worker.id = %id, reason, "a removed worker is still known");
                        }
                        return;
                    }
                    Ok(_) => tokio::time::sleep(LOOK_AGAIN).await,
                    Err(_) => return,
                }
            }
        });
    }

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

/// Whether a worker is only just being started.
pub(crate) fn is_being_made(worker: &Worker) -> bool {
    matches!(worker.life, WorkerLife::Pending | WorkerLife::Provisioning)
}

fn refuse_unmade(worker: &Worker) -> Result<(), Problem> {
    if !is_being_made(worker) {
        return Ok(());
    }
    Err(Problem::new(ErrorCode::WrongState, "the worker is still being started").hint("wait until it runs"))
}

/// Refuses a session that nobody can be started in. Nothing is made in the place of a directory that is gone.
fn refuse_unusable(session: &Session) -> Result<(), Problem> {
    if session.closed_at.is_some() {
        return Err(Problem::new(ErrorCode::WrongState, "the session is closed"));
    }
    if !session.location.is_dir() {
        let words = format!("`{}` is no longer there", views::text(&session.location));
        return Err(Problem::new(ErrorCode::Missing, words));
    }
    Ok(())
}

/// How the server attaches when it ends a worker.
fn as_server() -> Attach {
    Attach {
        version: VERSION,
        epoch: None,
        since: None,
        history: 0,
        form: Form::Screen,
        read_only: false,
        size: None,
        ack: false,
        events: false,
        quiet: false,
        typist: None,
        name: "server".into(),
    }
}

/// A new id.
pub(crate) fn new_id<T>(of: impl FnOnce([u8; 8]) -> T) -> Result<T, Problem> {
    let bytes = home::random_bytes().map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
    Ok(of(bytes))
}

/// `Terminal 1`, `Terminal 2` and so on.
fn next_terminal(workers: &[Worker]) -> String {
    let taken = |name: &String| workers.iter().any(|worker| worker.name == *name);
    let names = (1..).map(|number| format!("Terminal {number}"));
    names.into_iter().find(|name| !taken(name)).unwrap_or_default()
}

fn program(command: &[String]) -> String {
    let program = command.first().map_or("", String::as_str);
    program.rsplit('/').next().unwrap_or(program).to_owned()
}
