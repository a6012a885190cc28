//! The inbox: what waits for a person.

use jiff::Timestamp;
use model::{InboxItemId, InboxReason, RepositoryId, SessionId, ShownText, TaskId, WorkerId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A worker that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InboxItem {
    /// Which entry it is.
    #[schema(value_type = String)]
    pub id: InboxItemId,
    /// The worker.
    #[schema(value_type = String)]
    pub worker_id: WorkerId,
    /// The worker's session.
    #[schema(value_type = String)]
    pub session_id: SessionId,
    /// The task that the session is for.
    #[schema(value_type = Option<String>)]
    pub task_id: Option<TaskId>,
    /// The repository of the session.
    #[schema(value_type = Option<String>)]
    pub repository_id: Option<RepositoryId>,
    /// Why it waits.
    pub reason: InboxReason,
    /// The `id` of the worker's `question` that is meant, if it asks.
    pub question_id: Option<String>,
    /// The question, the agent's last words, or the error, with secrets masked.
    #[schema(value_type = Option<String>)]
    pub words: Option<ShownText>,
    /// Since when it waits.
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
    /// Whether a person has read it.
    pub read: bool,
    /// Until when a person does not want to hear of it.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub snoozed_until: Option<Timestamp>,
}

/// Replies to what a worker asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "reply", rename_all = "lowercase")]
pub enum Answer {
    /// Yes, this time.
    Yes,
    /// Yes, from now on.
    Always,
    /// No.
    No {
        /// Words that tell the agent what to do instead. Few agents take any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<String>,
    },
    /// One of the choices.
    Choose {
        /// Its number, from 1 on.
        choice: usize,
    },
    /// Words of one's own.
    Words {
        /// The words.
        words: String,
    },
}

/// Sets an entry of the inbox aside for a while.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Snooze {
    /// Until when; null to hear of it again at once.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub until: Option<Timestamp>,
}
