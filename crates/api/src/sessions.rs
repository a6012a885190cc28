//! Sessions and their workers.

use jiff::Timestamp;
use model::{Activity, RepositoryId, SessionId, ShownText, TaskId, WorkerId, WorktreeId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Question, Turn};

/// Whether anything runs in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SessionActivity {
    /// A worker lives, or is about to.
    Active,
    /// None does.
    Inactive,
}

/// What a session is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum SessionKind {
    /// A place of work in any directory.
    Quick,
    /// A place of work in a worktree of a repository.
    #[serde(rename_all = "camelCase")]
    Worktree {
        /// The repository.
        #[schema(value_type = String)]
        repository_id: RepositoryId,
        /// The worktree.
        #[schema(value_type = String)]
        worktree_id: WorktreeId,
        /// Its branch.
        branch: String,
    },
}

/// A place of work, and the workers in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Which one.
    #[schema(value_type = String)]
    pub id: SessionId,
    /// What it is.
    #[serde(flatten)]
    pub kind: SessionKind,
    /// The directory.
    pub location_path: String,
    /// The same, safe to show.
    #[serde(default)]
    #[schema(required)]
    pub shown_location: String,
    /// Whether that is not there any more.
    pub location_missing: bool,
    /// What it is called.
    pub title: Option<String>,
    /// Whether anything runs in it.
    pub status: SessionActivity,
    /// The task that it is for.
    #[schema(value_type = Option<String>)]
    pub task_id: Option<TaskId>,
    /// What the user should know: setup commands that were not run, a worktree that was kept.
    pub notices: Vec<String>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Its workers, in the order of their tabs.
    pub workers: Vec<Worker>,
}

/// What a worker is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum WorkerKind {
    /// A plain terminal.
    Terminal,
    /// A known agent.
    #[serde(rename_all = "camelCase")]
    Agent {
        /// Its definition.
        agent_id: String,
    },
}

/// Where a worker is in its life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum WorkerState {
    /// Asked for.
    Pending,
    /// Its place is being made.
    Provisioning,
    /// Its child runs.
    Live,
    /// Its host is there and says nothing.
    NotAnswering,
    /// Ended on purpose, to be taken up again.
    Paused,
    /// Its child has ended.
    #[serde(rename_all = "camelCase")]
    Exited {
        /// The code, or 128 and the signal's number.
        exit_code: u8,
        /// The signal that ended it.
        signal: Option<u8>,
    },
    /// It never started.
    Failed {
        /// Why.
        reason: String,
    },
    /// Its host vanished without saying how the child ended.
    Lost {
        /// What is known about it.
        reason: String,
    },
}

/// A unit of work in a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Worker {
    /// Which one.
    #[schema(value_type = String)]
    pub id: WorkerId,
    /// Its session.
    #[schema(value_type = String)]
    pub session_id: SessionId,
    /// What it is.
    #[serde(flatten)]
    pub kind: WorkerKind,
    /// What it is called in its session.
    pub name: String,
    /// What it is called on the command line, while it is live.
    pub handle: Option<String>,
    /// Where it is in its life.
    pub state: WorkerState,
    /// What its program is doing.
    pub activity: Activity,
    /// Since when, if that is known.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub activity_since: Option<Timestamp>,
    /// The agent that runs in it, if that is known: also one that was started in a plain terminal.
    #[serde(default)]
    #[schema(required)]
    pub runs_agent: Option<String>,
    /// What it asks, in its own words, with secrets masked.
    #[schema(value_type = Option<String>)]
    pub asking: Option<ShownText>,
    /// What it asks, with its choices.
    #[serde(default)]
    #[schema(required)]
    pub question: Option<Question>,
    /// The turn that ended last, since the server began to follow the worker.
    #[serde(default)]
    #[schema(required)]
    pub turn: Option<Turn>,
    /// The program's title, with secrets masked.
    #[schema(value_type = Option<String>)]
    pub title: Option<ShownText>,
    /// The program's working directory, with secrets masked.
    #[schema(value_type = Option<String>)]
    pub cwd: Option<ShownText>,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When its child started.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub ended_at: Option<Timestamp>,
    /// How many screens show it.
    pub viewers: u32,
}

