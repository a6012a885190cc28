//! The request with which a worker was started.

use std::path::PathBuf;

use jiff::Timestamp;
use model::{
    MaskPolicy, RepositoryId, SessionId, SizePolicy, TaskId, TermSize, WorkerId, WorkerName, WorktreeId,
};
use serde::{Deserialize, Serialize};

/// The request with which a worker was started. Written once; hosts of every release read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// The version of this file's shape.
    pub format: u32,
    /// Which worker.
    pub worker: WorkerId,
    /// What it is called.
    pub name: WorkerName,
    /// The session it belongs to.
    pub session: Session,
    /// The agent that it is, by its definition's id; nothing for a plain terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// What is started in its place, if that is something else: a shell with a file that has it mark its prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch: Option<Vec<String>>,
    /// Where it starts.
    pub cwd: PathBuf,
    /// How large its terminal is at first.
    pub size: TermSize,
    /// Who decides on that later.
    #[serde(default)]
    pub size_policy: SizePolicy,
    /// How long a child has to end by itself, in milliseconds, before it is forced.
    #[serde(default = "default_grace_ms")]
    pub grace_ms: u64,
    /// How large the recording may become.
    #[serde(default = "default_recording_bytes")]
    pub recording_bytes: u64,
    /// Whether it is masked when it comes to rest.
    #[serde(default)]
    pub mask: MaskPolicy,
    /// When it was asked for.
    pub started_at: Timestamp,
}

/// The session a worker belongs to. With this in every worker's directory, the server's database can be made anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Session {
    /// A place of work in any directory.
    Quick {
        /// Which session.
        id: SessionId,
    },
    /// A place of work in a worktree of a repository.
    Worktree {
        /// Which session.
        id: SessionId,
        /// The repository's id and its directory.
        repository: RepositoryId,
        /// Where the repository is.
        repository_path: PathBuf,
        /// The worktree.
        worktree: WorktreeId,
        /// Its branch.
        branch: String,
        /// The task it is worked on for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
    },
}

impl Session {
    /// The session's id.
    pub fn id(&self) -> SessionId {
        match self {
            Session::Quick { id } | Session::Worktree { id, .. } => *id,
        }
    }
}

impl Meta {
    /// The version of this file's shape that we write.
    pub const FORMAT: u32 = 1;
    /// Long enough for an agent to save its work.
    pub const GRACE_MS: u64 = 5_000;
    /// Days of an agent's output.
    pub const RECORDING_BYTES: u64 = 64 << 20;
}

fn default_grace_ms() -> u64 {
    Meta::GRACE_MS
}

fn default_recording_bytes() -> u64 {
    Meta::RECORDING_BYTES
}
