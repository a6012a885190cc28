//! Why rules cannot be used.

use thiserror::Error;

/// Why a text of rules cannot be used; says where, what is wrong and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RulesError {
    /// The text is no TOML.
    #[error("line {line}: {message}; the file is TOML: `[[rule]]`, then lines of `key = value`")]
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
        /// The key.
        key: String,
        /// What may stand there.
        allowed: &'static str,
    },
    /// A rule lacks something, has it in the wrong form, or has too much of it.
    #[error("line {line}: rule `{rule}`: {problem}")]
    Rule {
        /// Where.
        line: usize,
        /// The rule's name, as far as it has one.
        rule: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// More rules than there may be.
    #[error("there are {count} rules, and at most {most} can be used; join some into one pattern with `|`")]
    TooMany {
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
}
