//! A few routes, one for each policy.

use std::sync::{Arc, Mutex};

use api::ExchangeCode;
use axum::extract::ws::{Message, WebSocket};
use axum::extract::{Extension, State};
use axum::response::Response;
use axum::routing::get;
use axum::{Router, body::Bytes};
use http::HeaderMap;
use model::WorkerId;
use serde::Deserialize;
use server::gate::{Caller, SocketDoor};
use server::policy::{BodyRule, Policy, RouteEntry, SocketOf, Table, Underway};
use server::problem::{Failure, Json, Path, Query};
use server::tokens::Principal;
use utoipa::openapi::OpenApi;
use utoipa_axum::routes;

/// Everything that the handlers received: headers of requests, messages of sockets.
#[derive(Clone, Default)]
pub(crate) struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Larger than axum's own limit.
pub(crate) const UPLOAD: BodyRule = BodyRule { most_bytes: 3_000_000, types: &["image/png"] };

#[derive(Deserialize)]
struct Thing {
    number: u32,
}

#[utoipa::path(get, path = "/")]
async fn page() -> &'static str {
    "the page"
}

#[utoipa::path(post, path = "/api/codes/exchange")]
async fn exchange(
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    code: Json<ExchangeCode>,
) -> Result<String, Failure> {
    let agent = headers.get("user-agent").and_then(|agent| agent.to_str().ok());
    let new = caller.exchange(&code.0.code, agent).await?;
    Ok(format!("{} {}", new.token.name, new.secret.expose()))
}

#[utoipa::path(get, path = "/api/things")]
async fn things(
    State(seen): State<Seen>,
    Extension(who): Extension<Principal>,
    headers: HeaderMap,
) -> String {
    seen.note(format!("{headers:?}"));
    who.actor
}

#[utoipa::path(post, path = "/api/things")]
async fn add_thing(Json(thing): Json<Thing>) -> String {
    format!("number {}", thing.number)
}

#[utoipa::path(get, path = "/api/numbered")]
async fn numbered(Query(thing): Query<Thing>) -> String {
    format!("number {}", thing.number)
}

#[utoipa::path(put, path = "/api/uploads")]
async fn upload(bytes: Bytes) -> String {
    format!("{} bytes", bytes.len())
}

#[utoipa::path(get, path = "/api/workers/{id}")]
async fn worker(Path(id): Path<WorkerId>) -> String {
    format!("worker {id}")
}

#[utoipa::path(post, path = "/api/workers/{id}")]
async fn drive(Path(id): Path<WorkerId>) -> String {
    format!("drove {id}")
}

#[utoipa::path(get, path = "/api/workers/{id}/attach")]
async fn attach(State(seen): State<Seen>, door: SocketDoor) -> Response {
    door.open(move |socket, who| echo(seen, socket, who))
}

#[utoipa::path(get, path = "/ws/dashboard")]
async fn dashboard(State(seen): State<Seen>, door: SocketDoor) -> Response {
    door.open(move |socket, who| echo(seen, socket, who))
}

async fn echo(seen: Seen, mut socket: WebSocket, who: Principal) {
    seen.note(format!("attached {}", who.token));
    let _ = socket.send(Message::text("welcome")).await;
    while let Some(Ok(message)) = socket.recv().await {
        if let Message::Text(text) = &message {
            seen.note(text.as_str());
        }
        if matches!(message, Message::Text(_)) && socket.send(message).await.is_err() {
            return;
        }
    }
}

pub(crate) fn router(seen: Seen) -> (Router, Vec<RouteEntry>) {
    let (router, _, entries) = Table::new(OpenApi::default(), Underway::default())
        .add(Policy::Public, routes!(page))
        .add(Policy::Public, routes!(exchange))
        .add(Policy::Owner, routes!(things, add_thing))
        .add(Policy::Owner, routes!(numbered))
        .add_with_body(Policy::Owner, UPLOAD, routes!(upload))
        .add(Policy::Worker { drive: false }, routes!(worker))
        .add(Policy::Worker { drive: true }, routes!(drive))
        .add(Policy::Socket { of: SocketOf::Worker, first_frame: true }, routes!(attach))
        .add(Policy::Socket { of: SocketOf::Owner, first_frame: false }, routes!(dashboard))
        .into_router();
    #[expect(clippy::disallowed_methods, reason = "a route that is not in the table")]
    let router = router.route("/api/forgotten", get(async || "everything"));
    (router.with_state(seen), entries)
}
