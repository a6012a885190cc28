//! Paths and methods that nobody declared.

use api::ErrorCode;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};

use super::Failure;
use crate::gate::is_private;
use crate::policy::Decided;
use crate::tokens::Principal;

/// Answers for a path that is in no route.
pub(crate) async fn unknown_path(request: Request) -> Response {
    answer(&request, Failure::new(ErrorCode::UnknownPath, "there is no such path"))
}

/// Answers for a method that a route does not have.
pub(crate) async fn method_not_allowed(request: Request) -> Response {
    answer(&request, Failure::new(ErrorCode::MethodNotAllowed, "the path does not have this method"))
}

/// What there is and what there is not, only those with a token hear of.
fn answer(request: &Request, failure: Failure) -> Response {
    let known = request.extensions().get::<Principal>().is_some();
    let failure =
        if known || !is_private(request.uri().path()) { failure } else { Failure::unauthenticated() };
    Decided::mark(failure.into_response())
}
