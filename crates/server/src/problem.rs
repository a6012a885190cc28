//! Error answers, all with the same body: [`api::Problem`].
//!
//! Handlers return a [`Failure`]. They read requests with [`Json`], [`Query`] and [`Path`] from this module, which
//! refuse invalid input with the same body. Unknown paths and methods use it too.

mod extract;
mod unknown;

use api::{ErrorCode, Problem};
use axum::response::{IntoResponse, Response};
use http::header::{HeaderValue, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};

pub use extract::{Json, JsonList, MaybeJson, Path, Query};
pub(crate) use unknown::{method_not_allowed, unknown_path};

/// A problem as an HTTP answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure(pub Problem);

impl Failure {
    /// A failure with a code and a sentence.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Failure {
        Failure(Problem::new(code, message))
    }

    /// Adds a hint: what the client can do.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Failure {
        Failure(self.0.hint(hint))
    }

    /// No token, or a wrong one. The answer does not say which.
    pub fn unauthenticated() -> Failure {
        Failure::new(ErrorCode::Unauthenticated, "this request needs a valid token")
            .hint("programs send `Authorization: Bearer …` with the token in the file `token`; in a browser, open a link from `abide open`")
    }

    /// The token is valid but does not permit this.
    pub fn forbidden() -> Failure {
        Failure::new(ErrorCode::Forbidden, "this token does not permit that")
    }

    /// There is no such thing, or the token may not see it.
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
