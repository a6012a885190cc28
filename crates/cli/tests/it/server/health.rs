//! The server's health, and the page.

use api::{ErrorCode, Health, HealthStatus};
use ureq::http::Method;

use super::{Server, raw};
use crate::house::House;

#[test]
fn the_server_reports_its_health_without_a_token() {
    let house = House::new();
    let server = Server::start(&house);
    let health: Health = server.send(Method::GET, "/api/health", None, None).ok(200);
    assert_eq!((health.status, health.release.as_str()), (HealthStatus::Ok, env!("CARGO_PKG_VERSION")));
    assert_eq!(server.get("/api/health").ok::<Health>(200), health);
}

#[test]
fn only_the_owner_gets_the_counts() {
    let house = House::new();
    let server = Server::start(&house);
    server.send(Method::GET, "/api/metrics", None, None).problem(ErrorCode::Unauthenticated);
    let (_, worker) = server.terminal(house.path().to_str().unwrap(), "read x");
    // Only the host tells where the child is, and that it runs.
    server.wait_for_worker(worker.id, "its directory", |worker| worker.cwd.is_some());
    let metrics = raw::get(&server, "/api/metrics");
    assert_eq!(metrics.status, 200);
    assert!(metrics.header("content-type").starts_with("application/openmetrics-text"));
    let text = metrics.text();
    for line in ["abide_workers_started_total 1", "abide_live_workers 1", "abide_open_sockets 0", "# EOF"] {
        assert!(text.lines().any(|there| there == line), "{line} in:\n{text}");
    }
}

#[test]
fn s14_the_page_needs_no_token_and_has_its_security_headers() {
    let house = House::new();
    let server = Server::start(&house);
    for file in page::files() {
        let path = if file.name == "index.html" { "/".to_owned() } else { format!("/{}", file.name) };
        let answer = raw::get(&server, &path);
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), file.kind(), "{path}");
        assert!(answer.body == *file.plain(), "{path}: what takes no gzip gets none");
        let policy = answer.header("content-security-policy");
        for part in
            ["default-src 'none'", "script-src 'self';", "worker-src 'self';", "frame-ancestors 'none'"]
        {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        if !file.kind().starts_with("image/png") {
            assert_eq!(server.send(Method::GET, &path, None, None).status, 200, "{path}");
        }

        let packed = raw::get_with(&server, &path, &[("accept-encoding", "br, gzip;q=0.9")]);
        assert!(packed.body == file.bytes, "{path}");
        let coding = if file.is_gzipped { "gzip" } else { "" };
        assert_eq!(packed.header("content-encoding"), coding, "{path}");
        // Asked for again, it is said to be as it was.
        let known = format!("\"another\", {}", packed.header("etag"));
        let again = raw::get_with(&server, &path, &[("if-none-match", &known)]);
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        assert!(again.header("content-security-policy").contains("default-src"), "{path}");
        let is_forever = packed.header("cache-control").contains("immutable");
        assert_eq!(is_forever, path.starts_with("/assets/"), "{path}");
    }
    for path in ["/assets/other.js", "/other.html", "/assets/..%2findex.html", "/index.html/"] {
        server.get(path).problem(ErrorCode::UnknownPath);
    }
}
