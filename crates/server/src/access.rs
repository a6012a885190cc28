//! Codes, tokens, and the record of who did what.

use api::{ErrorCode, Problem};
use futures_util::future::join_all;
use jiff::Timestamp;
use model::{TokenId, WorkerId};
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
        let scope = self
            .tokens()
            .await
            .ok()
            .and_then(|all| Some(all.into_iter().find(|token| token.id == id)?.scope));
        let revoked = self.gate().tokens().revoke(self.owner(), id).await.map_err(|error| unsaved(&error))?;
        self.end_use_of(id, scope).await;
        self.prompts().cancel_of_token(id).await;
        if !revoked {
            return self.can_save().map(|()| false);
        }
        self.record(who, "token.revoke", id, None).await;
        Ok(true)
    }
}

impl Access {
    /// Ends everything that hangs on a token. The hosts of its workers drop what it typed and the child has not got,
    /// also if it has detached since.
    async fn end_use_of(&self, token: TokenId, scope: Option<Scope>) {
        let share = self.gate().shares().end(token);
        let workers: Vec<WorkerId> = match scope {
            Some(Scope::Worker { worker, .. }) => vec![worker],
            Some(Scope::All) => self.lives().all().into_keys().collect(),
            None => Vec::new(),
        };
        let is_to_be_told =
            |worker: &WorkerId| share.as_ref().is_none_or(|share| share.is_to_be_told(*worker));
        let told =
            workers.into_iter().filter(is_to_be_told).map(|worker| self.node().withdraw(worker, token));
        join_all(told).await;
    }

    /// Puts on record that a browser signed in.
    pub(crate) async fn record_sign_in(&self, made: &Token) {
        let who = Principal::of(made);
        self.record(&who, "token.sign-in", made.id, Some(made.name.clone())).await;
    }
}

fn unsaved(error: &TokenError) -> Problem {
    Problem::new(ErrorCode::Unavailable, error.to_string())
}
