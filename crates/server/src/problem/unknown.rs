//! Answers for unknown paths and methods.

use api::ErrorCode;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};

use super::Failure;
use crate::gate::is_private;
use crate::policy::Decided;
use crate::tokens::Principal;

/// Answers a request for an unknown path.
pub(crate) async fn unknown_path(request: Request) -> Response {
    answer(&request, Failure::new(ErrorCode::UnknownPath, "there is no such path"))
}

/// Answers a request with a method that the route does not have.
pub(crate) async fn method_not_allowed(request: Request) -> Response {
    answer(&request, Failure::new(ErrorCode::MethodNotAllowed, "this path does not accept this method"))
}

/// Says whether a private path exists only to requests with a token.
fn answer(request: &Request, failure: Failure) -> Response {
    let known = request.extensions().get::<Principal>().is_some();
    let failure =
        if known || !is_private(request.uri().path()) { failure } else { Failure::unauthenticated() };
    Decided::mark(failure.into_response())
}
