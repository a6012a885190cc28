//! The name that a person gives a worker.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Longer names fit no list.
const MOST_CHARACTERS: usize = 64;

/// What a person calls a worker: a word that can be typed without quotes and shown anywhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WorkerName(String);

impl WorkerName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The nearest name to any text, such as a command; `worker` if nothing of it can be used.
    pub fn near(text: &str) -> WorkerName {
        let cleaned: String = text
            .chars()
            .filter(|&c| is_ordinary(c))
            .skip_while(|&c| !c.is_alphanumeric())
            .take(MOST_CHARACTERS)
            .collect();
        WorkerName(if cleaned.is_empty() { "worker".to_owned() } else { cleaned })
    }

    /// This name with a number behind it, for the second worker of the same name.
    pub fn numbered(&self, number: u32) -> WorkerName {
        let end = format!("-{number}");
        let kept: String = self.0.chars().take(MOST_CHARACTERS - end.len()).collect();
        WorkerName(kept + &end)
    }
}

/// Why a text cannot be a worker's name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseWorkerNameError {
    /// There is nothing.
    #[error("a worker's name cannot be empty")]
    Empty,
    /// There is too much.
    #[error("a worker's name has at most {MOST_CHARACTERS} characters")]
    TooLong,
    /// There is something else than the characters we take.
    #[error(
        "a worker's name is made of letters, digits, `-`, `_` and `.`, and begins with a letter or a digit"
    )]
    Character,
}

fn is_ordinary(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

impl FromStr for WorkerName {
    type Err = ParseWorkerNameError;

    fn from_str(text: &str) -> Result<WorkerName, ParseWorkerNameError> {
        let first = text.chars().next().ok_or(ParseWorkerNameError::Empty)?;
        if text.chars().count() > MOST_CHARACTERS {
            return Err(ParseWorkerNameError::TooLong);
        }
        if !first.is_alphanumeric() || !text.chars().all(is_ordinary) {
            return Err(ParseWorkerNameError::Character);
        }
        Ok(WorkerName(text.to_owned()))
    }
}

impl TryFrom<String> for WorkerName {
    type Error = ParseWorkerNameError;

    fn try_from(text: String) -> Result<WorkerName, ParseWorkerNameError> {
        text.parse()
    }
}

impl From<WorkerName> for String {
    fn from(name: WorkerName) -> String {
        name.0
    }
}

impl fmt::Display for WorkerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n1_odd_names_are_refused_with_a_reason() {
        for text in ["a b", "-x", ".x", "a/b", "a\nb", "a'b", "\u{202e}evil", "a\u{1b}[2J", "🚀"] {
            assert_eq!(text.parse::<WorkerName>(), Err(ParseWorkerNameError::Character), "{text:?}");
        }
        assert_eq!("".parse::<WorkerName>(), Err(ParseWorkerNameError::Empty));
        assert_eq!("x".repeat(65).parse::<WorkerName>(), Err(ParseWorkerNameError::TooLong));
        for text in ["a", "build-2", "web.1", "größe", "日本"] {
            assert!(text.parse::<WorkerName>().is_ok(), "{text:?}");
        }
    }

    #[test]
    fn any_text_can_be_turned_into_a_name() {
        assert_eq!(WorkerName::near("bash").as_str(), "bash");
        assert_eq!(WorkerName::near("--my prog!").as_str(), "myprog");
        assert_eq!(WorkerName::near("\u{1b}[;").as_str(), "worker");
        assert_eq!(WorkerName::near(&"x".repeat(99)).numbered(12).as_str().len(), 64);
    }
}
