//! Codes, tokens, and what was done with them.

use api::{AuditEntry, Code, CreateToken, ErrorCode, ExchangeCode, NewToken, Problem, Scope, Token};
use axum::Extension;
use axum::extract::State;
use http::{HeaderMap, StatusCode, header};
use jiff::{SignedDuration, Timestamp};
use model::TokenId;
use serde::Deserialize;

use super::Who;
use crate::app::App;
use crate::gate::Caller;
use crate::problem::{Failure, Json, Path, Query};
use crate::texts;

/// Hands in a one-time code, and gets a token for it.
#[utoipa::path(post, path = "/api/auth/exchange", tag = "access", request_body = ExchangeCode,
    responses((status = 200, body = NewToken), (status = "4XX", body = Problem)))]
pub(crate) async fn exchange(
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Json(exchange): Json<ExchangeCode>,
) -> Result<Json<NewToken>, Failure> {
    let browser = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
    let made = caller.exchange(&exchange.code, browser).await?;
    Ok(Json(NewToken { secret: made.secret.expose(), token: shown(&made.token) }))
}

/// Makes a one-time code for a browser.
#[utoipa::path(post, path = "/api/auth/codes", tag = "access",
    responses((status = 201, body = Code), (status = "4XX", body = Problem)))]
pub(crate) async fn create_code(State(app): State<App>) -> Result<(StatusCode, Json<Code>), Failure> {
    let link = app.gate().link().map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))?;
    Ok((StatusCode::CREATED, Json(Code { url: link.url, expires_at: link.expires_at })))
}

/// All tokens that open something, without their secrets.
#[utoipa::path(get, path = "/api/tokens", tag = "access",
    responses((status = 200, body = Vec<Token>), (status = "4XX", body = Problem)))]
pub(crate) async fn list_tokens(State(app): State<App>) -> Result<Json<Vec<Token>>, Failure> {
    let tokens = app.gate().tokens().list().await;
    let tokens = tokens.map_err(|error| Failure::new(ErrorCode::Unavailable, error.to_string()))?;
    let now = Timestamp::now();
    Ok(Json(tokens.iter().filter(|token| token.is_valid(now)).map(shown).collect()))
}

/// Makes a token. Its secret is told this once.
#[utoipa::path(post, path = "/api/tokens", tag = "access", request_body = CreateToken,
    responses((status = 201, body = NewToken), (status = "4XX", body = Problem)))]
pub(crate) async fn create_token(
    State(app): State<App>,
    Extension(who): Who,
    Json(create): Json<CreateToken>,
) -> Result<(StatusCode, Json<NewToken>), Failure> {
    let name = texts::line("name", &create.name)?;
    let scope = match create.scope {
        Scope::All => store::Scope::All,
        Scope::Worker { worker_id, drive } => {
            app.worker(worker_id).await?;
            store::Scope::Worker { worker: worker_id, drive }
        }
    };
    if create.expires_in_seconds == Some(0) {
        let words = "the token would not last at all: `expiresInSeconds` is 0";
        return Err(Failure::new(ErrorCode::InvalidBody, words));
    }
    let lasts = create.expires_in_seconds.map(|seconds| SignedDuration::from_secs(seconds.into()));
    let expires_at = lasts.map(|lasts| Timestamp::now().checked_add(lasts).unwrap_or(Timestamp::MAX));
    let made = app.gate().tokens().make(&name, scope, expires_at).await;
    let made = made.map_err(|error| Failure::new(ErrorCode::Unavailable, error.to_string()))?;
    app.record(&who, "token.create", made.token.id, Some(name)).await;
    Ok((StatusCode::CREATED, Json(NewToken { secret: made.secret.expose(), token: shown(&made.token) })))
}

/// Takes a token back. Whoever came in with it is sent away at once.
#[utoipa::path(delete, path = "/api/tokens/{tokenId}", tag = "access",
    params(("tokenId" = String, Path, description = "the token's id")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn revoke_token(
    State(app): State<App>,
    Extension(who): Who,
    Path(id): Path<TokenId>,
) -> Result<StatusCode, Failure> {
    let revoked = app.gate().tokens().revoke(id).await;
    match revoked {
        Ok(true) => {}
        Ok(false) => return Err(Failure::not_found("token")),
        Err(error) => return Err(Failure::new(ErrorCode::Unavailable, error.to_string())),
    }
    app.record(&who, "token.revoke", id, None).await;
    Ok(StatusCode::NO_CONTENT)
}

/// A page of the audit trail.
#[derive(Debug, Deserialize)]
pub(crate) struct AuditPage {
    before: Option<i64>,
    limit: Option<u32>,
}

/// The most of it that is told at once.
const MOST_ENTRIES: u32 = 1000;

/// Who did what, newest first.
#[utoipa::path(get, path = "/api/audit", tag = "access",
    params(("before" = Option<i64>, Query, description = "only what came before this number"),
        ("limit" = Option<u32>, Query, description = "how many; 100 if nothing is said, 1000 at most")),
    responses((status = 200, body = Vec<AuditEntry>), (status = "4XX", body = Problem)))]
pub(crate) async fn audit(
    State(app): State<App>,
    Query(page): Query<AuditPage>,
) -> Result<Json<Vec<AuditEntry>>, Failure> {
    let limit = page.limit.unwrap_or(100).min(MOST_ENTRIES) as usize;
    let entries = app.db(move |store| store.audit(page.before, limit)).await?;
    let shown = |entry: store::AuditEntry| AuditEntry {
        seq: entry.seq,
        at: entry.at,
        actor: entry.actor,
        action: entry.action,
        object: entry.object,
        detail: entry.detail,
    };
    Ok(Json(entries.into_iter().map(shown).collect()))
}

fn shown(token: &store::Token) -> Token {
    Token {
        id: token.id,
        name: token.name.clone(),
        scope: match token.scope {
            store::Scope::All => Scope::All,
            store::Scope::Worker { worker, drive } => Scope::Worker { worker_id: worker, drive },
        },
        created_at: token.created_at,
        expires_at: token.expires_at,
        last_used_at: token.last_used_at,
    }
}
