//! Disks that are full or read-only.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use api::{ErrorCode, HealthStatus, Worker, WorkerState};
use protocol::{Attach, HostMessage, ViewerMessage};
use serde_json::json;

use super::{Server, Socket};
use crate::house::{self, House, wait_for, watching};

/// A small file system of its own, until it is dropped.
struct Disk(PathBuf);

impl Disk {
    /// Mounts one in a house; nothing where that is not permitted.
    fn mount(outer: &House, size: &str) -> Option<Disk> {
        let path = outer.path().join("small");
        fs::create_dir(&path).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size},mode=0700"), "tmpfs"]).arg(&path);
        let mounted = mount.stderr(Stdio::null()).status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(Disk(path));
        }
        testkit::skip("a small file system cannot be mounted here");
        None
    }

    fn path(&self) -> &Path {
        &self.0
    }

    /// Takes all the room that is left.
    fn fill(&self) {
        let mut file = File::create(self.0.join("filler")).unwrap();
        for length in [1 << 16, 1 << 12, 1] {
            let bytes = vec![b'x'; length];
            while file.write_all(&bytes).is_ok() {}
        }
    }

    fn empty(&self) {
        fs::remove_file(self.0.join("filler")).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Whether file systems can be mounted, in a name space of one's own.
fn may_mount() -> bool {
    let mut command = Command::new("unshare");
    command.args(["--mount", "mount", "--bind", "/tmp", "/tmp"]).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Types into a worker through the server, and waits for what that gives.
fn echoes(server: &Server, worker: &Worker, word: &str) {
    let mut socket = Socket::open(server, &format!("/api/workers/{}/attach", worker.id));
    socket.frame(&ViewerMessage::Attach(Attach { read_only: false, ..watching() }));
    let HostMessage::Welcome(_) = socket.host_message().expect("a message") else { panic!("no welcome") };
    socket.frame(&ViewerMessage::Input(format!("{word}\r").into_bytes()));
    let mut output = Vec::new();
    let expected = format!("got {word}");
    socket.wait_for_message(&expected, |message| {
        if let HostMessage::Output { bytes, .. } = message {
            output.extend(bytes);
        }
        output.windows(expected.len()).any(|window| window == expected.as_bytes()).then_some(())
    });
}

const ECHO: &str = "while read x; do echo got $x; done";

/// Checks that a degraded server says so, that live workers can be used, and that writes are refused.
fn check_degraded(server: &Server, worker: &house::Worker) {
    let health: api::Health = server.get("/api/health").ok(200);
    assert_eq!(health.status, HealthStatus::Degraded);
    assert!(health.reason.is_some_and(|reason| !reason.is_empty()), "the owner is told why");
    let workers: Vec<Worker> = server.get("/api/workers").ok(200);
    let seen = workers.iter().find(|seen| seen.id == worker.dir.id()).expect("the worker");
    assert_eq!(seen.state, WorkerState::Live);
    echoes(server, seen, "it");
    let session = json!({"type": "quick", "locationPath": "/"});
    let problem = server.post("/api/sessions", session).problem(ErrorCode::Unavailable);
    assert!(problem.error.message.contains("the server cannot save anything"), "{problem:?}");
    assert!(problem.error.hint.is_some());
    let worker = json!({"type": "terminal"});
    server
        .post(&format!("/api/sessions/{}/workers", seen.session_id), worker)
        .problem(ErrorCode::Unavailable);
    server.post("/api/repositories", json!({"path": "/"})).problem(ErrorCode::NotARepository);
}

#[test]
fn d8_a_server_on_a_read_only_disk_lists_and_attaches_and_says_so() {
    if !may_mount() {
        return testkit::skip("no file system can be mounted here");
    }
    let house = House::new();
    // The token is from a time when it could be written.
    Server::start(&house).stop();
    let worker = house.script(ECHO);
    // For the server alone: hosts have files open that they write to.
    let script = format!(
        "mount --bind \"$ABIDE_HOME\" \"$ABIDE_HOME\" && mount -o remount,bind,ro \"$ABIDE_HOME\" && exec {} serve \
         --listen 127.0.0.1:0",
        house::ABIDE
    );
    let mut command = Command::new("unshare");
    house.settle(command.args(["--mount", "sh", "-c", &script]));
    let server = Server::run(&house, command);
    check_degraded(&server, &worker);
    server.kill();
    // When it can be written again, everything is as before.
    let server = Server::start(&house);
    let health: api::Health = server.get("/api/health").ok(200);
    assert_eq!(health.status, HealthStatus::Ok);
    server.terminal("/", "read x");
    let workers: Vec<Worker> = server.get("/api/workers").ok(200);
    assert_eq!(workers.len(), 2);
}

#[test]
fn d8_a_server_on_a_full_disk_lists_and_attaches_and_says_so() {
    let outer = House::new();
    let Some(disk) = Disk::mount(&outer, "16m") else { return };
    let house = House::at(disk.path());
    let worker = house.script(ECHO);
    disk.fill();
    // Not even a token could be written; a browser gets in with its code.
    let mut server = Server::start(&house);
    let code = json!({"code": server.code});
    let answer = server.send(ureq::http::Method::POST, "/api/auth/exchange", Some(code), None);
    let token: api::NewToken = answer.ok(200);
    server.token = token.secret;
    check_degraded(&server, &worker);
}

#[test]
fn d8_a_server_without_its_database_refuses_to_make_and_revoke_tokens_that_it_cannot_save() {
    let house = House::new();
    let server = Server::start(&house);
    let new = json!({"name": "a laptop", "scope": {"kind": "all"}});
    let saved: api::NewToken = server.post("/api/tokens", new.clone()).ok(201);
    server.stop();
    let (database, aside) = (house.path().join("abide.db"), house.path().join("aside.db"));
    fs::rename(&database, &aside).unwrap();
    fs::create_dir(&database).unwrap();
    let server = Server::start(&house);
    let health: api::Health = server.get("/api/health").ok(200);
    assert_eq!(health.status, HealthStatus::Degraded);
    let path = format!("/api/tokens/{}", saved.token.id);
    for refused in [server.post("/api/tokens", new), server.delete(&path)] {
        let problem = refused.problem(ErrorCode::Unavailable);
        assert!(problem.error.message.contains("the server cannot save anything"), "{problem:?}");
        assert!(problem.error.hint.is_some());
    }
    // A browser gets in all the same, until the server ends or the token is revoked.
    let code = json!({"code": server.code});
    let answer = server.send(ureq::http::Method::POST, "/api/auth/exchange", Some(code), None);
    let browser: api::NewToken = answer.ok(200);
    server.delete(&format!("/api/tokens/{}", browser.token.id)).empty(204);
    server.stop();
    fs::remove_dir(&database).unwrap();
    fs::rename(&aside, &database).unwrap();
    let server = Server::start(&house);
    let tokens: Vec<api::Token> = server.get("/api/tokens").ok(200);
    assert!(tokens.iter().any(|token| token.id == saved.token.id), "the refused change did not happen");
}

#[test]
fn d7_while_the_disk_is_full_writes_are_refused_and_the_rest_goes_on() {
    let outer = House::new();
    let Some(disk) = Disk::mount(&outer, "16m") else { return };
    let house = House::at(disk.path());
    let server = Server::start(&house);
    let (session, worker) = server.terminal("/", ECHO);
    let (_, ends) = server.terminal("/", "read x; exit 7");
    disk.fill();
    // What the log has room for already is still written.
    let title = |number: usize| json!({"title": format!("{number} {}", "x".repeat(150))});
    let path = format!("/api/sessions/{}", session.id);
    let mut titles = 0..;
    let mut refuse = || {
        let answer = server.patch(&path, title(titles.next().expect("numbers do not run out")));
        if answer.status == 200 { None } else { Some(answer.problem(ErrorCode::Unavailable)) }
    };
    let problem = wait_for("a refusal", &mut refuse);
    assert!(problem.error.hint.is_some_and(|hint| hint.contains("space")));
    let seen: api::Session = server.get(&path).ok(200);
    assert_eq!(seen.workers[0].state, WorkerState::Live);
    echoes(&server, &worker, "it");
    let quick = json!({"type": "quick", "locationPath": "/"});
    server.post("/api/sessions", quick.clone()).problem(ErrorCode::Unavailable);
    let child = house.called(ends.id.as_str()).status().child_pid;
    house.called(ends.id.as_str()).send(b"\r");
    wait_for("its end", || (!house::is_alive(child)).then_some(()));
    refuse().expect("still full");
    // Room again: everything works, and what happened meanwhile is known.
    disk.empty();
    let _: api::Session = server.patch(&path, title(0)).ok(200);
    let _: api::SessionReply = server.post("/api/sessions", quick).ok(201);
    server.wait_for_worker(ends.id, "its end", |worker| {
        worker.state == WorkerState::Exited { exit_code: 7, signal: None }
    });
    echoes(&server, &worker, "more");
    let (_, more) = server.terminal("/", ECHO);
    echoes(&server, &more, "it");
}
