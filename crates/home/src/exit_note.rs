//! How a worker ended.

use jiff::Timestamp;
use model::{ExitStatus, Offset};
use serde::{Deserialize, Serialize};

/// How a worker ended, for commands and servers that ask later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExitNote {
    /// How.
    pub status: ExitStatus,
    /// When.
    pub at: Timestamp,
    /// How much the child had printed.
    pub offset: Offset,
    /// Processes that the child started and that outlived it.
    #[serde(default)]
    pub survivors: u32,
    /// Whether a person or a program asked to end the worker. Otherwise its child ended by itself, or was killed.
    #[serde(default)]
    pub on_request: bool,
}
