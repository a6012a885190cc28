//! What a request's head must be like before anybody looks at what it asks for.

use api::ErrorCode;
use http::header::{HOST, HeaderName, ORIGIN};
use http::{HeaderMap, Method, Request, Uri};
use percent_encoding::percent_decode_str;

use super::Names;
use crate::problem::Failure;
use crate::tokens::Secret;

/// More than any of our paths and queries takes.
const MOST_URI_BYTES: usize = 8 * 1024;

/// More than any browser or program of ours sends, names and values together. The connection has a bound of its own,
/// which keeps more from being read at all.
const MOST_HEADER_BYTES: usize = 16 * 1024;

/// As many parameters could hide a secret behind a common name.
const SECRET_PARAMETERS: [&str; 2] = ["token", "access_token"];

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// Whether what is at this path is for those with a token, or leads to it. The rest is the page and what it is made of.
pub(crate) fn is_private(path: &str) -> bool {
    ["/api", "/ws"]
        .iter()
        .any(|root| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// Looks at a request's head.
///
/// # Errors
///
/// Why it goes no further.
pub(crate) fn examine<B>(request: &Request<B>, names: &Names) -> Result<(), Failure> {
    sizes(request)?;
    host(request, names)?;
    origin(request.headers(), names)?;
    fetch_metadata(request)?;
    no_secret_in_url(request.uri())
}

fn sizes<B>(request: &Request<B>) -> Result<(), Failure> {
    let uri = request.uri().path_and_query().map_or(0, |uri| uri.as_str().len());
    if uri > MOST_URI_BYTES {
        return Err(Failure::new(
            ErrorCode::UriTooLong,
            format!("a path and query have at most {MOST_URI_BYTES} bytes"),
        ));
    }
    let headers: usize =
        request.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if headers > MOST_HEADER_BYTES {
        return Err(Failure::new(
            ErrorCode::HeadTooLarge,
            format!("headers have at most {MOST_HEADER_BYTES} bytes"),
        ));
    }
    Ok(())
}

/// One `Host`, and it is ours; where the request line names one as well, it is the same.
fn host<B>(request: &Request<B>, names: &Names) -> Result<(), Failure> {
    let host = only(request.headers(), &HOST).filter(|host| names.is_host(host));
    let same = request.uri().authority().is_none_or(|authority| host == Some(authority.as_str().as_bytes()))
        && request.uri().scheme_str().is_none_or(|scheme| scheme == "http");
    if host.is_some() && same {
        return Ok(());
    }
    Err(Failure::new(ErrorCode::Misdirected, "this server does not go by that name")
        .hint(format!("its address is {}", names.page_url())))
}

fn origin(headers: &HeaderMap, names: &Names) -> Result<(), Failure> {
    if !headers.contains_key(ORIGIN) || only(headers, &ORIGIN).is_some_and(|origin| names.is_origin(origin)) {
        return Ok(());
    }
    Err(Failure::new(ErrorCode::ForeignOrigin, "pages of other origins are not answered"))
}

/// A browser says on whose behalf it asks. Other sites may lead a person to the page, and no more.
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
    Err(Failure::new(ErrorCode::CrossSite, "requests on behalf of another site are not answered"))
}

/// Addresses end up in histories and logs, so a secret in one is no secret any more.
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
        examine(&request.body(()).unwrap(), &names).map_err(|failure| failure.0.code())
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
    fn s5_other_sites_may_lead_to_the_page_and_no_more() {
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
    fn what_is_private_is_known_by_whole_parts_of_the_path() {
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
        fn s2_only_one_host_that_is_ours_passes(
            hosts in prop::collection::vec(near_a_host(), 0..3),
            named in prop::option::of(near_a_host()),
        ) {
            let uri = named.as_ref().map_or("/".to_owned(), |host| format!("http://{host}/"));
            let mut request = Request::get(&uri);
            // What is no address at all does not get this far.
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
