//! The identity of an authenticated request.

use jiff::Timestamp;
use model::{OwnerId, TokenId, WorkerId};
use store::{Scope, Token};

/// The holder of a valid token. Handlers find it among the request's extensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The token.
    pub token: TokenId,
    /// The owner of everything that the token gives access to.
    pub owner: OwnerId,
    /// What the token permits.
    pub scope: Scope,
    /// The name in the audit trail: the token's name and its id.
    pub actor: String,
    /// When the token expires, if it does.
    pub expires_at: Option<Timestamp>,
}

impl Principal {
    pub(crate) fn of(token: &Token) -> Principal {
        // Two tokens may have the same name, so the id is added.
        let actor = format!("{} ({})", token.name, token.id);
        Principal {
            token: token.id,
            owner: token.owner,
            scope: token.scope,
            actor,
            expires_at: token.expires_at,
        }
    }

    /// Whether the token permits everything.
    pub fn is_owner(&self) -> bool {
        matches!(self.scope, Scope::All)
    }

    /// Whether the token permits to see a worker and watch it.
    pub fn may_watch(&self, id: WorkerId) -> bool {
        match self.scope {
            Scope::All => true,
            Scope::Worker { worker, .. } => worker == id,
        }
    }

    /// Whether the token permits to type into a worker, resize it, or send it anything else.
    pub fn may_drive(&self, id: WorkerId) -> bool {
        match self.scope {
            Scope::All => true,
            Scope::Worker { worker, drive } => drive && worker == id,
        }
    }
}
