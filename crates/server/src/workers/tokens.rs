//! The tokens that open a worker: given to the agent in it, and taken back.

use std::ffi::OsString;

use model::WorkerId;
use store::{Scope, Worker};

use crate::rooms::Workers;

impl Workers {
    /// A token that opens an agent's own worker and nothing else, and where the server is.
    pub(super) async fn token_for(&self, worker: &Worker) -> Vec<(OsString, OsString)> {
        let scope = Scope::Worker { worker: worker.id, drive: true };
        match self.gate().tokens().make(self.owner(), &format!("agent {}", worker.name), scope, None).await {
            Ok(made) => {
                let socket = self.parts().socket.as_ref();
                let socket = socket.map(|socket| ("ABIDE_SOCKET".into(), socket.clone().into()));
                let token = ("ABIDE_TOKEN".into(), made.secret.expose().into());
                let url = ("ABIDE_URL".into(), self.parts().url.clone().into());
                [token, url].into_iter().chain(socket).collect()
            }
            Err(error) => {
                tracing::warn!(worker.id = %worker.id, %error, "the agent gets no token");
                Vec::new()
            }
        }
    }

    /// Takes back the tokens that a worker which has ended was given, or all that open it.
    pub(super) async fn revoke_tokens_of(&self, id: WorkerId, all: bool) {
        let tokens = self.read(store::Reader::tokens).await.unwrap_or_default();
        let is_its = |token: &store::Token| match token.scope {
            Scope::Worker { worker, drive } => worker == id && (all || drive),
            Scope::All => false,
        };
        for token in tokens.into_iter().filter(|token| token.revoked_at.is_none()).filter(is_its) {
            if let Err(error) = self.gate().tokens().revoke(self.owner(), token.id).await {
                tracing::warn!(worker.id = %id, %error, "a token is not taken back for good");
            }
        }
    }
}
