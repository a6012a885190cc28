//! Who came in.

use jiff::Timestamp;
use model::{TokenId, WorkerId};
use store::{Scope, Token};

/// Whoever came in with a right token. Handlers find it among a request's extensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The token.
    pub token: TokenId,
    /// How far it reaches.
    pub scope: Scope,
    /// Who it is in the audit trail: the token's name and its id.
    pub actor: String,
    /// When the token stops being right, if it was said.
    pub expires_at: Option<Timestamp>,
}

impl Principal {
    pub(super) fn of(token: &Token) -> Principal {
        // Names are chosen and may be alike, so the id goes along.
        let actor = format!("{} ({})", token.name, token.id);
        Principal { token: token.id, scope: token.scope, actor, expires_at: token.expires_at }
    }

    /// Whether everything is theirs.
    pub fn is_owner(&self) -> bool {
        matches!(self.scope, Scope::All)
    }

    /// Whether they may know of a worker and watch it.
    pub fn may_watch(&self, id: WorkerId) -> bool {
        match self.scope {
            Scope::All => true,
            Scope::Worker { worker, .. } => worker == id,
        }
    }

    /// Whether they may type into a worker, resize it, or send it anything at all.
    pub fn may_drive(&self, id: WorkerId) -> bool {
        match self.scope {
            Scope::All => true,
            Scope::Worker { worker, drive } => drive && worker == id,
        }
    }
}
