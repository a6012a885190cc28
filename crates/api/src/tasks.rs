//! Tasks, their sessions' fields, and their past.

use jiff::Timestamp;
use model::{RepositoryId, SessionId, SessionLogId, SessionStatus, TaskId, TaskState, WorkerId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A piece of work on a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Which one.
    #[schema(value_type = String)]
    pub id: TaskId,
    /// Its repository.
    #[schema(value_type = String)]
    pub project_id: RepositoryId,
    /// What is to be done, in a line.
    pub title: String,
    /// More about it.
    pub description: Option<String>,
    /// Whether it stands above the others.
    pub pinned: bool,
    /// Where it is in its life.
    pub status: TaskState,
    /// The agent that works on it; by default the first one.
    pub agent_id: Option<String>,
    /// Its session, if it has one.
    #[schema(value_type = Option<String>)]
    pub session_id: Option<SessionId>,
    /// The agent's worker in that session.
    #[schema(value_type = Option<String>)]
    pub worker_id: Option<WorkerId>,
    /// How its session is doing.
    pub session_status: Option<SessionStatus>,
    /// Its session's worktree.
    pub worktree_path: Option<String>,
    /// The same, safe to show.
    pub shown_worktree_path: Option<String>,
    /// The branch of that.
    pub branch: Option<String>,
    /// When the session was asked for.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub session_started_at: Option<Timestamp>,
    /// Why the session failed.
    pub session_error: Option<String>,
    /// Where it stands among the others of its status.
    pub position: i64,
    /// When it was written down.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

/// Writes down a task.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateTask {
    /// Its repository.
    #[schema(value_type = String)]
    pub project_id: RepositoryId,
    /// What is to be done, in a line.
    pub title: String,
    /// More about it.
    pub description: Option<String>,
    /// The agent that shall work on it.
    pub agent_id: Option<String>,
    /// Whether it stands above the others.
    #[serde(default)]
    pub pinned: bool,
}

/// Changes a task. What is left out stays.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateTask {
    /// What is to be done.
    pub title: Option<String>,
    /// More about it; empty for nothing.
    pub description: Option<String>,
    /// Whether it stands above the others.
    pub pinned: Option<bool>,
    /// The agent that shall work on it; empty for none in particular.
    pub agent_id: Option<String>,
    /// Where it stands among the others.
    pub position: Option<i64>,
}

/// How one past session of a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogExit {
    /// Well.
    Done,
    /// Otherwise.
    Failed,
}

/// One past session of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionLog {
    /// Which one.
    #[schema(value_type = String)]
    pub id: SessionLogId,
    /// Its task.
    #[schema(value_type = String)]
    pub task_id: TaskId,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    pub started_at: Timestamp,
    /// When it was archived.
    #[schema(value_type = String, format = DateTime)]
    pub ended_at: Timestamp,
    /// How it ended.
    pub exit_status: LogExit,
    /// Why it failed.
    pub error: Option<String>,
    /// The worker whose recording can still be watched.
    #[schema(value_type = Option<String>)]
    pub worker_id: Option<WorkerId>,
    /// The worktree that was kept, since it holds work.
    pub kept_worktree: Option<String>,
}

/// A task after its session was archived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArchivedTask {
    /// How the task is now.
    #[serde(flatten)]
    pub task: Task,
    /// The worktree that was kept, since it holds work, and what that is.
    pub kept_worktree: Option<KeptWorktree>,
}

/// A worktree that was kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeptWorktree {
    /// Where it is.
    pub path: String,
    /// What is in it, in words.
    pub work: Vec<String>,
}

/// A size for a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Resize {
    /// Columns; fewer than 2 and more than 1000 are brought within.
    pub cols: u16,
    /// Rows; fewer than 1 and more than 1000 are brought within.
    pub rows: u16,
}
