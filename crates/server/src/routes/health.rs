//! The server's health and metrics.

use api::{Health, HealthStatus};
use axum::Extension;
use axum::extract::State;
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue};

use crate::app::App;
use crate::problem::{Failure, Json};
use crate::tokens::Principal;

/// The server's health. Only the owner gets the reason for a problem.
#[utoipa::path(get, path = "/api/health", tag = "server",
    responses((status = 200, body = Health), (status = "4XX", body = api::Problem)))]
pub(crate) async fn health(State(app): State<App>, who: Option<Extension<Principal>>) -> Json<Health> {
    let degraded = app.parts().degraded.clone();
    let is_owner = who.is_some_and(|Extension(who)| who.is_owner());
    let notify_failure = app.parts().nudging.failure();
    Json(Health {
        status: if degraded.is_some() { HealthStatus::Degraded } else { HealthStatus::Ok },
        release: env!("CARGO_PKG_VERSION").to_owned(),
        reason: degraded.filter(|_| is_owner),
        notify_failure: notify_failure.filter(|_| is_owner),
    })
}

/// Counts, in Prometheus's text format.
#[utoipa::path(get, path = "/api/metrics", tag = "server",
    responses((status = 200, body = String, content_type = "application/openmetrics-text"),
        (status = "4XX", body = api::Problem)))]
pub(crate) async fn metrics(
    State(app): State<App>,
) -> Result<([(HeaderName, HeaderValue); 1], String), Failure> {
    let lives = app.lives().all();
    let viewers = lives.values().map(|live| live.viewers.len()).sum();
    let text = app.parts().metrics.text(app.relays().open(), lives.len(), viewers);
    let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    Ok(([(CONTENT_TYPE, kind)], text))
}