/// Makes a session.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum CreateSession {
    /// In any directory.
    #[serde(rename_all = "camelCase")]
    Quick {
        /// The directory, as an absolute path; it may begin with `~`, the user's own.
        location_path: String,
        /// An agent to start in it.
        agent_id: Option<String>,
        /// Whether the agent shall take up its last conversation there.
        #[serde(default)]
        continue_conversation: bool,
        /// What the agent shall do first.
        prompt: Option<String>,
    },
    /// In a worktree of a repository.
    #[serde(rename_all = "camelCase")]
    Worktree {
        /// The repository.
        #[schema(value_type = String)]
        repository_id: RepositoryId,
        /// The worktree.
        #[schema(value_type = String)]
        worktree_id: WorktreeId,
        /// The worktree's directory, if the caller wants it checked.
        location_path: Option<String>,
        /// An agent to start in it.
        agent_id: Option<String>,
        /// Whether the agent shall take up its last conversation there.
        #[serde(default)]
        continue_conversation: bool,
        /// What the agent shall do first.
        prompt: Option<String>,
    },
}

/// A session that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionReply {
    /// It.
    pub session: Session,
}

/// Changes a session.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateSession {
    /// What it is called; empty for nothing in particular.
    pub title: Option<String>,
    /// Its workers, in the order that their tabs shall have.
    #[schema(value_type = Option<Vec<String>>)]
    pub worker_ids: Option<Vec<WorkerId>>,
}

/// Makes a worker.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum CreateWorker {
    /// A plain terminal.
    Terminal {
        /// What to call it.
        name: Option<String>,
        /// The program and its arguments; by default the user's shell.
        command: Option<Vec<String>>,
    },
    /// A known agent.
    #[serde(rename_all = "camelCase")]
    Agent {
        /// What to call it.
        name: Option<String>,
        /// Its definition.
        agent_id: String,
        /// What it shall do first.
        prompt: Option<String>,
        /// Whether it shall take up its last conversation there.
        #[serde(default)]
        continue_conversation: bool,
    },
}

/// A worker that was made or changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkerReply {
    /// It.
    pub worker: Worker,
    /// What a person should know about that: for example, that an agent could not continue its conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// How a worker is started again. Without a body, an agent continues its own conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Restart {
    /// Whether an agent continues its own conversation; it begins a new one otherwise.
    #[serde(default = "continues")]
    #[schema(default = true)]
    pub continue_conversation: bool,
    /// Whether it continues the newest conversation in its directory instead, which may be that of another agent.
    #[serde(default)]
    pub newest: bool,
}

impl Default for Restart {
    fn default() -> Restart {
        Restart { continue_conversation: continues(), newest: false }
    }
}

fn continues() -> bool {
    true
}

/// Changes a worker.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct UpdateWorker {
    /// What it is called in its session.
    pub name: String,
}

/// What runs, in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PtyStat {
    /// The session.
    #[schema(value_type = String)]
    pub session_id: SessionId,
    /// The worker.
    #[schema(value_type = String)]
    pub worker_id: WorkerId,
    /// How many screens show it.
    pub clients: u32,
    /// How many bytes it has printed.
    pub output_bytes: u64,
    /// For how many seconds it has run.
    pub uptime: u64,
    /// When it last printed something.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_activity: Option<Timestamp>,
}

/// A known agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// Which one.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Whether the program can be found.
    pub installed: bool,
}

impl From<model::WorkerLife> for WorkerState {
    fn from(life: model::WorkerLife) -> WorkerState {
        match life {
            model::WorkerLife::Pending => WorkerState::Pending,
            model::WorkerLife::Provisioning => WorkerState::Provisioning,
            model::WorkerLife::Live => WorkerState::Live,
            model::WorkerLife::Paused => WorkerState::Paused,
            model::WorkerLife::Exited { status } => WorkerState::Exited {
                exit_code: status.code(),
                signal: match status {
                    model::ExitStatus::Killed { signal } => Some(signal),
                    model::ExitStatus::Exited { .. } | model::ExitStatus::Unknown => None,
                },
            },
            model::WorkerLife::Failed { reason } => WorkerState::Failed { reason },
            model::WorkerLife::Lost { reason } => WorkerState::Lost { reason },
        }
    }
}
