//! How the server is doing, and the page.

use api::{ErrorCode, Health, HealthStatus};
use ureq::http::Method;

use super::{Server, raw};
use crate::house::House;

#[test]
fn the_server_says_how_it_is_doing() {
    let house = House::new();
    let server = Server::start(&house);
    let health: Health = server.send(Method::GET, "/api/health", None, None).ok(200);
    assert_eq!((health.status, health.release.as_str()), (HealthStatus::Ok, env!("CARGO_PKG_VERSION")));
    assert_eq!(server.get("/api/health").ok::<Health>(200), health);
}

#[test]
fn counts_are_told_to_the_owner_alone() {
    let house = House::new();
    let server = Server::start(&house);
    server.send(Method::GET, "/api/metrics", None, None).problem(ErrorCode::Unauthenticated);
    let (_, worker) = server.terminal(house.path().to_str().unwrap(), "read x");
    server.wait_for_worker(worker.id, "its handle", |worker| worker.handle.is_some());
    let metrics = raw::get(&server, "/api/metrics");
    assert_eq!(metrics.status, 200);
    assert!(metrics.header("content-type").starts_with("application/openmetrics-text"));
    let text = metrics.text();
    for line in ["abide_workers_started_total 1", "abide_live_workers 1", "abide_open_sockets 0", "# EOF"] {
        assert!(text.lines().any(|there| there == line), "{line} in:\n{text}");
    }
}

#[test]
fn s14_the_page_is_there_for_everybody_and_brings_its_rules_along() {
    let house = House::new();
    let server = Server::start(&house);
    for (path, kind) in
        [("/", "text/html"), ("/assets/page.js", "text/javascript"), ("/assets/page.css", "text/css")]
    {
        let page = raw::get(&server, path);
        assert_eq!(page.status, 200, "{path}");
        assert!(page.header("content-type").starts_with(kind), "{path}");
        let policy = page.header("content-security-policy");
        for part in ["default-src 'none'", "script-src 'self';", "frame-ancestors 'none'"] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert_eq!(page.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(server.send(Method::GET, path, None, None).status, 200, "{path}");
    }
    server.get("/assets/other.js").problem(ErrorCode::UnknownPath);
}
