//! Codes, tokens and the audit trail.

use api::{AuditEntry, Code, CreateToken, ErrorCode, ExchangeCode, NewToken, Problem, Scope, Token};
use axum::Extension;
use axum::extract::State;
use http::{HeaderMap, StatusCode, header};
use jiff::{SignedDuration, Timestamp};
use model::TokenId;
use serde::Deserialize;

use super::{Mine, Who};
use crate::app::App;
use crate::gate::Caller;
use crate::problem::{Failure, Json, Path, Query};
use crate::texts;

/// Exchanges a one-time code for a token.
#[utoipa::path(post, path = "/api/auth/exchange", tag = "access", request_body = ExchangeCode,
    responses((status = 200, body = NewToken), (status = "4XX", body = Problem)))]
pub(crate) async fn exchange(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Json(exchange): Json<ExchangeCode>,
) -> Result<Json<NewToken>, Failure> {
    let browser = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
    let made = caller.exchange(&exchange.code, browser).await?;
    app.node().sign_in_page_was_used(move |code| code == exchange.code);
    app.of(made.token.owner).access().record_sign_in(&made.token).await;
    Ok(Json(NewToken { secret: made.secret.expose(), token: shown(&made.token) }))
}

/// Makes a one-time code for a browser.
#[utoipa::path(post, path = "/api/auth/codes", tag = "access",
    responses((status = 201, body = Code), (status = "4XX", body = Problem)))]
pub(crate) async fn create_code(Mine(app): Mine) -> Result<(StatusCode, Json<Code>), Failure> {
    let link = app.access().new_link()?;
    app.node().sign_in_page_will_be_old();
    Ok((StatusCode::CREATED, Json(Code { url: link.url, expires_at: link.expires_at })))
}

/// All valid tokens, without their secrets.
#[utoipa::path(get, path = "/api/tokens", tag = "access",
    responses((status = 200, body = Vec<Token>), (status = "4XX", body = Problem)))]
pub(crate) async fn list_tokens(Mine(app): Mine) -> Result<Json<Vec<Token>>, Failure> {
    Ok(Json(app.access().tokens().await?.iter().map(shown).collect()))
}

/// Makes a token. Its secret is shown only in this answer.
#[utoipa::path(post, path = "/api/tokens", tag = "access", request_body = CreateToken,
    responses((status = 201, body = NewToken), (status = "4XX", body = Problem)))]
pub(crate) async fn create_token(
    Mine(app): Mine,
    Extension(who): Who,
    Json(create): Json<CreateToken>,
) -> Result<(StatusCode, Json<NewToken>), Failure> {
    let name = texts::line("name", &create.name)?;
    let scope = match create.scope {
        Scope::All => store::Scope::All,
        Scope::Worker { worker_id, drive } => {
            app.workers().get(worker_id).await?;
            store::Scope::Worker { worker: worker_id, drive }
        }
    };
    if create.expires_in_seconds == Some(0) {
        let words = "`expiresInSeconds` must be at least 1";
        return Err(Failure::new(ErrorCode::InvalidBody, words));
    }
    let lasts = create.expires_in_seconds.map(|seconds| SignedDuration::from_secs(seconds.into()));
    let expires_at = lasts.map(|lasts| Timestamp::now().checked_add(lasts).unwrap_or(Timestamp::MAX));
    let made = app.access().create_token(&who, name, scope, expires_at).await?;
    Ok((StatusCode::CREATED, Json(NewToken { secret: made.secret.expose(), token: shown(&made.token) })))
}

/// Revokes a token. Its sockets are closed at once.
#[utoipa::path(delete, path = "/api/tokens/{tokenId}", tag = "access",
    params(("tokenId" = String, Path, description = "the token's id")),
    responses((status = 204), (status = "4XX", body = Problem)))]
pub(crate) async fn revoke_token(
    Mine(app): Mine,
    Extension(who): Who,
    Path(id): Path<TokenId>,
) -> Result<StatusCode, Failure> {
    match app.access().revoke_token(&who, id).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Failure::not_found("token")),
    }
}

/// A page of the audit trail.
#[derive(Debug, Deserialize)]
pub(crate) struct AuditPage {
    before: Option<i64>,
    limit: Option<u32>,
}

/// The largest page.
const MOST_ENTRIES: u32 = 1000;

/// The audit trail: all changes with their actors, newest first.
#[utoipa::path(get, path = "/api/audit", tag = "access",
    params(("before" = Option<i64>, Query, description = "only entries before this number"),
        ("limit" = Option<u32>, Query, description = "how many; by default 100, at most 1000")),
    responses((status = 200, body = Vec<AuditEntry>), (status = "4XX", body = Problem)))]
pub(crate) async fn audit(
    Mine(app): Mine,
    Query(page): Query<AuditPage>,
) -> Result<Json<Vec<AuditEntry>>, Failure> {
    let limit = page.limit.unwrap_or(100).min(MOST_ENTRIES) as usize;
    let entries = app.access().audit(page.before, limit).await?;
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

pub(super) fn shown(token: &store::Token) -> Token {
    Token {
        id: token.id,
        name: token.name.clone(),
        scope: match token.scope {
            store::Scope::All => Scope::All,
            store::Scope::Worker { worker, drive } => Scope::Worker { worker_id: worker, drive },
        },
        device: token.is_device,
        created_at: token.created_at,
        expires_at: token.expires_at,
        last_used_at: token.last_used_at,
    }
}
