//! Sessions: made, listed, restarted, ended.

use std::path::PathBuf;

use api::{CreateSession, ErrorCode, Problem, UpdateSession};
use model::{SessionId, WorktreeId};
use store::{NewSession, SessionFilter, SessionKind, SessionWithWorkers, WorktreePlace};

use crate::app::App;
use crate::changes::Changed;
use crate::tokens::Principal;
use crate::workers::{is_being_made, new_id};
use crate::{texts, views};

/// An agent to start in a new session.
struct First {
    agent_id: Option<String>,
    prompt: Option<String>,
    continue_conversation: bool,
}

impl App {
    /// All sessions that are not closed.
    pub(crate) async fn sessions(&self) -> Result<Vec<api::Session>, Problem> {
        let app = self.clone();
        self.db(move |store| {
            let sessions = store.sessions_with_workers(SessionFilter::Open)?;
            sessions.iter().map(|found| app.session_view(store, found)).collect()
        })
        .await
    }

    /// One session.
    pub(crate) async fn session(&self, id: SessionId) -> Result<api::Session, Problem> {
        let app = self.clone();
        self.db(move |store| app.session_view(store, &store.session_with_workers(id)?)).await
    }

    fn session_view(
        &self,
        store: &store::Store,
        found: &SessionWithWorkers,
    ) -> Result<api::Session, store::StoreError> {
        let worktree = match found.session.kind {
            SessionKind::Quick => None,
            SessionKind::Worktree { worktree, .. } => Some(store.worktree(worktree)?),
        };
        Ok(views::session(found, worktree.as_ref(), self.lives()))
    }

    /// Makes a session, with an agent in it if that is wanted. If the agent cannot be started, there is no session.
    pub(crate) async fn create_session(
        &self,
        who: &Principal,
        new: CreateSession,
    ) -> Result<api::Session, Problem> {
        let (kind, location, first) = match new {
            CreateSession::Quick { location_path, agent_id, continue_conversation, prompt } => {
                let location = texts::directory(&location_path)?;
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
                let location = self.worktree_location(worktree_id).await?;
                if location_path.is_some_and(|path| std::path::Path::new(&path) != location) {
                    let words = format!("the worktree is at `{}`", views::text(&location));
                    return Err(Problem::new(ErrorCode::BadPath, words));
                }
                let kind = SessionKind::Worktree { repository: repository_id, worktree: worktree_id };
                (kind, location, First { agent_id, prompt, continue_conversation })
            }
        };
        self.open_session(who, kind, location, first).await
    }

    async fn open_session(
        &self,
        who: &Principal,
        kind: SessionKind,
        location: PathBuf,
        first: First,
    ) -> Result<api::Session, Problem> {
        let wanted = match &first.agent_id {
            Some(agent) => {
                Some(self.wanted_agent(agent, first.prompt.as_deref(), first.continue_conversation)?)
            }
            None => None,
        };
        let id = new_id(SessionId::from_random)?;
        let new = NewSession { id, kind, location, title: None };
        self.save(move |store| store.create_session(&new, None, jiff::Timestamp::now())).await?;
        if let Some(wanted) = wanted
            && let Err(problem) = self.add_wanted(who, id, wanted, None).await
        {
            // Somebody else may have done so already.
            let _ = self.write_down(move |store| store.delete_session(id)).await;
            return Err(problem);
        }
        self.record(who, "session.create", id, None).await;
        self.changed(Changed::Session(id));
        self.session(id).await
    }

    /// Where a worktree is that can be worked in.
    async fn worktree_location(&self, id: WorktreeId) -> Result<PathBuf, Problem> {
        let worktree = self.db(move |store| store.worktree(id)).await?;
        let worktree = self.looked_at(worktree).await?;
        let (code, words) = match worktree.place {
            WorktreePlace::Ready | WorktreePlace::Kept { .. } => return Ok(worktree.path),
            WorktreePlace::Missing { .. } => {
                (ErrorCode::Missing, format!("`{}` is no longer there", views::text(&worktree.path)))
            }
            place => (ErrorCode::WrongState, format!("the worktree is {}", place.as_str())),
        };
        Err(Problem::new(code, words))
    }

    /// Changes a session's title and the order of its tabs.
    pub(crate) async fn update_session(
        &self,
        id: SessionId,
        change: UpdateSession,
    ) -> Result<api::Session, Problem> {
        if let Some(title) = change.title {
            let title = if title.trim().is_empty() { None } else { Some(texts::line("title", &title)?) };
            self.save(move |store| store.set_session_title(id, title.as_deref())).await?;
        }
        if let Some(order) = change.worker_ids {
            self.save(move |store| store.reorder_workers(id, &order)).await?;
        }
        self.changed(Changed::Session(id));
        self.session(id).await
    }

    /// Ends all workers of a session, and forgets it. Its worktree stays.
    pub(crate) async fn delete_session(&self, who: &Principal, id: SessionId) -> Result<(), Problem> {
        let found = self.db(move |store| store.session_with_workers(id)).await?;
        if let Some(task) = found.session.task {
            let owner = self.db(move |store| store.task(task)).await?;
            if owner.session == Some(id) {
                let words = "the session is that of a task";
                return Err(Problem::new(ErrorCode::InUse, words)
                    .hint("complete the task, or start its session over")
                    .detail(serde_json::json!({ "taskId": task })));
            }
        }
        if found.workers.iter().any(is_being_made) {
            return Err(Problem::new(ErrorCode::WrongState, "the session is still being made")
                .hint("wait until all its workers run"));
        }
        self.close_workers(who, &found).await?;
        self.save(move |store| store.close_session(id, jiff::Timestamp::now())).await?;
        // Whoever came in between. Nobody does any more, and nobody is being started.
        let found = self.db(move |store| store.session_with_workers(id)).await?;
        self.close_workers(who, &found).await?;
        self.save(move |store| store.delete_session(id)).await?;
        self.record(who, "session.delete", id, None).await;
        self.changed(Changed::Session(id));
        Ok(())
    }

    async fn close_workers(&self, who: &Principal, found: &SessionWithWorkers) -> Result<(), Problem> {
        for worker in &found.workers {
            match self.close_worker(who, worker.id).await {
                // Its directory was removed, and that was noticed.
                Err(problem) if problem.code() == ErrorCode::NotFound => {}
                closed => closed?,
            }
        }
        Ok(())
    }

    /// Starts a session's agents once more, each taking up its last conversation.
    pub(crate) async fn restart_session(
        &self,
        who: &Principal,
        id: SessionId,
    ) -> Result<api::Session, Problem> {
        let found = self.db(move |store| store.session_with_workers(id)).await?;
        let agents = found
            .workers
            .iter()
            .filter(|worker| matches!(worker.kind, store::WorkerKind::Agent { .. }) && !worker.replaced);
        let agents: Vec<_> = agents.map(|worker| worker.id).collect();
        if agents.is_empty() {
            return Err(Problem::new(ErrorCode::WrongState, "the session has no agent to start again"));
        }
        for agent in agents {
            self.restart_worker(who, agent, true).await?;
        }
        self.session(id).await
    }
}
