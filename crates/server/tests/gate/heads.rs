//! Host, Origin and the rest of a request's head.

use crate::server::{Answer, Server};

fn refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{answer:?}");
}

/// The same request with other lines for its `Host`.
fn with_host(server: &Server, line: &str, hosts: &str) -> Answer {
    let bearer = Server::bearer(&server.owner);
    server.send(&format!("{line} HTTP/1.1\r\n{hosts}authorization: {bearer}\r\nconnection: close\r\n\r\n"))
}

#[test]
fn s2_requests_with_our_own_names_are_answered() {
    let server = Server::start();
    let port = server.address.port();
    for name in ["abide.localhost", "localhost", "127.0.0.1"] {
        let answer = with_host(&server, "GET /api/things", &format!("Host: {name}:{port}\r\n"));
        assert_eq!(answer.status, 200, "{answer:?}");
        let absolute = format!("GET http://{name}:{port}/api/things");
        let answer = with_host(&server, &absolute, &format!("Host: {name}:{port}\r\n"));
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

#[test]
fn s2_any_other_host_is_refused_for_every_method_and_path() {
    let server = Server::start();
    let port = server.address.port();
    let hosts = [
        String::new(),
        "Host: \r\n".into(),
        format!("Host: localhost:{port}\r\nHost: localhost:{port}\r\n"),
        format!("Host: localhost:{port}, localhost:{port}\r\n"),
        format!("Host: LocalHost:{port}\r\n"),
        format!("Host: localhost.:{port}\r\n"),
        format!("Host: localhost:{}\r\n", port.wrapping_add(1)),
        "Host: localhost\r\n".into(),
        format!("Host: evil.example:{port}\r\n"),
        format!("Host: localhost:{port}.evil.example\r\n"),
        format!("Host: 127.0.0.1.evil.example:{port}\r\n"),
        format!("Host: me@localhost:{port}\r\n"),
        format!("Host: 0:{port}\r\n"),
        format!("Host: 127.1:{port}\r\n"),
    ];
    for host in &hosts {
        for line in
            ["GET /", "GET /api/things", "POST /api/things", "DELETE /nowhere", "OPTIONS *", "PROPFIND /"]
        {
            refused(&with_host(&server, line, host), 421, "misdirected");
        }
    }
    let ours = format!("Host: localhost:{port}\r\n");
    for line in [
        format!("GET http://evil.example:{port}/api/things"),
        format!("GET http://127.0.0.1:{port}/api/things"),
        format!("GET https://localhost:{port}/api/things"),
        format!("GET http://me@localhost:{port}/api/things"),
        "CONNECT evil.example:443".into(),
    ] {
        refused(&with_host(&server, &line, &ours), 421, "misdirected");
    }
    let absolute = format!("GET http://localhost:{port}/api/things");
    refused(&with_host(&server, &absolute, ""), 421, "misdirected");
}

#[test]
fn s3_an_origin_that_is_not_exactly_ours_is_refused() {
    let server = Server::start();
    let port = server.address.port();
    for ours in [format!("http://abide.localhost:{port}"), format!("http://127.0.0.1:{port}")] {
        assert_eq!(server.ask_as_owner("GET /api/things", &[("origin", &ours)], "").status, 200);
    }
    let ours = format!("http://localhost:{port}");
    for foreign in [
        "null".to_owned(),
        String::new(),
        "http://localhost".into(),
        format!("http://localhost:{}", port.wrapping_add(1)),
        format!("https://localhost:{port}"),
        format!("http://localhost:{port}.evil.example"),
        format!("http://evil.example:{port}"),
        format!("http://localhost:{port}/"),
        format!("HTTP://localhost:{port}"),
        format!("localhost:{port}"),
        format!("{ours}, {ours}"),
        format!("{ours} {ours}"),
    ] {
        for line in ["GET /api/things", "GET /", "OPTIONS /api/things", "GET /api/workers/x/attach"] {
            refused(&server.ask_as_owner(line, &[("origin", &foreign)], ""), 403, "foreign-origin");
        }
    }
    let twice = server.ask_as_owner("GET /api/things", &[("origin", &ours), ("origin", &ours)], "");
    refused(&twice, 403, "foreign-origin");
}

#[test]
fn s5_cross_site_requests_are_refused_even_with_a_valid_token() {
    let server = Server::start();
    for site in ["cross-site", "same-site"] {
        let answer = server.ask_as_owner("GET /api/things", &[("sec-fetch-site", site)], "");
        refused(&answer, 403, "cross-site");
        let navigation =
            [("sec-fetch-site", site), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
        refused(&server.ask_as_owner("GET /api/things", &navigation, ""), 403, "cross-site");
        assert_eq!(server.ask("GET /", &navigation).body, "the page");
        refused(&server.ask("POST /", &navigation), 403, "cross-site");
    }
    assert_eq!(server.ask_as_owner("GET /api/things", &[("sec-fetch-site", "same-origin")], "").status, 200);
}

#[test]
fn s6_a_secret_in_an_address_is_refused() {
    let server = Server::start();
    let secret = server.owner.expose();
    for line in [
        format!("GET /api/things?token={secret}"),
        format!("GET /api/things?access_token={secret}"),
        "GET /api/things?%74oken=x".into(),
        format!("GET /{secret}"),
        format!("GET /ws/dashboard?q={secret}"),
    ] {
        refused(&server.ask(&line, &[]), 400, "secret-in-url");
        refused(&server.ask_as_owner(&line, &[], ""), 400, "secret-in-url");
    }
}

#[test]
fn s12_heads_that_are_too_large_are_refused() {
    let server = Server::start();
    refused(&server.ask(&format!("GET /{}", "x".repeat(10_000)), &[]), 414, "uri-too-long");
    refused(&server.ask("GET /", &[("x-long", &"x".repeat(20_000))]), 431, "head-too-large");
    let many: Vec<_> = (0..200).map(|_| ("x-many", "x")).collect();
    assert_eq!(server.ask("GET /", &many).status, 431);
    assert_eq!(server.ask("GET /", &[]).body, "the page", "other connections are not affected");
}
