//! Reads and checks the data of requests.

use std::fmt;
use std::marker::PhantomData;

use api::ErrorCode;
use axum::body::HttpBody;
use axum::extract::rejection::{BytesRejection, FailedToBufferBody, JsonRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use model::display_safe;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::Failure;

/// A JSON body of a request or an answer. In a request it must be an object.
#[derive(Clone, Copy, Debug, Default)]
pub struct Json<T>(pub T);

/// A JSON object that a request may have as its body. Without one, it says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct MaybeJson<T>(pub Option<T>);

/// A JSON array in a request.
#[derive(Clone, Debug, Default)]
pub struct JsonList<T>(pub Vec<T>);

/// The query parameters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<T>(pub T);

/// The path parameters. If one cannot be parsed, the answer is "not found".
#[derive(Clone, Copy, Debug, Default)]
pub struct Path<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Json<T>, Failure> {
        let Object(value) = read(request, state).await?;
        Ok(Json(value))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for MaybeJson<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<MaybeJson<T>, Failure> {
        if request.body().is_end_stream() {
            return Ok(MaybeJson(None));
        }
        let Object(value) = read(request, state).await?;
        Ok(MaybeJson(Some(value)))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonList<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<JsonList<T>, Failure> {
        read(request, state).await.map(JsonList)
    }
}

async fn read<T: DeserializeOwned, S: Send + Sync>(request: Request, state: &S) -> Result<T, Failure> {
    match axum::Json::from_request(request, state).await {
        Ok(axum::Json(value)) => Ok(value),
        Err(rejection) => Err(Failure::new(json_code(&rejection), safe(&rejection.body_text()))),
    }
}

/// A value that can only be read from a JSON object. serde would also accept an array of a struct's fields.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object<T>, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Object)
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

/// Makes a rejection's text safe to show, because it may quote the request.
fn safe(text: &str) -> String {
    display_safe(text)
}
