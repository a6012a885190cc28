//! Sessions of agent-console, taken over from its `sessions.json`, old and new format.
//!
//! Its processes were never ours. So its workers come as paused: they are started again when somebody wants to go on,
//! and its agents then take up their conversations.

use std::path::PathBuf;

use api::{ImportReply, Problem, SkippedSession};
use jiff::Timestamp;
use model::{SessionId, WorkerId};
use serde::Deserialize;
use serde_json::Value;
use store::{NewSession, NewWorker, SessionFilter, SessionKind, WorkerKind};

use crate::app::App;
use crate::changes::Changed;
use crate::texts;
use crate::tokens::Principal;
use crate::workers::new_id;

/// The repository of sessions that had none, in the old format.
const NO_REPOSITORY: &str = "default";

/// The agent of the old format, which knew one.
const OLD_AGENT: &str = "claude-code-builtin";

/// A session as either format has it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Foreign {
    id: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    location_path: Option<String>,
    worktree_path: Option<String>,
    repository_id: Option<String>,
    created_at: Option<String>,
    workers: Option<Vec<ForeignWorker>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ForeignWorker {
    #[serde(rename = "type")]
    kind: String,
    name: Option<String>,
    agent_id: Option<String>,
    created_at: Option<String>,
}

/// When something was made there; a time that is none, or is to come, is now.
fn made_at(text: Option<&str>, now: Timestamp) -> Timestamp {
    let made: Option<Timestamp> = text.and_then(|text| text.parse().ok());
    made.filter(|made| *made <= now).unwrap_or(now)
}

impl Foreign {
    /// Where it is.
    fn location(&self) -> Option<&str> {
        self.location_path.as_deref().or(self.worktree_path.as_deref())
    }

    /// The old format says neither what it is nor what is in it.
    fn is_old(&self) -> bool {
        self.kind.is_none() || self.workers.is_none()
    }

    fn is_worktree(&self) -> bool {
        match &self.kind {
            Some(kind) if !self.is_old() => kind == "worktree",
            _ => self.repository_id.as_deref() != Some(NO_REPOSITORY),
        }
    }

    fn workers(&self) -> Vec<ForeignWorker> {
        match &self.workers {
            Some(workers) if !self.is_old() => workers
                .iter()
                .map(|worker| ForeignWorker {
                    kind: worker.kind.clone(),
                    name: worker.name.clone(),
                    agent_id: worker.agent_id.clone(),
                    created_at: worker.created_at.clone(),
                })
                .collect(),
            _ => vec![ForeignWorker {
                kind: "agent".into(),
                name: Some("Claude".into()),
                agent_id: Some(OLD_AGENT.into()),
                created_at: self.created_at.clone(),
            }],
        }
    }

    /// By this it is known that it was imported.
    fn notice(&self) -> String {
        format!("imported from agent-console: session {}", model::display_safe(&self.id))
    }
}

impl App {
    /// Takes sessions over. What cannot be, is said; what was already, is left alone.
    pub(crate) async fn import_sessions(
        &self,
        who: &Principal,
        sessions: Vec<Value>,
    ) -> Result<ImportReply, Problem> {
        let mut reply = ImportReply { imported: Vec::new(), skipped: Vec::new() };
        for value in sessions {
            let named = value.get("id").and_then(Value::as_str).unwrap_or("?").to_owned();
            let imported = match serde_json::from_value::<Foreign>(value) {
                Ok(foreign) => self.import_session(&foreign).await?,
                Err(error) => Err(format!("it is no session: {error}")),
            };
            match imported {
                Ok(id) => {
                    self.record(who, "session.import", id, Some(named)).await;
                    self.changed(Changed::Session(id));
                    reply.imported.push(id);
                }
                Err(reason) => reply.skipped.push(SkippedSession { id: model::display_safe(&named), reason }),
            }
        }
        Ok(reply)
    }

    /// Takes one over, or says why not.
    async fn import_session(&self, foreign: &Foreign) -> Result<Result<SessionId, String>, Problem> {
        let notice = foreign.notice();
        let known = self.db(|store| store.sessions(SessionFilter::All)).await?;
        if known.iter().any(|session| session.notices.contains(&notice)) {
            return Ok(Err("it was imported before".into()));
        }
        let Some(location) = foreign.location() else { return Ok(Err("it says not where it is".into())) };
        let location = match texts::directory(location) {
            Ok(location) => location,
            Err(problem) => return Ok(Err(problem.error.message)),
        };
        let kind = if foreign.is_worktree() { self.worktree_at(&location).await? } else { None };
        let now = Timestamp::now();
        let made = made_at(foreign.created_at.as_deref(), now);
        let mut workers = Vec::new();
        for worker in foreign.workers() {
            let made = made_at(worker.created_at.as_deref(), now);
            match self.foreign_worker(&worker) {
                Ok(worker) => workers.push((worker, made)),
                Err(reason) => return Ok(Err(reason)),
            }
        }
        let id = new_id(SessionId::from_random)?;
        let new = NewSession { id, kind: kind.unwrap_or(SessionKind::Quick), location, title: None };
        self.save(move |store| {
            store.create_session(&new, None, made)?;
            store.add_notice(id, &notice)?;
            for (worker, made) in &workers {
                store.add_worker(id, worker, *made)?;
                store.worker_live(worker.id, *made)?;
                store.worker_paused(worker.id, now)?;
            }
            Ok(())
        })
        .await?;
        Ok(Ok(id))
    }

