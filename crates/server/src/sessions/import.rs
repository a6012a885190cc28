//! Imports the sessions of agent-console from its `sessions.json`, old and new format.
//!
//! abide cannot adopt its processes. So the imported workers are paused: when the user starts one again, an agent
//! continues its conversation.

use std::path::Path;

use api::{ImportReply, Problem, SkippedSession};
use jiff::Timestamp;
use model::{SessionId, WorkerId, WorktreeId};
use serde::Deserialize;
use serde_json::Value;
use store::{ImportedSession, ImportedWorktree, NewWorker, NewWorktree, WorkerKind};

use crate::rooms::Sessions;
use crate::texts;
use crate::tokens::Principal;
use crate::workers::new_id;

/// The repository of sessions that had none, in the old format.
const NO_REPOSITORY: &str = "default";

/// The only agent of the old format.
const OLD_AGENT: &str = "claude";

/// A session in either format.
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

/// The time when something was made. Now, if the text is no time or is in the future.
fn made_at(text: Option<&str>, now: Timestamp) -> Timestamp {
    let made: Option<Timestamp> = text.and_then(|text| text.parse().ok());
    made.filter(|made| *made <= now).unwrap_or(now)
}

impl Foreign {
    /// Its directory.
    fn location(&self) -> Option<&str> {
        self.location_path.as_deref().or(self.worktree_path.as_deref())
    }

    /// Whether it is in the old format, which has neither a kind nor workers.
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

    /// Its id in agent-console, safe to show.
    fn origin(&self) -> String {
        model::display_safe(&self.id)
    }
}

impl Sessions {
    /// Imports sessions. The answer lists those that could not be imported. A session that was imported before stays as
    /// it is.
    pub(crate) async fn import(&self, who: &Principal, sessions: Vec<Value>) -> Result<ImportReply, Problem> {
        let mut reply = ImportReply { imported: Vec::new(), skipped: Vec::new() };
        for value in sessions {
            let named = value.get("id").and_then(Value::as_str).unwrap_or("?").to_owned();
            let imported = match serde_json::from_value::<Foreign>(value) {
                Ok(foreign) => self.import_session(&foreign).await?,
                Err(error) => Err(format!("it is not a session: {error}")),
            };
            match imported {
                Ok(id) => {
                    self.access().record(who, "session.import", id, Some(named)).await;
                    reply.imported.push(id);
                }
                Err(reason) => reply.skipped.push(SkippedSession { id: model::display_safe(&named), reason }),
            }
        }
        Ok(reply)
    }

    /// Imports one session, or returns the reason why not.
    async fn import_session(&self, foreign: &Foreign) -> Result<Result<SessionId, String>, Problem> {
        let Some(location) = foreign.location() else { return Ok(Err("it has no directory".into())) };
        let location = match self.node().directory(location) {
            Ok(location) => location,
            Err(problem) => return Ok(Err(problem.error.message)),
        };
        let worktree = if foreign.is_worktree() { self.worktree_at(&location).await? } else { None };
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
        let origin = foreign.origin();
        let notice = format!("imported from agent-console: session {origin}");
        let imported = ImportedSession { id, location, worktree, origin, notice, workers, created_at: made };
        let session = self.step(move |store| store.import_session(&imported, now)).await?;
        Ok(session.map(|session| session.id).ok_or_else(|| "it is imported already".into()))
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
                let command = vec![self.node().shell()];
                Ok(NewWorker { id, kind: WorkerKind::Terminal, name, command })
            }
            other => Err(format!("it has a worker of another kind: {}", model::display_safe(other))),
        }
    }

    /// The worktree that a directory is in, with its repository. `None` if the directory is in no worktree.
    async fn worktree_at(&self, location: &Path) -> Result<Option<ImportedWorktree>, Problem> {
        let path = location.to_owned();
        let found = self.node().git(move |git| {
            let found = git.inspect(&path)?;
            let listed = git.worktrees(&found.path)?;
            Ok((found, listed))
        });
        // A directory outside any repository gets a quick session.
        let Ok((found, listed)) = found.await else { return Ok(None) };
        let Some(first) = listed.first().map(|first| first.path.clone()) else { return Ok(None) };
        if first.to_str().is_none() || found.path.to_str().is_none() {
            return Ok(None);
        }
        let branch = listed.iter().find(|listed| listed.path == found.path);
        let branch =
            branch.and_then(|listed| listed.branch.as_ref()).map(ToString::to_string).unwrap_or_default();
        let id = new_id(WorktreeId::from_random)?;
        let worktree = NewWorktree { id, path: found.path, branch, base_commit: None, made_by_abide: false };
        Ok(Some(ImportedWorktree { repository_path: first, worktree }))
    }
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
        // A session with only a part of the new fields is in the old format.
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
