//! Guests: holders of tokens that open one worker. However much one opens, the owner does not wait, and all of it ends
//! with its token.

mod hostility;
mod keys;
mod line;
mod strangers;

use std::sync::mpsc;
use std::thread;

use api::{AuditEntry, ErrorCode, NewToken, Problem};
use model::WorkerId;
use serde_json::json;
use testkit::WAIT;
use ureq::http::Method;

use super::{Server, raw};
use crate::house::{House, wait_for};
pub(crate) use hostility::hostility;
use line::Line;

/// How many connections a guest may have.
const CONNECTIONS: usize = 64;

/// How many exports a guest may have at a time.
const EXPORTS: usize = 2;

/// A token that opens this worker.
fn guest(server: &Server, worker: WorkerId, drive: bool) -> NewToken {
    let scope = json!({"kind": "worker", "workerId": worker, "drive": drive});
    server.post("/api/tokens", json!({"name": "guest", "scope": scope})).ok(201)
}

fn revoke(server: &Server, token: &NewToken) {
    server.delete(&format!("/api/tokens/{}", token.token.id)).empty(204);
}

/// A worker with so much output that no socket holds an export of it.
fn chatty(house: &House, server: &Server) -> WorkerId {
    let script =
        "yes 'a line that fills the recording with text' | head -n 400000; printf 'that is all'; read x";
    let (_, worker) = server.terminal(house.path().to_str().unwrap(), script);
    let info = format!("/api/workers/{}/recording", worker.id);
    wait_for("its output", || {
        let info = server.get(&info);
        (info.status == 200 && info.ok::<api::RecordingInfo>(200).end_offset > 16_000_000).then_some(())
    });
    worker.id
}

/// Fails if the owner is not answered within the time that a test may wait.
fn owner_is_answered(server: &Server) {
    let (done, is_done) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            let _: Vec<api::Worker> = server.get("/api/workers").ok(200);
            let _ = done.send(());
        });
        is_done.recv_timeout(WAIT).expect("the owner is answered");
    });
}

#[test]
fn s19_a_guest_has_only_so_many_connections_and_they_end_with_its_token() {
    let house = House::new();
    let server = Server::start(&house);
    let (_, worker) = server.terminal(house.path().to_str().unwrap(), "read x");
    let guest = guest(&server, worker.id, false);
    let path = format!("/api/workers/{}", worker.id);
    let mut lines: Vec<Line> = (0..CONNECTIONS).map(|_| Line::open(&server)).collect();
    for line in &mut lines {
        line.ask(&path, &guest.secret);
        assert_eq!(line.answer().0, 200);
    }
    let mut further = Line::open(&server);
    further.ask(&path, &guest.secret);
    let (status, text) = further.answer();
    let problem: Problem = serde_json::from_str(&text).expect("a problem");
    assert_eq!((status, problem.code()), (429, ErrorCode::TooMany), "{text}");
    assert_eq!(problem.error.message, "this token may have at most 64 connections at a time");
    assert!(problem.error.hint.is_some());
    assert!(further.is_closed(), "it has no place");
    owner_is_answered(&server);

    // A place that becomes free can be used again.
    drop(lines.pop());
    wait_for("a free place", || {
        let mut line = Line::open(&server);
        line.ask(&path, &guest.secret);
        (line.answer().0 == 200).then(|| lines.push(line))
    });
    revoke(&server, &guest);
    for line in &mut lines {
        assert!(line.is_closed(), "the token of this connection was revoked");
    }
    let mut late = Line::open(&server);
    late.ask(&path, &guest.secret);
    assert_eq!(late.answer().0, 401);
}

#[test]
fn s19_unread_exports_of_a_guest_keep_no_other_request_waiting_and_memory_is_bounded() {
    let house = House::new();
    let server = Server::start(&house);
    let worker = chatty(&house, &server);
    let guest = guest(&server, worker, false);
    let path = format!("/api/workers/{worker}/recording/export?format=asciicast");
    let before = testkit::resident_kb(server.pid());
    // As many as the server has threads for work that waits.
    let mut begun = Vec::new();
    let mut refused = 0;
    for _ in 0..512 {
        let mut line = Line::open(&server);
        line.ask(&path, &guest.secret);
        match line.status() {
            200 => begun.push(line),
            429 => refused += 1,
            other => panic!("{other}"),
        }
    }
    let most = testkit::resident_kb(server.pid());
    assert_eq!((begun.len(), refused), (EXPORTS, 512 - EXPORTS));
    owner_is_answered(&server);
    assert!(most < before + 128 * 1024, "{before} KiB before, {most} KiB with the exports");
    // The owner's own exports do not count among a guest's.
    assert_eq!(raw::get(&server, &path).status, 200);
    drop(begun);
    wait_for("a free place", || {
        let mut line = Line::open(&server);
        line.ask(&path, &guest.secret);
        (line.status() == 200).then_some(())
    });
    println!(
        "{before} KiB before, {most} KiB with the exports, {} KiB after",
        testkit::resident_kb(server.pid())
    );
}

#[test]
fn s19_a_revoked_tokens_export_ends_before_its_end() {
    let house = House::new();
    let server = Server::start(&house);
    let worker = chatty(&house, &server);
    let guest = guest(&server, worker, false);
    let mut line = Line::open(&server);
    line.ask(&format!("/api/workers/{worker}/recording/export?format=asciicast"), &guest.secret);
    assert_eq!(line.status(), 200);
    revoke(&server, &guest);
    let rest = line.rest();
    assert!(!rest.ends_with(b"\r\n0\r\n\r\n"), "all {} bytes of the export were sent", rest.len());
}

#[test]
fn s19_an_owners_token_that_is_revoked_loses_its_connections_too() {
    let house = House::new();
    let server = Server::start(&house);
    let made: NewToken = server.post("/api/tokens", json!({"name": "tab", "scope": {"kind": "all"}})).ok(201);
    let mut idle = Line::open(&server);
    idle.ask("/api/workers", &made.secret);
    assert_eq!(idle.answer().0, 200);
    // It revokes itself. The answer arrives before its connection is closed.
    let mut own = Line::open(&server);
    own.request("DELETE", &format!("/api/tokens/{}", made.token.id), &made.secret);
    assert_eq!(own.status(), 204);
    assert!(own.is_closed() && idle.is_closed());
}

#[test]
fn s19_a_sign_in_is_put_on_record() {
    let house = House::new();
    let server = Server::start(&house);
    let exchange = json!({ "code": server.code });
    let made: NewToken = server.send(Method::POST, "/api/auth/exchange", Some(exchange), None).ok(200);
    let record: Vec<AuditEntry> = server.get("/api/audit").ok(200);
    let entry = record.iter().find(|entry| entry.action == "token.sign-in").expect("an entry");
    assert_eq!(entry.object, made.token.id.to_string());
    assert!(entry.actor.contains(&made.token.id.to_string()), "{}", entry.actor);
}
