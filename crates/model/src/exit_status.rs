//! How a child ended.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a child ended, as it was told and never guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ExitStatus {
    /// It left with this code.
    Exited {
        /// The code, as a parent gets it.
        code: u8,
    },
    /// A signal ended it.
    Killed {
        /// The signal's number.
        signal: u8,
    },
    /// It ended while its host could not be told how: the host was killed and the worker adopted.
    Unknown,
}

impl ExitStatus {
    /// What a shell would make of it: the code, or 128 and the signal's number. An unknown exit counts as 1.
    pub fn code(self) -> u8 {
        match self {
            ExitStatus::Exited { code } => code,
            ExitStatus::Killed { signal } => 128_u8.saturating_add(signal),
            ExitStatus::Unknown => 1,
        }
    }

    /// Whether the child ended as if all went well.
    pub fn is_success(self) -> bool {
        self == ExitStatus::Exited { code: 0 }
    }
}

impl fmt::Display for ExitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExitStatus::Exited { code } => write!(f, "exited {code}"),
            ExitStatus::Killed { signal } => write!(f, "killed by signal {signal}"),
            ExitStatus::Unknown => f.write_str("ended with an unknown exit code"),
        }
    }
}
