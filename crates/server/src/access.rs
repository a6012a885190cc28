//! Codes, tokens, and the record of who did what.

use api::{ErrorCode, Problem};
use jiff::Timestamp;
use model::TokenId;
use store::{AuditEntry, NewAuditEntry, Scope, Token};

use crate::gate::Link;
use crate::rooms::Access;
use crate::tokens::{NewToken, Principal, TokenError};

impl Access {
    /// Puts on record who did what. That it could not be saved is no reason not to do it.
    pub(crate) async fn record(
        &self,
        who: &Principal,
        action: &str,
        object: impl ToString,
        detail: Option<String>,
    ) {
        let (actor, doing, object) = (who.actor.clone(), action.to_owned(), object.to_string());
        let kept = self.happened(move |store: &store::Store| {
            let entry =
                NewAuditEntry { actor: &actor, action: &doing, object: &object, detail: detail.as_deref() };
            store.add_audit_entry(entry, Timestamp::now())
        });
        if let Err(problem) = kept.once().await {
            tracing::warn!(action, reason = problem.error.message, "not put on record");
        }
    }

    /// What was done, newest first, before the entry with this number.
    pub(crate) async fn audit(&self, before: Option<i64>, limit: usize) -> Result<Vec<AuditEntry>, Problem> {
        self.read(move |store| store.audit(before, limit)).await
    }

    /// A link with a one-time code for a browser.
    pub(crate) fn new_link(&self) -> Result<Link, Problem> {
        self.gate().link(self.owner()).map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))
    }

    /// All tokens that open something, without their secrets.
    pub(crate) async fn tokens(&self) -> Result<Vec<Token>, Problem> {
        let tokens = self.gate().tokens().list(self.owner()).await;
        let tokens = tokens.map_err(|error| Problem::new(ErrorCode::Unavailable, error.to_string()))?;
        let now = Timestamp::now();
        Ok(tokens.into_iter().filter(|token| token.is_valid(now)).collect())
    }

    /// Makes a token. If it opens a worker, that has to be there. The server refuses a token that it cannot save: the token
    /// would end when the server is restarted.
    pub(crate) async fn create_token(
        &self,
        who: &Principal,
        name: String,
        scope: Scope,
        expires_at: Option<Timestamp>,
    ) -> Result<NewToken, Problem> {
        self.can_save()?;
        let made = self.gate().tokens().make(self.owner(), &name, scope, expires_at).await;
        let made = made.map_err(|error| unsaved(&error))?;
        self.record(who, "token.create", made.token.id, Some(name)).await;
        Ok(made)
    }

    /// Takes a token back; false if there is none. While the database is in memory only, the tokens in its file are not
    /// known. If one of these is meant, the server refuses: the token would be valid again after a restart.
    pub(crate) async fn revoke_token(&self, who: &Principal, id: TokenId) -> Result<bool, Problem> {
        let revoked = self.gate().tokens().revoke(self.owner(), id).await.map_err(|error| unsaved(&error))?;
        if !revoked {
            return self.can_save().map(|()| false);
        }
        self.record(who, "token.revoke", id, None).await;
        Ok(true)
    }
}

fn unsaved(error: &TokenError) -> Problem {
    Problem::new(ErrorCode::Unavailable, error.to_string())
}
