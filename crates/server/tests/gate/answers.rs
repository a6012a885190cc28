//! The headers of every answer.

use crate::server::Server;

#[test]
fn s14_every_answer_has_the_headers_that_protect_a_browser() {
    let server = Server::start();
    let answers = [
        server.ask("GET /", &[]),
        server.ask("GET /nowhere", &[]),
        server.ask("GET /api/things", &[]),
        server.ask_as_owner("GET /api/things", &[], ""),
        server.ask_as_owner("DELETE /api/things", &[], ""),
        server.ask("GET /", &[("origin", "null")]),
        server.send("GET / HTTP/1.1\r\nconnection: close\r\n\r\n"),
    ];
    for answer in answers {
        let policy = answer.header("content-security-policy").unwrap_or_else(|| panic!("{answer:?}"));
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe-eval"), "{policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("x-frame-options", "DENY"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{answer:?}");
        }
        assert_eq!(answer.header("access-control-allow-origin"), None);
        assert_eq!(answer.header("set-cookie"), None);
    }
    assert_eq!(server.ask_as_owner("GET /api/things", &[], "").header("cache-control"), Some("no-store"));
    assert_eq!(server.ask("GET /", &[]).header("cache-control"), None);
}

#[test]
fn s1_the_gate_refuses_a_route_that_is_not_in_the_table() {
    let server = Server::start();
    let answer = server.ask_as_owner("GET /api/forgotten", &[], "");
    assert_eq!((answer.status, answer.code().as_str()), (500, "internal"));
    assert!(!answer.body.contains("everything"));
}
