//! What the dashboard's socket tells: everything as it is, then every change.

use jiff::Timestamp;
use model::{InboxItemId, PromptId, RepositoryId, SessionId, TaskId, WorkerId, WorktreeId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{InboxItem, Prompt, Repository, Session, Task, Worker, Worktree};

/// What the server says on `/ws/dashboard`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum DashboardMessage {
    /// Everything as it is. First, unless the viewer missed little enough to be told just that.
    State {
        /// Which run of the server the numbers of events belong to.
        epoch: String,
        /// The number of the last event that is in it.
        seq: u64,
        /// All sessions that are not closed, with their workers.
        sessions: Vec<Session>,
        /// All tasks.
        tasks: Vec<Task>,
        /// All repositories.
        repositories: Vec<Repository>,
        /// All worktrees that abide knows of.
        worktrees: Vec<Worktree>,
        /// What waits for a person, the longest wait first.
        inbox: Vec<InboxItem>,
    },
    /// First, when the viewer is told just what it missed.
    Resumed {
        /// Which run of the server it is still.
        epoch: String,
        /// The number of the last event that it has.
        seq: u64,
    },
    /// Something happened.
    Event {
        /// Its number: one more than the one before.
        seq: u64,
        /// When.
        #[schema(value_type = String, format = DateTime)]
        at: Timestamp,
        /// What.
        event: DashboardEvent,
    },
    /// The answer to a ping.
    Pong,
}

/// What a client may say on `/ws/dashboard`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum DashboardClientMessage {
    /// Asks whether the server is still there. The answer is `pong`.
    Ping,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind")]
pub enum DashboardEvent {
    /// A session is new or changed. Its workers come along.
    #[serde(rename = "session.changed")]
    SessionChanged {
        /// How it is now.
        session: Session,
    },
    /// A session is gone.
    #[serde(rename = "session.removed")]
    #[serde(rename_all = "camelCase")]
    SessionRemoved {
        /// Which one.
        #[schema(value_type = String)]
        session_id: SessionId,
    },
    /// A worker is new or changed.
    #[serde(rename = "worker.changed")]
    WorkerChanged {
        /// How it is now.
        worker: Box<Worker>,
    },
    /// A worker is gone.
    #[serde(rename = "worker.removed")]
    #[serde(rename_all = "camelCase")]
    WorkerRemoved {
        /// Which one.
        #[schema(value_type = String)]
        worker_id: WorkerId,
    },
    /// A task is new or changed.
    #[serde(rename = "task.changed")]
    TaskChanged {
        /// How it is now.
        task: Task,
    },
    /// A task is gone.
    #[serde(rename = "task.removed")]
    #[serde(rename_all = "camelCase")]
    TaskRemoved {
        /// Which one.
        #[schema(value_type = String)]
        task_id: TaskId,
    },
    /// A repository is new or changed.
    #[serde(rename = "repository.changed")]
    RepositoryChanged {
        /// How it is now.
        repository: Repository,
    },
    /// A repository is not registered any more.
    #[serde(rename = "repository.removed")]
    #[serde(rename_all = "camelCase")]
    RepositoryRemoved {
        /// Which one.
        #[schema(value_type = String)]
        repository_id: RepositoryId,
    },
    /// A worktree is new or changed.
    #[serde(rename = "worktree.changed")]
    WorktreeChanged {
        /// How it is now.
        worktree: Worktree,
    },
    /// A worktree is gone for good.
    #[serde(rename = "worktree.removed")]
    #[serde(rename_all = "camelCase")]
    WorktreeRemoved {
        /// Which one.
        #[schema(value_type = String)]
        worktree_id: WorktreeId,
    },
    /// An entry of the inbox is new or changed.
    #[serde(rename = "inbox.changed")]
    InboxChanged {
        /// How it is now.
        item: InboxItem,
    },
    /// An entry has left the inbox.
    #[serde(rename = "inbox.removed")]
    #[serde(rename_all = "camelCase")]
    InboxRemoved {
        /// Which one.
        #[schema(value_type = String)]
        item_id: InboxItemId,
    },
    /// A prompt is new or changed.
    #[serde(rename = "prompt.changed")]
    PromptChanged {
        /// How it is now.
        prompt: Box<Prompt>,
    },
    /// A prompt is gone: its worker was removed, or newer receipts took its place.
    #[serde(rename = "prompt.removed")]
    #[serde(rename_all = "camelCase")]
    PromptRemoved {
        /// Which one.
        #[schema(value_type = String)]
        prompt_id: PromptId,
    },
    /// A worker's child was started.
    #[serde(rename = "terminal.session_created")]
    #[serde(rename_all = "camelCase")]
    TerminalCreated {
        /// The worker.
        #[schema(value_type = String)]
        worker_id: WorkerId,
        /// Its session.
        #[schema(value_type = String)]
        session_id: SessionId,
    },
    /// A screen shows a worker now.
    #[serde(rename = "terminal.viewer_attached")]
    #[serde(rename_all = "camelCase")]
    ViewerAttached {
        /// The worker.
        #[schema(value_type = String)]
        worker_id: WorkerId,
        /// What the viewer calls itself.
        viewer: String,
        /// How many there are now.
        viewers: u32,
    },
    /// A screen does not show it any more. The worker goes on.
    #[serde(rename = "terminal.viewer_detached")]
    #[serde(rename_all = "camelCase")]
    ViewerDetached {
        /// The worker.
        #[schema(value_type = String)]
        worker_id: WorkerId,
        /// What the viewer called itself.
        viewer: String,
        /// How many there are now.
        viewers: u32,
    },
    /// A worker was closed.
    #[serde(rename = "terminal.session_closed")]
    #[serde(rename_all = "camelCase")]
    TerminalClosed {
        /// The worker.
        #[schema(value_type = String)]
        worker_id: WorkerId,
        /// Its session.
        #[schema(value_type = String)]
        session_id: SessionId,
    },
    /// A worker's child has ended.
    #[serde(rename = "terminal.process_exited")]
    #[serde(rename_all = "camelCase")]
    ProcessExited {
        /// The worker.
        #[schema(value_type = String)]
        worker_id: WorkerId,
        /// Its session.
        #[schema(value_type = String)]
        session_id: SessionId,
        /// The code, or 128 and the signal's number.
        exit_code: u8,
        /// The signal that ended it.
        signal: Option<u8>,
    },
}
