//! Why definitions cannot be used.

use thiserror::Error;

/// Why a text of definitions cannot be used; says where, what is wrong and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AgentsError {
    /// The text is no TOML.
    #[error("line {line}: {message}; the file is TOML: `[[agent]]`, then lines of `key = value`")]
    Syntax {
        /// Where.
        line: usize,
        /// What the TOML reader says.
        message: String,
    },
    /// A key that means nothing here.
    #[error("line {line}: unknown key `{key}`; {allowed}")]
    UnknownKey {
        /// Where.
        line: usize,
        /// The key, safe to show.
        key: String,
        /// What may stand there.
        allowed: &'static str,
    },
    /// A definition lacks something, has it in the wrong form, or has too much of it.
    #[error("line {line}: agent `{agent}`: {problem}")]
    Agent {
        /// Where.
        line: usize,
        /// The agent's id, as far as it has one, safe to show.
        agent: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// More definitions than there may be.
    #[error("there are {count} agents, and at most {most} can be used; remove some")]
    TooMany {
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
}
