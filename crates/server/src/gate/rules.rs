//! Checks of a request's head, before its route is known.

use api::ErrorCode;
use http::header::{HOST, HeaderName, ORIGIN};
use http::{HeaderMap, Method, Request, Uri};
use percent_encoding::percent_decode_str;

use super::Names;
use crate::problem::Failure;
use crate::tokens::Secret;

/// The longest path and query. Ours are much shorter.
const MOST_URI_BYTES: usize = 8 * 1024;

/// The largest size of all header names and values together. Browsers and our programs send less. The connection has
/// its own limit, which stops larger heads from being read.
const MOST_HEADER_BYTES: usize = 16 * 1024;

/// The name by which programs call a server at its Unix socket.
const SOCKET_NAME: &[u8] = b"localhost";

/// Names of query parameters that usually contain a secret.
const SECRET_PARAMETERS: [&str; 2] = ["token", "access_token"];

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// Whether the path belongs to the API or the sockets. These need a token, or give one. All other paths are the page
/// and its files.
pub(crate) fn is_private(path: &str) -> bool {
    ["/api", "/ws"]
        .iter()
        .any(|root| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// Checks a request's head.
///
/// # Errors
///
/// The reason for the refusal.
pub(crate) fn examine<B>(request: &Request<B>, names: &Names, is_at_socket: bool) -> Result<(), Failure> {
    sizes(request)?;
    host(request, names, is_at_socket)?;
    origin(request.headers(), names)?;
    fetch_metadata(request)?;
    no_secret_in_url(request.uri())
}

fn sizes<B>(request: &Request<B>) -> Result<(), Failure> {
    let uri = request.uri().path_and_query().map_or(0, |uri| uri.as_str().len());
    if uri > MOST_URI_BYTES {
        return Err(Failure::new(
            ErrorCode::UriTooLong,
            format!("the address is too long: a path and its query may have at most {MOST_URI_BYTES} bytes"),
        ));
    }
    let headers: usize =
        request.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if headers > MOST_HEADER_BYTES {
        return Err(Failure::new(
            ErrorCode::HeadTooLarge,
            format!("the headers are too long: they may have at most {MOST_HEADER_BYTES} bytes"),
        ));
    }
    Ok(())
}

/// Requires exactly one `Host`, which is one of our names. If the request line names a host too, it must be the same.
///
/// A Unix socket has no name and no port, and no browser reaches it. So `localhost` is our name there too.
fn host<B>(request: &Request<B>, names: &Names, is_at_socket: bool) -> Result<(), Failure> {
    let is_ours = |host: &&[u8]| names.is_host(host) || is_at_socket && *host == SOCKET_NAME;
    let host = only(request.headers(), &HOST).filter(is_ours);
    let same = request.uri().authority().is_none_or(|authority| host == Some(authority.as_str().as_bytes()))
        && request.uri().scheme_str().is_none_or(|scheme| scheme == "http");
    if host.is_some() && same {
        return Ok(());
    }
    Err(Failure::new(ErrorCode::Misdirected, "this server does not have that name")
        .hint(format!("its address is {}", names.page_url())))
}

fn origin(headers: &HeaderMap, names: &Names) -> Result<(), Failure> {
    if !headers.contains_key(ORIGIN) || only(headers, &ORIGIN).is_some_and(|origin| names.is_origin(origin)) {
        return Ok(());
    }
    Err(Failure::new(ErrorCode::ForeignOrigin, "the server does not answer pages of other origins"))
}

/// Uses the browser's headers about the origin of a request. Other sites may link to the page, and nothing more.
fn fetch_metadata<B>(request: &Request<B>) -> Result<(), Failure> {
    let is = |name: &HeaderName, value: &str| only(request.headers(), name) == Some(value.as_bytes());
    let ours = !request.headers().contains_key(FETCH_SITE)
        || is(&FETCH_SITE, "same-origin")
        || is(&FETCH_SITE, "none");
    let visit = request.method() == Method::GET
        && !is_private(request.uri().path())
        && is(&FETCH_MODE, "navigate")
        && is(&FETCH_DEST, "document");
    if ours || visit {
        return Ok(());
    }
    Err(Failure::new(ErrorCode::CrossSite, "the server does not answer requests on behalf of another site"))
}

/// Refuses secrets in addresses. Addresses end up in histories and logs.
fn no_secret_in_url(uri: &Uri) -> Result<(), Failure> {
    let query = uri.query().unwrap_or_default();
    let named = query.split('&').any(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        let name = percent_decode_str(name).decode_utf8_lossy().to_ascii_lowercase();
        SECRET_PARAMETERS.contains(&name.as_str())
    });
    let anywhere = || {
        let uri = uri.path_and_query().map_or("", |uri| uri.as_str());
        Secret::is_in(&percent_decode_str(uri).collect::<Vec<u8>>())
    };
    if named || anywhere() {
        return Err(Failure::new(ErrorCode::SecretInUrl, "a token must not be in an address")
            .hint("send it in the header `Authorization`, and make a new one if this one was real"));
    }
    Ok(())
}

/// The value of a header that comes exactly once.
pub(super) fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a [u8]> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then(|| value.as_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(request: http::request::Builder) -> Result<(), ErrorCode> {
        let names = Names::of(&["127.0.0.1:7000".parse().unwrap()]);
        examine(&request.body(()).unwrap(), &names, false).map_err(|failure| failure.0.code())
    }

    #[test]
    fn s2_at_the_socket_localhost_is_our_name_too_and_no_other() {
        let names = Names::of(&["127.0.0.1:7000".parse().unwrap()]);
        let passes = |host: &str, is_at_socket| {
            let request = Request::get("/api/tasks").header("host", host).body(()).unwrap();
            examine(&request, &names, is_at_socket).is_ok()
        };
        assert!(passes("localhost", true) && !passes("localhost", false));
        assert!(passes("127.0.0.1:7000", true));
        for host in ["", "localhost:80", "localhost:7001", "LOCALHOST", "evil.example"] {
            assert!(!passes(host, true), "{host}");
        }
        let page =
            Request::get("/api/tasks").header("host", "localhost").header("origin", "http://localhost");
        assert!(examine(&page.body(()).unwrap(), &names, true).is_err(), "no page is at the socket");
    }

    fn get(uri: &str) -> http::request::Builder {
        Request::get(uri).header("host", "localhost:7000")
    }

    #[test]
    fn a_plain_request_passes() {
        assert_eq!(check(get("/api/tasks")), Ok(()));
        assert_eq!(check(get("/api/tasks").header("origin", "http://abide.localhost:7000")), Ok(()));
        assert_eq!(check(get("http://localhost:7000/api/tasks")), Ok(()));
    }

    #[test]
    fn s2_the_request_line_names_the_same_host() {
        for uri in [
            "http://127.0.0.1:7000/",
            "http://evil.example:7000/",
            "http://x@localhost:7000/",
            "https://localhost:7000/",
            "http://LOCALHOST:7000/",
        ] {
            assert_eq!(check(get(uri)), Err(ErrorCode::Misdirected), "{uri}");
        }
        let connect = Request::connect("evil.example:443").header("host", "localhost:7000");
        assert_eq!(check(connect), Err(ErrorCode::Misdirected));
        assert_eq!(check(Request::get("http://localhost:7000/")), Err(ErrorCode::Misdirected));
    }

    #[test]
    fn s5_another_site_may_link_to_the_page_and_reaches_nothing_else() {
        let visit = |uri| get(uri).header("sec-fetch-mode", "navigate").header("sec-fetch-dest", "document");
        for site in ["cross-site", "same-site", "", "Same-Origin", "same-origin, same-origin"] {
            assert_eq!(check(get("/").header("sec-fetch-site", site)), Err(ErrorCode::CrossSite), "{site}");
            assert_eq!(check(visit("/").header("sec-fetch-site", site)), Ok(()), "{site}");
            for private in ["/api", "/api/tasks", "/ws/dashboard"] {
                assert_eq!(check(visit(private).header("sec-fetch-site", site)), Err(ErrorCode::CrossSite));
            }
        }
        for site in ["same-origin", "none"] {
            assert_eq!(check(get("/api/tasks").header("sec-fetch-site", site)), Ok(()));
        }
        let twice = get("/").header("sec-fetch-site", "same-origin").header("sec-fetch-site", "none");
        assert_eq!(check(twice), Err(ErrorCode::CrossSite));
        let framed = get("/").header("sec-fetch-mode", "navigate").header("sec-fetch-dest", "iframe");
        assert_eq!(check(framed.header("sec-fetch-site", "cross-site")), Err(ErrorCode::CrossSite));
        let post = Request::post("/").header("host", "localhost:7000").header("sec-fetch-mode", "navigate");
        let post = post.header("sec-fetch-dest", "document").header("sec-fetch-site", "cross-site");
        assert_eq!(check(post), Err(ErrorCode::CrossSite));
    }

    #[test]
    fn s6_a_secret_in_an_address_is_refused_however_it_is_written() {
        let secret = format!("abide_0z0z789a_{}", "A".repeat(43));
        for uri in [
            "/api/tasks?token=x".to_owned(),
            "/api/tasks?a=b&access_token=x".into(),
            "/api/tasks?TOKEN".into(),
            "/api/tasks?%74oken=x".into(),
            format!("/api/tasks?q={secret}"),
            format!("/api/{secret}"),
            format!("/api/tasks?q={}", secret.replace('_', "%5f")),
        ] {
            assert_eq!(check(get(&uri)), Err(ErrorCode::SecretInUrl), "{uri}");
        }
        assert_eq!(check(get("/api/tasks?tokens=1&q=abide_token")), Ok(()));
    }

    #[test]
    fn s12_long_heads_are_refused() {
        assert_eq!(check(get(&format!("/{}", "x".repeat(MOST_URI_BYTES)))), Err(ErrorCode::UriTooLong));
        let long = get("/").header("x-long", "x".repeat(MOST_HEADER_BYTES));
        assert_eq!(check(long), Err(ErrorCode::HeadTooLarge));
    }

    #[test]
    fn a_path_is_private_by_its_first_whole_part() {
        assert!(is_private("/api") && is_private("/api/") && is_private("/ws/terminals"));
        assert!(!is_private("/") && !is_private("/apiary") && !is_private("/assets/api"));
    }

    fn near_a_host() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("localhost:7000".to_owned()),
            Just("127.0.0.1:7000".to_owned()),
            "(abide\\.)?localhost(:700[01])?",
            "[a-z0-9.:@,\\[\\] ]{0,20}",
        ]
    }

    proptest! {
        #[test]
        fn s2_a_request_passes_only_with_exactly_one_host_of_ours(
            hosts in prop::collection::vec(near_a_host(), 0..3),
            named in prop::option::of(near_a_host()),
        ) {
            let uri = named.as_ref().map_or("/".to_owned(), |host| format!("http://{host}/"));
            let mut request = Request::get(&uri);
            // An invalid address never reaches this code.
            prop_assume!(request.uri_ref().is_some());
            for host in &hosts {
                request = request.header("host", host);
            }
            let ours = ["abide.localhost:7000", "localhost:7000", "127.0.0.1:7000"];
            let right = matches!(hosts.as_slice(), [host]
                if ours.contains(&host.as_str()) && named.as_ref().is_none_or(|named| named == host));
            prop_assert_eq!(check(request), if right { Ok(()) } else { Err(ErrorCode::Misdirected) });
        }
    }
}
