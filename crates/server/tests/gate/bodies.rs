//! Bodies, and what is said about those that cannot be read.

use std::io::Write;
use std::net::TcpStream;

use crate::routes::UPLOAD;
use crate::server::{Answer, Server, read_answer};

const JSON: (&str, &str) = ("content-type", "application/json");

fn check(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{answer:?}");
}

#[test]
fn s5_bodies_are_json_by_their_type() {
    let server = Server::start();
    let body = r#"{"number": 7}"#;
    for kind in ["application/json", "Application/JSON; charset=utf-8"] {
        let answer = server.ask_as_owner("POST /api/things", &[("content-type", kind)], body);
        assert_eq!((answer.status, answer.body.as_str()), (200, "number 7"));
    }
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "",
        "text/plain;application/json",
    ] {
        check(
            &server.ask_as_owner("POST /api/things", &[("content-type", kind)], body),
            415,
            "unsupported-media-type",
        );
        check(
            &server.ask_as_owner("GET /api/things", &[("content-type", kind)], body),
            415,
            "unsupported-media-type",
        );
    }
    check(&server.ask_as_owner("POST /api/things", &[], body), 415, "unsupported-media-type");
    check(&server.ask("POST /api/things", &[("content-type", "text/plain")]), 401, "unauthenticated");
}

#[test]
fn s12_bodies_are_bounded_whether_or_not_they_say_how_large_they_are() {
    let server = Server::start();
    let large = format!("\"{}\"", "x".repeat(1024 * 1024));
    check(&server.ask_as_owner("POST /api/things", &[JSON], &large), 413, "body-too-large");
    let chunked = |line: &str, kind: &str, body: &str| {
        let bearer = Server::bearer(&server.owner);
        server.send(&format!(
            "{line} HTTP/1.1\r\nhost: {}\r\nauthorization: {bearer}\r\ncontent-type: {kind}\r\n\
             transfer-encoding: chunked\r\nconnection: close\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
            server.host(),
            body.len()
        ))
    };
    check(&chunked("POST /api/things", "application/json", &large), 413, "body-too-large");
    assert_eq!(chunked("POST /api/things", "application/json", r#"{"number": 7}"#).body, "number 7");
    let most = "x".repeat(UPLOAD.most_bytes);
    assert_eq!(chunked("PUT /api/uploads", "image/png", &most).body, "3000000 bytes");
    assert_eq!(chunked("PUT /api/uploads", "image/png", &(most + "x")).status, 413);
}

#[test]
fn s12_a_client_that_still_sends_a_refused_body_gets_the_answer() {
    let server = Server::start();
    let bearer = Server::bearer(&server.owner);
    let most = 64 * 1024 * 1024;
    let mut stream = server.connect();
    let head = format!(
        "POST /api/things HTTP/1.1\r\nhost: {}\r\nauthorization: {bearer}\r\ncontent-type: application/json\r\n\
         content-length: {most}\r\n\r\n",
        server.host()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // More than the system's buffers hold, after the server has answered.
    wait_for_answer(&stream);
    for _ in 0..most / 65536 {
        stream.write_all(&[b'x'; 65536]).unwrap();
    }
    check(&read_answer(&mut stream).unwrap(), 413, "body-too-large");
}

/// Waits until there is something to read, and leaves it there.
fn wait_for_answer(stream: &TcpStream) {
    assert_ne!(stream.peek(&mut [0]).unwrap(), 0);
}

#[test]
fn s16_an_upload_has_its_own_type_and_bound() {
    let server = Server::start();
    let put = |kind, body: &str| server.ask_as_owner("PUT /api/uploads", &[("content-type", kind)], body);
    let most = "x".repeat(UPLOAD.most_bytes);
    assert_eq!(put("image/png", &most).body, "3000000 bytes");
    check(&put("image/png", &(most + "x")), 413, "body-too-large");
    check(&put("application/json", "{}"), 415, "unsupported-media-type");
}

#[test]
fn what_cannot_be_read_is_said_in_the_one_body() {
    let server = Server::start();
    let post = |body| server.ask_as_owner("POST /api/things", &[JSON], body);
    check(&post("{"), 400, "bad-json");
    check(&post(r#"{"number": "seven"}"#), 422, "invalid-body");
    check(&post("{}"), 422, "invalid-body");
    check(&post(""), 400, "bad-json");
    check(&server.ask_as_owner("POST /api/things", &[], ""), 415, "unsupported-media-type");
    let get = |path: &str| server.ask_as_owner(&format!("GET {path}"), &[], "");
    check(&get("/api/numbered"), 400, "bad-query");
    check(&get("/api/numbered?number=x"), 400, "bad-query");
    assert_eq!(get("/api/numbered?number=7").body, "number 7");
    check(&get("/api/workers/nobody"), 404, "not-found");
    check(&get("/api/workers/%ff"), 404, "not-found");
    check(&get("/api/nowhere"), 404, "unknown-path");
    check(&get("/api/things/"), 404, "unknown-path");
    check(&get("/nowhere"), 404, "unknown-path");
    check(&get("/ws/dashboard"), 426, "upgrade-required");
    let put = server.ask_as_owner("DELETE /api/things", &[], "");
    check(&put, 405, "method-not-allowed");
    let mut allowed: Vec<_> = put.header("allow").unwrap().split(',').map(str::trim).collect();
    allowed.sort_unstable();
    assert_eq!(allowed, ["GET", "HEAD", "POST"]);
    check(&server.ask_as_owner("OPTIONS *", &[], ""), 404, "unknown-path");
}

#[test]
fn s24_what_is_said_of_a_request_holds_nothing_that_misleads() {
    let server = Server::start();
    let answer = server.ask_as_owner("GET /api/numbered?number=%1b%5b31m", &[], "");
    check(&answer, 400, "bad-query");
    assert!(!answer.body.contains("\\u001b"), "{answer:?}");
}
