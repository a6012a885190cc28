//! What a request's body may be.

use api::ErrorCode;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::Limited;

use crate::problem::Failure;

/// What a route takes for a body. One that is sent where none is expected has to be like this too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyRule {
    /// How large it may be.
    pub most_bytes: usize,
    /// Of which types it may be. None of those that a form of another site could send, unless the route can bear it.
    pub types: &'static [&'static str],
}

impl BodyRule {
    /// JSON of at most a mebibyte.
    pub const JSON: BodyRule = BodyRule { most_bytes: 1024 * 1024, types: &["application/json"] };

    /// The request with a body that ends when it is larger than it may be.
    ///
    /// # Errors
    ///
    /// When it says itself that it is too large, or is of another type.
    pub(super) fn apply(&self, request: Request) -> Result<Request, Failure> {
        if request.body().is_end_stream() {
            return Ok(request);
        }
        let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
        let said: Option<u64> = header(CONTENT_LENGTH).and_then(|length| length.parse().ok());
        if said.is_some_and(|length| length > self.most_bytes as u64) {
            let most = self.most_bytes;
            return Err(Failure::new(
                ErrorCode::BodyTooLarge,
                format!("a body has at most {most} bytes here"),
            ));
        }
        let kind = header(CONTENT_TYPE).and_then(|value| value.split(';').next()).unwrap_or_default().trim();
        if !self.types.iter().any(|known| known.eq_ignore_ascii_case(kind)) {
            let known = self.types.join(", ");
            return Err(Failure::new(
                ErrorCode::UnsupportedMediaType,
                format!("a body has to be {known} here"),
            ));
        }
        Ok(request.map(|body| Body::new(Limited::new(body, self.most_bytes))))
    }
}
