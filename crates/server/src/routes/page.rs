//! The page and its files.

use api::{ErrorCode, Problem};
use axum::body::Body;
use axum::response::Response;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderValue, StatusCode};
use page::File;

use crate::problem::{Failure, Path};

/// For files whose name contains a hash of their content: browsers need not ask again.
const FOREVER: &str = "public, max-age=31536000, immutable";

/// For files that change with a release but keep their name.
const ASK_AGAIN: &str = "no-cache";

/// The page.
#[utoipa::path(get, path = "/", tag = "page",
    responses((status = 200, content_type = "text/html", body = String),
        (status = 304, description = "not modified"), (status = "4XX", body = Problem)))]
pub(crate) async fn index(headers: HeaderMap) -> Result<Response, Failure> {
    found("index.html", &headers)
}

/// The page's scripts and styles. Their names contain a hash of their content.
#[utoipa::path(get, path = "/assets/{file}", tag = "page",
    params(("file" = String, Path, description = "the file's name")),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>),
        (status = 304, description = "not modified"), (status = "4XX", body = Problem)))]
pub(crate) async fn asset(Path(file): Path<String>, headers: HeaderMap) -> Result<Response, Failure> {
    found(&format!("assets/{file}"), &headers)
}

/// Other files of the page, such as icons and a manifest.
#[utoipa::path(get, path = "/{file}", tag = "page",
    params(("file" = String, Path, description = "the file's name")),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>),
        (status = 304, description = "not modified"), (status = "4XX", body = Problem)))]
pub(crate) async fn beside(Path(file): Path<String>, headers: HeaderMap) -> Result<Response, Failure> {
    found(&file, &headers)
}

fn found(name: &str, asked: &HeaderMap) -> Result<Response, Failure> {
    match page::file(name) {
        Some(file) => Ok(answer(file, asked)),
        None => Err(Failure::new(ErrorCode::UnknownPath, "there is no such file")),
    }
}

fn answer(file: &'static File, asked: &HeaderMap) -> Response {
    let is_known = lists(asked, IF_NONE_MATCH, |known| known == file.etag);
    let takes_gzip = lists(asked, ACCEPT_ENCODING, |coding| coding == "gzip");
    let mut answer = Response::new(match (is_known, file.is_gzipped && !takes_gzip) {
        (true, _) => Body::empty(),
        (false, true) => Body::from(file.plain()),
        (false, false) => Body::from(file.bytes),
    });
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.kind()));
    headers.insert(ETAG, HeaderValue::from_static(file.etag));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    let keep = if file.is_forever() { FOREVER } else { ASK_AGAIN };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(keep));
    if is_known {
        *answer.status_mut() = StatusCode::NOT_MODIFIED;
    } else if file.is_gzipped && takes_gzip {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    answer
}

/// Whether a header's list contains an item. Weights (after a semicolon) are ignored: browsers do not list a coding
/// that they do not accept.
fn lists(headers: &HeaderMap, name: HeaderName, is_it: impl Fn(&str) -> bool) -> bool {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values
        .flat_map(|list| list.split(','))
        .any(|each| is_it(each.split(';').next().unwrap_or_default().trim()))
}
