//! How a browser's page signs in and says hello.

use api::{HelloAnswer, HelloRequest, OpenBond, OpenedBond, Problem, RegisterDevice, RegisteredDevice};
use axum::Extension;
use axum::extract::State;
use http::{HeaderMap, StatusCode, header};
use proof::text_of;

use super::access::shown;
use crate::app::App;
use crate::gate::Caller;
use crate::problem::{Failure, Json};

/// Signs in a browser: registers its key with a one-time code, which stays in the browser.
#[utoipa::path(post, path = "/api/auth/devices", tag = "access", request_body = RegisterDevice,
    responses((status = 201, body = RegisteredDevice), (status = "4XX", body = Problem)))]
pub(crate) async fn register(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Json(asked): Json<RegisterDevice>,
) -> Result<(StatusCode, Json<RegisteredDevice>), Failure> {
    let browser = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
    let made = caller.register(&asked, browser).await?;
    if let Some(used) = proof::bytes_of(&asked.code) {
        app.node().sign_in_page_was_used(move |code| *proof::CodeKey::of(code).id() == used);
    }
    app.of(made.token.owner).access().record_sign_in(&made.token).await;
    let (server_key, mac) = (text_of(made.server_key.as_bytes()), text_of(&made.mac));
    Ok((StatusCode::CREATED, Json(RegisteredDevice { server_key, token: shown(&made.token), mac })))
}

/// Shows the server's key, before the browser shows its own.
#[utoipa::path(post, path = "/api/auth/hello", tag = "access", request_body = HelloRequest,
    responses((status = 200, body = HelloAnswer), (status = "4XX", body = Problem)))]
pub(crate) async fn hello(
    Extension(caller): Extension<Caller>,
    Json(asked): Json<HelloRequest>,
) -> Result<Json<HelloAnswer>, Failure> {
    caller.answer_hello(&asked).map(Json)
}

/// Opens a bond: the browser shows its key.
#[utoipa::path(post, path = "/api/auth/bonds", tag = "access", request_body = OpenBond,
    responses((status = 201, body = OpenedBond), (status = "4XX", body = Problem)))]
pub(crate) async fn open_bond(
    Extension(caller): Extension<Caller>,
    Json(asked): Json<OpenBond>,
) -> Result<(StatusCode, Json<OpenedBond>), Failure> {
    let (mac, device) = caller.open_bond(&asked).await?;
    Ok((StatusCode::CREATED, Json(OpenedBond { mac: text_of(&mac), device })))
}
