//! The page, and what it is made of.

use api::Problem;
use axum::body::Body;
use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};

/// The page.
#[utoipa::path(get, path = "/", tag = "page", 
    responses((status = 200, content_type = "text/html", body = String), (status = "4XX", body = Problem)))]
pub(crate) async fn index() -> Response {
    file(include_str!("../page/index.html"), "text/html; charset=utf-8")
}

/// What it does.
#[utoipa::path(get, path = "/assets/page.js", tag = "page",
    responses((status = 200, content_type = "text/javascript", body = String), (status = "4XX", body = Problem)))]
pub(crate) async fn script() -> Response {
    file(include_str!("../page/page.js"), "text/javascript; charset=utf-8")
}

/// How it looks.
#[utoipa::path(get, path = "/assets/page.css", tag = "page",
    responses((status = 200, content_type = "text/css", body = String), (status = "4XX", body = Problem)))]
pub(crate) async fn styles() -> Response {
    file(include_str!("../page/page.css"), "text/css; charset=utf-8")
}

fn file(text: &'static str, kind: &'static str) -> Response {
    let mut answer = Response::new(Body::from(text));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    // Another release has another page under the same name.
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    answer
}
