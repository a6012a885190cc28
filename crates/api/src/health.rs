//! How the server is doing.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Whether the server can do all that it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum HealthStatus {
    /// It can.
    Ok,
    /// It cannot save.
    Degraded,
}

/// How the server is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// Whether it can do all that it should.
    pub status: HealthStatus,
    /// Which release it is.
    pub release: String,
    /// What it cannot do, and why. Told to the owner alone.
    pub reason: Option<String>,
    /// Why the last message about the inbox did not reach its destination. Told to the owner alone.
    pub notify_failure: Option<String>,
}