    fn foreign_worker(&self, worker: &ForeignWorker) -> Result<NewWorker, String> {
        let id = new_id(WorkerId::from_random).map_err(|problem| problem.error.message)?;
        let name = worker.name.as_deref().unwrap_or("Worker");
        let name = texts::line("name", name).map_err(|problem| problem.error.message)?;
        match worker.kind.as_str() {
            "agent" => {
                let agent = worker.agent_id.as_deref().unwrap_or(OLD_AGENT);
                let agent = self.agent(agent).map_err(|problem| problem.error.message)?;
                let kind = WorkerKind::Agent { agent: agent.id.as_str().to_owned() };
                Ok(NewWorker { id, kind, name, command: agent.restart() })
            }
            "terminal" => {
                let command = vec![self.parts().hosts.shell().to_string_lossy().into_owned()];
                Ok(NewWorker { id, kind: WorkerKind::Terminal, name, command })
            }
            other => Err(format!("it has a worker of another kind: {}", model::display_safe(other))),
        }
    }

    /// The worktree that a directory is, with its repository registered; nothing if it is none.
    async fn worktree_at(&self, location: &std::path::Path) -> Result<Option<SessionKind>, Problem> {
        let path = location.to_owned();
        let found = self.git(move |git| {
            let found = git.inspect(&path)?;
            let listed = git.worktrees(&found.path)?;
            Ok((found, listed))
        });
        // A directory that is in no repository is a place all the same.
        let Ok((found, listed)) = found.await else { return Ok(None) };
        let Some(first) = listed.first().map(|first| first.path.clone()) else { return Ok(None) };
        if first.to_str().is_none() || found.path.to_str().is_none() {
            return Ok(None);
        }
        let branch = listed.iter().find(|listed| listed.path == found.path);
        let branch =
            branch.and_then(|listed| listed.branch.as_ref()).map(ToString::to_string).unwrap_or_default();
        let kind = self.save(move |store| known_worktree(store, first, found.path, branch)).await?;
        Ok(Some(kind))
    }
}

fn known_worktree(
    store: &store::Store,
    repository: PathBuf,
    path: PathBuf,
    branch: String,
) -> Result<SessionKind, store::StoreError> {
    let now = Timestamp::now();
    let there = store.repositories()?.into_iter().find(|there| there.path == repository);
    let repository = match there {
        Some(there) => there,
        None => {
            let name =
                repository.file_name().map_or_else(|| "/".into(), |name| name.to_string_lossy().into_owned());
            store.add_repository(&repository, &name, now)?
        }
    };
    let worktree = match store.worktree_by_path(&path)? {
        Some(worktree) => worktree.id,
        None => {
            let bytes = home::random_bytes()
                .map_err(|error| store::StoreError::Corrupt { reason: error.to_string() })?;
            let id = model::WorktreeId::from_random(bytes);
            let new = store::NewWorktree { id, path, branch, base_commit: None, made_by_abide: false };
            store.add_worktree(repository.id, &new, now)?;
            store.worktree_ready(id, None)?;
            id
        }
    };
    Ok(SessionKind::Worktree { repository: repository.id, worktree })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Foreign {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn the_old_format_is_told_by_what_it_lacks() {
        let old = read(json!({"id": "a", "worktreePath": "/w", "pid": 1, "repositoryId": "default"}));
        assert!(old.is_old() && !old.is_worktree());
        assert_eq!(old.location(), Some("/w"));
        assert_eq!(old.workers()[0].agent_id.as_deref(), Some(OLD_AGENT));
        let old = read(json!({"id": "a", "worktreePath": "/w", "pid": 1, "repositoryId": "r"}));
        assert!(old.is_worktree());
        // Half of the new one is the old one.
        assert!(read(json!({"id": "a", "type": "quick", "locationPath": "/w"})).is_old());
    }

    #[test]
    fn the_new_format_has_its_workers() {
        let new = read(json!({"id": "a", "type": "quick", "locationPath": "/w", "serverPid": 2, "workers": [
            {"id": "w", "type": "terminal", "name": "Terminal 1", "pid": 3, "createdAt": "2025-01-01T00:00:00Z"}]}));
        assert!(!new.is_old() && !new.is_worktree());
        assert_eq!(new.workers().len(), 1);
    }
}
