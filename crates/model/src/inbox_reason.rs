//! Why a worker waits for a person.

use serde::{Deserialize, Serialize};

/// Why a worker waits for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum InboxReason {
    /// It asks something, and cannot go on without an answer.
    Asking,
    /// Its agent finished its turn.
    Finished,
    /// Its agent's turn failed, its program failed, or it never started.
    Failed,
    /// A limit on the agent's use is reached.
    Limit,
    /// Its host vanished.
    Lost,
    /// Its agent neither works nor asks, and has shown nothing new for long.
    Stuck,
}

impl InboxReason {
    /// The word for it, in the API and on the screen.
    pub fn as_str(self) -> &'static str {
        match self {
            InboxReason::Asking => "asking",
            InboxReason::Finished => "finished",
            InboxReason::Failed => "failed",
            InboxReason::Limit => "limit",
            InboxReason::Lost => "lost",
            InboxReason::Stuck => "stuck",
        }
    }

    /// Whether the worker goes on waiting when a person has read this. The others are only news.
    pub fn waits_for_answer(self) -> bool {
        matches!(self, InboxReason::Asking)
    }
}
