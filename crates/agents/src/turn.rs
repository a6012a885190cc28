//! Turns: what an agent does between a prompt and the next time that it is idle.

use std::time::Duration;

use serde::Serialize;

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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

impl TurnEnd {
    /// How a turn ended that ended with this error.
    pub(crate) fn of_error(message: &str) -> TurnEnd {
        let lower = message.to_lowercase();
        let is_limit = ["rate limit", "rate_limit", "usage limit", "quota", "429", "limit reached", "credit"]
            .iter()
            .any(|words| lower.contains(words));
        if is_limit { TurnEnd::Limit } else { TurnEnd::Failed }
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            TurnEnd::Finished => "finished",
            TurnEnd::Interrupted => "interrupted",
            TurnEnd::Refused => "refused",
            TurnEnd::Failed => "failed",
            TurnEnd::Limit => "limit",
        }
    }
}

/// A turn that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// When the agent began to work.
    pub began: Duration,
    /// When it was idle again.
    pub ended: Duration,
    /// How it ended.
    pub how: TurnEnd,
    /// Its last words, or those of the error, if they are known. Safe to show; not masked.
    pub message: Option<String>,
}
