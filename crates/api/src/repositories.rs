//! Repositories and their worktrees.

use jiff::Timestamp;
use model::{CommandPart, RepositoryId, SessionId, WorktreeId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A registered repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Repository {
    /// Which one.
    #[schema(value_type = String)]
    pub id: RepositoryId,
    /// Where it is, exactly, for programs.
    pub path: String,
    /// Where it is, safe to show: without control characters and marks of direction.
    #[serde(default)]
    #[schema(required)]
    pub shown_path: String,
    /// What it is called: its directory's name.
    pub name: String,
    /// When it was registered.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

/// Registers a repository.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AddRepository {
    /// Any directory in it, as an absolute path.
    pub path: String,
}

/// What a repository's `.abide.toml` wants to run, and whether the user agreed to that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Provisioning {
    /// Commands run in a new worktree, in order. For programs: `commands` is what people are shown.
    pub setup: Vec<String>,
    /// Commands run before a worktree is removed. For programs: `commands` is what people are shown.
    pub teardown: Vec<String>,
    /// All of these commands as a person must see them before they agree: every character, blanks and line ends too.
    pub commands: Vec<SeenCommand>,
    /// Stands for exactly these commands; to be sent to agree to them.
    pub hash: String,
    /// Whether they are run.
    pub agreed: bool,
    /// What in the file means nothing, each with its line and what to do about it.
    pub warnings: Vec<String>,
}

/// A command of a repository as a person sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SeenCommand {
    /// When it is run.
    pub runs: RunsWhen,
    /// Its parts, in order: together they are exactly the command.
    pub parts: Vec<CommandPart>,
}

/// When a repository's command is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunsWhen {
    /// In a new worktree.
    Setup,
    /// Before a worktree is removed.
    Teardown,
}

/// Agrees to commands that were shown.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Agree {
    /// The hash of the commands that were shown.
    pub hash: String,
}

/// Where a worktree is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WorktreeState {
    /// It is being made.
    Making,
    /// It is there.
    Ready,
    /// Its directory was removed or moved.
    Missing,
    /// Its session is over and it was kept, since it holds work.
    Kept,
    /// It is in the trash and can be taken back.
    Trashed,
}

/// A worktree: one directory, one branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Worktree {
    /// Which one.
    #[schema(value_type = String)]
    pub id: WorktreeId,
    /// Its repository.
    #[schema(value_type = String)]
    pub repository_id: RepositoryId,
    /// Where it is, or was before it went to the trash.
    pub path: String,
    /// The same, safe to show.
    #[serde(default)]
    #[schema(required)]
    pub shown_path: String,
    /// Its branch.
    pub branch: String,
    /// Where it is in its life.
    pub state: WorktreeState,
    /// Why it was kept, or what else is to be said about it.
    pub note: Option<String>,
    /// The sessions that work in it.
    #[schema(value_type = Vec<String>)]
    pub session_ids: Vec<SessionId>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Until when it can be taken back from the trash.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
}

/// Makes a worktree.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateWorktree {
    /// The branch: one that is there and checked out nowhere, or a new one.
    pub branch: Option<String>,
    /// Where a new branch begins; by default at the repository's current commit.
    pub base: Option<String>,
}

/// A worktree that was removed, or was not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemovedWorktree {
    /// How it is now, in the trash; or how it was, if it was forgotten and nothing of it touched, which its note says.
    pub worktree: Worktree,
    /// What is in it that would have been lost, in words; empty if nothing.
    pub work: Vec<String>,
}
