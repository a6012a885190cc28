//! Reading what comes from outside.

use api::ErrorCode;
use axum::extract::rejection::{BytesRejection, FailedToBufferBody, JsonRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use model::display_safe;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Failure;

/// A JSON body, in either direction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Json<T>(pub T);

/// The parameters behind the question mark.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<T>(pub T);

/// The parameters in the path. What cannot be read names nothing, so it is not found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Path<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Json<T>, Failure> {
        match axum::Json::from_request(request, state).await {
            Ok(axum::Json(value)) => Ok(Json(value)),
            Err(rejection) => Err(Failure::new(json_code(&rejection), safe(&rejection.body_text()))),
        }
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Query<T>, Failure> {
        match axum::extract::Query::from_request_parts(parts, state).await {
            Ok(axum::extract::Query(value)) => Ok(Query(value)),
            Err(rejection) => Err(Failure::new(ErrorCode::BadQuery, safe(&rejection.body_text()))),
        }
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Path<T>, Failure> {
        match axum::extract::Path::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(value)) => Ok(Path(value)),
            Err(rejection) => Err(Failure::new(ErrorCode::NotFound, safe(&rejection.body_text()))),
        }
    }
}

fn json_code(rejection: &JsonRejection) -> ErrorCode {
    use BytesRejection::FailedToBufferBody as Buffer;
    match rejection {
        JsonRejection::JsonDataError(_) => ErrorCode::InvalidBody,
        JsonRejection::JsonSyntaxError(_) => ErrorCode::BadJson,
        JsonRejection::MissingJsonContentType(_) => ErrorCode::UnsupportedMediaType,
        JsonRejection::BytesRejection(Buffer(FailedToBufferBody::LengthLimitError(_))) => {
            ErrorCode::BodyTooLarge
        }
        _ => ErrorCode::BadRequest,
    }
}

/// What a rejection says may quote the request.
fn safe(text: &str) -> String {
    display_safe(text)
}
