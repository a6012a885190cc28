//! Who may do what: codes, tokens and the audit trail.

use jiff::Timestamp;
use model::{TokenId, WorkerId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Hands in a one-time code.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ExchangeCode {
    /// The code from a link's fragment.
    pub code: String,
}

/// A one-time code for a browser.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Code {
    /// The link to open, with the code in its fragment.
    pub url: String,
    /// Until when it can be handed in.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
}

/// How far a token reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Scope {
    /// To everything.
    All,
    /// To one worker.
    #[serde(rename_all = "camelCase")]
    Worker {
        /// Which one.
        #[schema(value_type = String)]
        worker_id: WorkerId,
        /// Whether to type as well as to see.
        #[serde(default)]
        drive: bool,
    },
}

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Token {
    /// Which one.
    #[schema(value_type = String)]
    pub id: TokenId,
    /// What it is for.
    pub name: String,
    /// How far it reaches.
    pub scope: Scope,
    /// Whether it belongs to a browser that signed in, and has a key in place of a secret.
    pub device: bool,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Until when it opens anything.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
    /// When it last did.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_used_at: Option<Timestamp>,
}

/// Makes a token.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateToken {
    /// What it is for.
    pub name: String,
    /// How far it shall reach.
    pub scope: Scope,
    /// For how many seconds, at least one; by default until it is revoked.
    #[schema(minimum = 1)]
    pub expires_in_seconds: Option<u32>,
}

/// A new token. Its secret is told this once.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewToken {
    /// The secret, for `Authorization: Bearer`.
    pub secret: String,
    /// The rest.
    pub token: Token,
}

/// An entry of the audit trail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// Its number.
    pub seq: i64,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// Who: a token's name.
    pub actor: String,
    /// What.
    pub action: String,
    /// With what.
    pub object: String,
    /// More about it.
    pub detail: Option<String>,
}
