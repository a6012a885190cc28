//! The conversation of the agent in a worker.

use serde::{Deserialize, Serialize};

/// The conversation that the agent in a worker had last, as far as it is not the one that its command names. A file in the
/// worker's directory, so that it is known without a server and after a new start of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Conversation {
    /// Its id, as the agent knows it.
    pub id: String,
    /// Whether the agent said that it has no such conversation any more.
    #[serde(default)]
    pub gone: bool,
}
