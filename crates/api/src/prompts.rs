//! Prompts that are sent to workers.

use jiff::Timestamp;
use model::{PromptId, WorkerId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ProblemBody;

/// A prompt that is sent to a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// Which prompt it is.
    #[schema(value_type = String)]
    pub id: PromptId,
    /// The worker.
    #[schema(value_type = String)]
    pub worker_id: WorkerId,
    /// The sender's key.
    pub key: Option<String>,
    /// What is sent.
    pub text: String,
    /// Whether it waits until the agent is idle.
    pub when_idle: bool,
    /// Who sent it.
    pub sender: String,
    /// When it was sent.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// What has become of it.
    pub state: PromptState,
    /// Since when it is in that state.
    #[schema(value_type = String, format = DateTime)]
    pub changed_at: Timestamp,
}

/// What has become of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum PromptState {
    /// Nothing of it was typed.
    #[serde(rename_all = "camelCase")]
    Queued {
        /// What it waits for; null if it is about to be pasted.
        waits_for: Option<PromptWaitsFor>,
    },
    /// It is being pasted.
    Pasting,
    /// It stands in the place to type.
    Pasted,
    /// It is being submitted.
    Submitting,
    /// The program has taken it.
    Submitted,
    /// The agent's turn has begun.
    Started,
    /// It was not submitted.
    Failed {
        /// Why.
        reason: String,
    },
    /// It was taken out of the queue before anything of it was typed.
    Cancelled {
        /// Why.
        reason: String,
    },
    /// It is not known what became of it: look at the terminal. It is never sent again.
    Unknown {
        /// Why.
        reason: String,
    },
}

impl PromptState {
    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            PromptState::Queued { .. } => "queued",
            PromptState::Pasting => "pasting",
            PromptState::Pasted => "pasted",
            PromptState::Submitting => "submitting",
            PromptState::Submitted => "submitted",
            PromptState::Started => "started",
            PromptState::Failed { .. } => "failed",
            PromptState::Cancelled { .. } => "cancelled",
            PromptState::Unknown { .. } => "unknown",
        }
    }

    /// Whether nothing more becomes of it.
    pub fn is_settled(&self) -> bool {
        matches!(
            self,
            PromptState::Started
                | PromptState::Failed { .. }
                | PromptState::Cancelled { .. }
                | PromptState::Unknown { .. }
        )
    }

    /// Why it ended like that, if it did not start.
    pub fn reason(&self) -> Option<&str> {
        match self {
            PromptState::Failed { reason }
            | PromptState::Cancelled { reason }
            | PromptState::Unknown { reason } => Some(reason),
            _ => None,
        }
    }
}

/// What a queued prompt waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum PromptWaitsFor {
    /// A prompt before it.
    Earlier,
    /// The agent asks something: nothing is typed into a question.
    Answer,
    /// The agent works, and the prompt is to be sent when it is idle.
    Idle,
    /// It is not known what the agent does. It may be starting.
    Activity,
}

/// Sends a prompt to a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SendPrompt {
    /// What to send.
    pub text: String,
    /// Whether it waits until the agent is idle. Otherwise it is also sent to an agent that works.
    #[serde(default)]
    pub when_idle: bool,
    /// A text of your own. The same prompt that is sent again with the same key is not sent twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Sends a prompt to several workers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SendPrompts {
    /// The workers.
    #[schema(value_type = Vec<String>)]
    pub worker_ids: Vec<WorkerId>,
    /// What to send.
    pub text: String,
    /// Whether it waits until each agent is idle.
    #[serde(default)]
    pub when_idle: bool,
    /// A text of your own. The same prompt that is sent again with the same key is not sent twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// What became of a prompt for one of several workers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentPrompt {
    /// The worker.
    #[schema(value_type = String)]
    pub worker_id: WorkerId,
    /// The prompt, if it was queued.
    pub prompt: Option<Prompt>,
    /// Why it was not.
    pub error: Option<ProblemBody>,
}

/// Changes a prompt that is queued. What is left out stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditPrompt {
    /// What to send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether it waits until the agent is idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when_idle: Option<bool>,
}
