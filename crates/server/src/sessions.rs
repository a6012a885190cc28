//! The room of sessions: makes, lists, imports, restarts and ends them.

mod import;

use std::path::PathBuf;

use api::{CreateSession, ErrorCode, Problem, Restart, UpdateSession};
use model::SessionId;
use store::{NewSession, SessionFilter, SessionKind, SessionWithWorkers};

use crate::rooms::Sessions;
use crate::tokens::Principal;
use crate::workers::{is_being_made, new_id};
use crate::{texts, views};

/// An agent to start in a new session.
struct First {
    agent_id: Option<String>,
    prompt: Option<String>,
    continue_conversation: bool,
}

impl Sessions {
    /// All sessions that are not closed.
    pub(crate) async fn list(&self) -> Result<Vec<api::Session>, Problem> {
        let app = self.clone();
        self.read(move |store| {
            let sessions = store.sessions_with_workers(SessionFilter::Open)?;
            sessions.iter().map(|found| app.session_view(store, found)).collect()
        })
        .await
    }

    /// One session.
    pub(crate) async fn get(&self, id: SessionId) -> Result<api::Session, Problem> {
        let app = self.clone();
        self.read(move |store| app.session_view(store, &store.session_with_workers(id)?)).await
    }

    fn session_view(
        &self,
        store: &store::Reader,
        found: &SessionWithWorkers,
    ) -> Result<api::Session, store::StoreError> {
        let worktree = match found.session.kind {
            SessionKind::Quick => None,
            SessionKind::Worktree { worktree, .. } => Some(store.worktree(worktree)?),
        };
        Ok(views::session(found, worktree.as_ref(), self.node(), self.lives()))
    }

    /// Makes a session, with an agent in it if the request names one. If the agent cannot be started, no session is made.
    pub(crate) async fn create(&self, who: &Principal, new: CreateSession) -> Result<api::Session, Problem> {
        let (kind, location, first) = match new {
            CreateSession::Quick { location_path, agent_id, continue_conversation, prompt } => {
                let location = self.node().directory(&location_path)?;
                (SessionKind::Quick, location, First { agent_id, prompt, continue_conversation })
            }
            CreateSession::Worktree {
                repository_id,
                worktree_id,
                location_path,
                agent_id,
                continue_conversation,
                prompt,
            } => {
                let location = self.worktrees().location(worktree_id).await?;
                if location_path.is_some_and(|path| std::path::Path::new(&path) != location) {
                    let words = format!("the worktree is at `{}`", views::text(&location));
                    return Err(Problem::new(ErrorCode::BadPath, words));
                }
                let kind = SessionKind::Worktree { repository: repository_id, worktree: worktree_id };
                (kind, location, First { agent_id, prompt, continue_conversation })
            }
        };
        self.open(who, kind, location, first).await
    }

    async fn open(
        &self,
        who: &Principal,
        kind: SessionKind,
        location: PathBuf,
        first: First,
    ) -> Result<api::Session, Problem> {
        let wanted = match &first.agent_id {
            Some(agent) => Some(self.workers().wanted_agent(
                agent,
                first.prompt.as_deref(),
                first.continue_conversation,
            )?),
            None => None,
        };
        let id = new_id(SessionId::from_random)?;
        let new = NewSession { id, kind, location, title: None };
        self.step(move |store| store.create_session(&new, None, jiff::Timestamp::now())).await?;
        if let Some(wanted) = wanted
            && let Err(problem) = self.workers().add_wanted(who, id, wanted, None).await
        {
            // Another request may have deleted it already.
            let _ = self.happened(move |store: &store::Store| store.delete_session(id)).until_written().await;
            return Err(problem);
        }
        self.access().record(who, "session.create", id, None).await;
        self.get(id).await
    }

    /// Changes a session's title and the order of its tabs.
    pub(crate) async fn update(&self, id: SessionId, change: UpdateSession) -> Result<api::Session, Problem> {
        if let Some(title) = change.title {
            let title = if title.trim().is_empty() { None } else { Some(texts::line("title", &title)?) };
            self.step(move |store| store.set_session_title(id, title.as_deref())).await?;
        }
        if let Some(order) = change.worker_ids {
            self.step(move |store| store.reorder_workers(id, &order)).await?;
        }
        self.get(id).await
    }

    /// Ends all workers of a session, and forgets it. Its worktree stays.
    pub(crate) async fn delete(&self, who: &Principal, id: SessionId) -> Result<(), Problem> {
        let found = self.read(move |store| store.session_with_workers(id)).await?;
        if let Some(task) = found.session.task {
            let owner = self.read(move |store| store.task(task)).await?;
            if owner.session == Some(id) {
                let words = "the session belongs to a task";
                return Err(Problem::new(ErrorCode::InUse, words)
                    .hint("complete the task, or retry it: that ends this session and starts another one")
                    .detail(serde_json::json!({ "taskId": task })));
            }
        }
        if found.workers.iter().any(is_being_made) {
            return Err(Problem::new(ErrorCode::WrongState, "the session is still starting")
                .hint("wait until all its workers run"));
        }
        self.close_workers(who, &found).await?;
        self.step(move |store| store.close_session(id, jiff::Timestamp::now())).await?;
        // Workers that were added meanwhile. A closed session gets no more workers.
        let found = self.read(move |store| store.session_with_workers(id)).await?;
        self.close_workers(who, &found).await?;
        self.step(move |store| store.delete_session(id)).await?;
        self.access().record(who, "session.delete", id, None).await;
        Ok(())
    }

    async fn close_workers(&self, who: &Principal, found: &SessionWithWorkers) -> Result<(), Problem> {
        for worker in &found.workers {
            match self.workers().close(who, worker.id).await {
                // Another program removed the worker, and the server has noticed that.
                Err(problem) if problem.code() == ErrorCode::NotFound => {}
                closed => closed?,
            }
        }
        Ok(())
    }

    /// Starts a session's agents again. Each continues its own conversation, or as the request says.
    pub(crate) async fn restart(
        &self,
        who: &Principal,
        id: SessionId,
        restart: Restart,
    ) -> Result<api::Session, Problem> {
        let found = self.read(move |store| store.session_with_workers(id)).await?;
        let agents = found
            .workers
            .iter()
            .filter(|worker| matches!(worker.kind, store::WorkerKind::Agent { .. }) && !worker.replaced);
        let agents: Vec<_> = agents.map(|worker| worker.id).collect();
        if agents.is_empty() {
            return Err(Problem::new(ErrorCode::WrongState, "the session has no agent to start again"));
        }
        for agent in agents {
            self.workers().restart(who, agent, restart).await?;
        }
        self.get(id).await
    }
}
