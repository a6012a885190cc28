//! Answers that are not what was asked for, all in the one body of [`api::Problem`].
//!
//! Handlers give back a [`Failure`]; what comes from outside is read with [`Json`], [`Query`] and [`Path`] from here,
//! which refuse in the same body, as do unknown paths and methods.

mod extract;
mod unknown;

use api::{ErrorCode, Problem};
use axum::response::{IntoResponse, Response};
use http::header::{HeaderValue, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};

pub use extract::{Json, JsonList, Path, Query};
pub(crate) use unknown::{method_not_allowed, unknown_path};

/// A problem as an HTTP answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure(pub Problem);

impl Failure {
    /// A failure with nothing but a code and a sentence.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Failure {
        Failure(Problem::new(code, message))
    }

    /// The same, with a way on.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Failure {
        Failure(self.0.hint(hint))
    }

    /// No credential, or a wrong one: nobody is told which.
    pub fn unauthenticated() -> Failure {
        Failure::new(ErrorCode::Unauthenticated, "this needs a token")
            .hint("programs send `Authorization: Bearer …` with the token from the file `token`; browsers open the link of `abide open`")
    }

    /// The credential is right and does not reach that far.
    pub fn forbidden() -> Failure {
        Failure::new(ErrorCode::Forbidden, "this token does not reach that far")
    }

    /// There is no such thing, or none that the credential may know of.
    pub fn not_found(what: &str) -> Failure {
        Failure::new(ErrorCode::NotFound, format!("there is no such {what}"))
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        Failure(problem)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status()).expect("every code has a status of three digits");
        let mut headers = HeaderMap::new();
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        (status, headers, axum::Json(self.0)).into_response()
    }
}
