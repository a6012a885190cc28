//! What an agent is doing.

use serde::{Deserialize, Serialize};

/// What an agent is doing, as far as it can be known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Activity {
    /// Its activity is unknown.
    #[default]
    Unknown,
    /// It works.
    Active,
    /// It is done, and waits for the next prompt.
    Idle,
    /// It cannot go on without an answer.
    Asking,
}

impl Activity {
    /// The word for it, in the API and on the screen.
    pub fn as_str(self) -> &'static str {
        match self {
            Activity::Unknown => "unknown",
            Activity::Active => "active",
            Activity::Idle => "idle",
            Activity::Asking => "asking",
        }
    }
}
