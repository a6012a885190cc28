//! The conversations of agents as their programs keep them, and what they used.

use jiff::Timestamp;
use model::{ShownLines, ShownText, WorkerId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Some of an agent's conversation, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Transcript {
    /// The agent's definition.
    pub agent_id: String,
    /// The agent's own id of the conversation.
    pub conversation_id: String,
    /// What is in it.
    pub entries: Vec<TranscriptEntry>,
    /// What to ask for as `after` to have what follows, now or later.
    pub next: String,
    /// Whether this is all that there is now.
    pub complete: bool,
    /// Whether these are the first entries. If `after` was given, what was shown before is of another conversation.
    pub from_start: bool,
}

/// One thing in a conversation. All texts are masked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TranscriptEntry {
    /// Stands for it, if it may change. A later entry with the same id takes its place.
    #[schema(value_type = Option<String>)]
    pub id: Option<ShownText>,
    /// When.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub at: Option<Timestamp>,
    /// What.
    #[serde(flatten)]
    pub content: TranscriptContent,
}

/// What an entry holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum TranscriptContent {
    /// What the person wrote. It begins a turn.
    Prompt(TranscriptText),
    /// What the agent answered.
    Answer(TranscriptText),
    /// What the agent thought.
    Thinking(TranscriptText),
    /// The agent uses a tool.
    #[serde(rename_all = "camelCase")]
    Call {
        /// Stands for the call.
        #[schema(value_type = String)]
        call_id: ShownText,
        /// The tool.
        #[schema(value_type = String)]
        tool: ShownText,
        /// What it is given; what matters most is in the first line.
        #[serde(flatten)]
        input: TranscriptText,
    },
    /// What a tool gave back.
    #[serde(rename_all = "camelCase")]
    Result {
        /// The call.
        #[schema(value_type = String)]
        call_id: ShownText,
        /// Whether it failed or was refused.
        failed: bool,
        /// What it gave.
        #[serde(flatten)]
        output: TranscriptText,
    },
    /// A request or a turn failed.
    Error(TranscriptText),
    /// A limit on the use of the agent was reached.
    Limit(TranscriptText),
    /// Something else that happened.
    Note(TranscriptText),
    /// What a request to the model used.
    Usage(RequestUsage),
    /// What the whole conversation has cost so far, as the agent says.
    #[serde(rename_all = "camelCase")]
    CostSoFar {
        /// In US dollars.
        cost_usd: f64,
    },
    /// A record that is too long to be read.
    TooLong {
        /// How long it is.
        bytes: u64,
    },
}

/// A text of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TranscriptText {
    /// The text. It may have many lines.
    #[schema(value_type = String)]
    pub text: ShownLines,
    /// Whether there is more of it.
    pub cut: bool,
}

/// Tokens, none of them counted twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsedTokens {
    /// Read by the model and not from a cache.
    pub input: u64,
    /// Written by the model, with what it thought.
    pub output: u64,
    /// The part of the output that it thought.
    pub thinking: u64,
    /// Read from a cache.
    pub cache_read: u64,
    /// Written into a cache.
    pub cache_write: u64,
}

/// What a request to a model used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestUsage {
    /// The model.
    #[schema(value_type = Option<String>)]
    pub model: Option<ShownText>,
    /// The tokens.
    #[serde(flatten)]
    pub tokens: UsedTokens,
    /// What it cost in US dollars, if the agent says so.
    pub cost_usd: Option<f64>,
    /// How full the model's context was then.
    pub context: Option<UsedContext>,
}

/// How full a model's context is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsedContext {
    /// The tokens in it.
    pub used: u64,
    /// How many it can hold, if the agent says so.
    pub window: Option<u64>,
    /// How many are left, if that is known.
    pub left: Option<u64>,
}

/// A limit on the use of an account.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsedLimit {
    /// What the agent calls it.
    #[schema(value_type = String)]
    pub name: ShownText,
    /// How much of it was used, in per cent.
    pub used_percent: f64,
    /// For how long it counts.
    pub window_minutes: Option<u64>,
    /// When it begins anew.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub resets_at: Option<Timestamp>,
}

/// By what usage is summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum UsageBy {
    /// By worker.
    #[default]
    Worker,
    /// By task.
    Task,
    /// By agent.
    Agent,
    /// By day, in the server's time zone.
    Day,
}

/// What the agents used, as their transcripts say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageReport {
    /// By what it is summed up.
    pub by: UsageBy,
    /// The sums.
    pub rows: Vec<UsageRow>,
    /// All of them together.
    pub total: UsageSum,
    /// The agents of which nothing is known.
    pub unknown: Vec<UnknownUsage>,
}

/// What one worker, task, agent or day used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageRow {
    /// The id of the worker, task or agent, or the day; null for workers without a task, and for a day that is not known.
    pub key: Option<String>,
    /// What people call it.
    pub name: String,
    /// The sum.
    #[serde(flatten)]
    pub sum: UsageSum,
    /// How full the context is, if the sum is a worker's.
    pub context: Option<UsedContext>,
    /// The limits of the account as they were last told, if the sum is a worker's or an agent's.
    pub limits: Vec<UsedLimit>,
    /// When something was last used.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_at: Option<Timestamp>,
}

/// What was used, summed up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageSum {
    /// Prompts.
    pub turns: u64,
    /// Requests to a model.
    pub requests: u64,
    /// Their tokens.
    #[serde(flatten)]
    pub tokens: UsedTokens,
    /// What it cost in US dollars, as far as the agents say so; null if none does.
    pub cost_usd: Option<f64>,
    /// How many of the requests have no price in the transcript: they are not in `costUsd`.
    pub unpriced: u64,
    /// The models.
    #[schema(value_type = Vec<String>)]
    pub models: Vec<ShownText>,
}

/// An agent of whose usage nothing is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnknownUsage {
    /// The worker.
    #[schema(value_type = String)]
    pub worker_id: WorkerId,
    /// What people call it.
    pub name: String,
    /// Why.
    pub why: String,
}
