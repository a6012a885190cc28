//! The id of an agent's definition.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// As long as a worker's name.
const MOST_CHARACTERS: usize = 64;

/// Identifies an agent's definition: a word that stands in files, addresses and databases as it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgentId(String);

impl AgentId {
    /// The id of Claude Code as it comes with abide.
    pub fn claude() -> AgentId {
        AgentId("claude".to_owned())
    }

    /// The id of the plain shell.
    pub fn shell() -> AgentId {
        AgentId("shell".to_owned())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why a text cannot be an agent's id.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseAgentIdError {
    /// There is nothing.
    #[error("an agent's id cannot be empty")]
    Empty,
    /// There is too much.
    #[error("an agent's id has at most {MOST_CHARACTERS} characters")]
    TooLong,
    /// There is something else than the characters we take.
    #[error(
        "an agent's id is made of the letters a to z, digits, `-`, `_` and `.`, and begins with a letter or a digit"
    )]
    Character,
}

impl FromStr for AgentId {
    type Err = ParseAgentIdError;

    fn from_str(text: &str) -> Result<AgentId, ParseAgentIdError> {
        let first = text.chars().next().ok_or(ParseAgentIdError::Empty)?;
        let is_ordinary = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if !first.is_ascii_alphanumeric() || !text.chars().all(is_ordinary) {
            return Err(ParseAgentIdError::Character);
        }
        if text.len() > MOST_CHARACTERS {
            return Err(ParseAgentIdError::TooLong);
        }
        Ok(AgentId(text.to_owned()))
    }
}

impl TryFrom<String> for AgentId {
    type Error = ParseAgentIdError;

    fn try_from(text: String) -> Result<AgentId, ParseAgentIdError> {
        text.parse()
    }
}

impl From<AgentId> for String {
    fn from(id: AgentId) -> String {
        id.0
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_ids_are_refused_with_a_reason() {
        for text in ["a b", "-x", ".x", "../x", "a/b", "a\nb", "größe", "\u{202e}evil", "a\u{1b}[2J"] {
            assert_eq!(text.parse::<AgentId>(), Err(ParseAgentIdError::Character), "{text:?}");
        }
        assert_eq!("".parse::<AgentId>(), Err(ParseAgentIdError::Empty));
        assert_eq!("x".repeat(65).parse::<AgentId>(), Err(ParseAgentIdError::TooLong));
        for text in ["a", "my-agent_2", "web.1", "Claude"] {
            assert_eq!(text.parse::<AgentId>().expect(text).to_string(), text);
        }
    }
}
