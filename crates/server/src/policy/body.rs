//! Rules for the body of a request.

use api::ErrorCode;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::Limited;

use crate::problem::Failure;

/// The size and types of body that a route accepts. The rule also applies to a body that the route does not expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyRule {
    /// The largest size.
    pub most_bytes: usize,
    /// The accepted content types. Types that a form on another site could send are not among them, unless they are
    /// harmless for this route.
    pub types: &'static [&'static str],
}

impl BodyRule {
    /// JSON of at most a mebibyte.
    pub const JSON: BodyRule = BodyRule { most_bytes: 1024 * 1024, types: &["application/json"] };

    /// Limits the size of a request's body.
    ///
    /// # Errors
    ///
    /// When the body's length header is too large, or when its type is not accepted.
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
                format!("the body is too large: this route accepts at most {most} bytes"),
            ));
        }
        let kind = header(CONTENT_TYPE).and_then(|value| value.split(';').next()).unwrap_or_default().trim();
        if !self.types.iter().any(|known| known.eq_ignore_ascii_case(kind)) {
            let known = self.types.join(", ");
            return Err(Failure::new(
                ErrorCode::UnsupportedMediaType,
                format!("the body's content type must be {known}"),
            ));
        }
        Ok(request.map(|body| Body::new(Limited::new(body, self.most_bytes))))
    }
}
