//! What a worker's program is doing, what it asks, and how its last turn ended.

use jiff::Timestamp;
use model::{Activity, ShownText};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a program asks, with secrets masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// Stands for this question, with its choices.
    pub id: String,
    /// What kind of answer it needs: `permission`, `question`, `trust`, `api-key`, `auth`, `limit` or `conflict`.
    pub kind: Option<String>,
    /// Its words.
    #[schema(value_type = Option<String>)]
    pub text: Option<ShownText>,
    /// What it is about, a line each: the command to run, the file to change.
    #[schema(value_type = Vec<String>)]
    pub detail: Vec<ShownText>,
    /// The answers to choose from.
    #[schema(value_type = Vec<String>)]
    pub choices: Vec<ShownText>,
    /// The choice on which the selection stands, from 0 on.
    pub selected: Option<usize>,
    /// Whether it is answered with a line of text.
    pub takes_words: bool,
}

/// What an agent did between a prompt and the next time that it was idle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// When it began to work.
    #[schema(value_type = String, format = DateTime)]
    pub began: Timestamp,
    /// When it was idle again.
    #[schema(value_type = String, format = DateTime)]
    pub ended: Timestamp,
    /// How it ended.
    pub how: TurnEnd,
    /// Its last words, or those of the error, if they are known, with secrets masked.
    #[schema(value_type = Option<String>)]
    pub message: Option<ShownText>,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TurnEnd {
    /// The agent was done.
    Finished,
    /// The person interrupted it.
    Interrupted,
    /// The person refused what it asked for.
    Refused,
    /// It failed.
    Failed,
    /// A limit on its use was reached.
    Limit,
}

/// How it is known what a worker is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// What it is doing.
    pub activity: Activity,
    /// Since when.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub since: Option<Timestamp>,
    /// The source that is believed; null if no source says anything.
    pub source: Option<String>,
    /// What each source says that says anything, the better ones first.
    pub evidence: Vec<SaidBy>,
    /// The sources that say something else and are not believed.
    pub overruled: Vec<SaidBy>,
    /// The definition by which the worker is judged; `generic` if the program is not known.
    pub agent_id: String,
    /// How that was found: `agent`, `command`, `title` or `nothing`.
    pub known_by: String,
    /// Whether its host shows its screen to the detector. Hosts of earlier releases do not.
    pub sees_screen: bool,
    /// What it asks.
    pub question: Option<Question>,
    /// What it said when it failed, while it is idle after that, with secrets masked.
    #[schema(value_type = Option<String>)]
    pub error: Option<ShownText>,
    /// Its last turn.
    pub turn: Option<Turn>,
}

/// What a source says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SaidBy {
    /// The source: `programStatus`, `hook`, `title`, `progress`, `notification`, `screen` or `promptMark`.
    pub source: String,
    /// What it says.
    pub activity: Activity,
}
