//! Clients that disconnect before their answer: the server finishes their requests all the same.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::fs::PermissionsExt;

use api::{AuditEntry, ErrorCode, WorkerState, WorktreeState};
use serde_json::{Value, json};
use testkit::WAIT;

use super::{Server, Workshop};
use crate::house::{House, is_alive, wait_for};

/// Asks for something, leaves when `is_begun` says that it is being done, and waits until the server has noticed.
fn ask_and_leave(server: &Server, path: &str, body: &Value, is_begun: impl Fn() -> bool) {
    let mut stream = TcpStream::connect(server.authority()).expect("it listens");
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        server.authority(),
        server.token,
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).expect("it listens");
    wait_for("it is begun", || is_begun().then_some(()));
    stream.shutdown(Shutdown::Write).expect("a socket");
    stream.set_read_timeout(Some(WAIT)).expect("a socket");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("the server closes it");
    assert_eq!(answer, b"", "it was not answered yet");
}

/// A command that says that it has begun, and ends when it may.
fn waits(house: &House) -> String {
    let (begun, go) = (house.path().join("begun"), house.path().join("go"));
    format!(
        "touch '{}'; n=0; while ! [ -e '{}' ] && [ $n -lt 600 ]; do sleep 0.05; n=$((n+1)); done",
        begun.display(),
        go.display()
    )
}

fn is_on_record(server: &Server, action: &str) -> bool {
    let entries: Vec<AuditEntry> = server.get("/api/audit").ok(200);
    entries.iter().any(|entry| entry.action == action)
}

#[test]
fn a_worktree_is_made_also_for_a_client_that_has_left() {
    let shop = Workshop::new();
    shop.repository.write(".gitattributes", "slow filter=slow\n");
    shop.repository.write("slow", "slow\n");
    shop.repository.commit("a slow file");
    let filter = format!("{}; cat", waits(&shop.house));
    shop.repository.git(&["config", "--global", "filter.slow.smudge", &filter]);
    let path = format!("/api/repositories/{}/worktrees", shop.id);
    let begun = shop.house.path().join("begun");
    ask_and_leave(&shop.server, &path, &json!({}), || begun.exists());
    assert_eq!(shop.worktrees()[0].state, WorktreeState::Making);
    fs::write(shop.house.path().join("go"), "").unwrap();
    let made = wait_for("a worktree", || {
        shop.worktrees().into_iter().find(|worktree| worktree.state == WorktreeState::Ready)
    });
    wait_for("the record", || is_on_record(&shop.server, "worktree.create").then_some(()));
    let removed: api::RemovedWorktree = shop.server.delete(&format!("/api/worktrees/{}", made.id)).ok(200);
    assert_eq!(removed.worktree.state, WorktreeState::Trashed);
}

#[test]
fn an_agent_is_started_also_for_a_client_that_has_left_and_is_ended_with_its_session() {
    let house = House::new();
    // Asked for the environment before the first worker is started.
    let shell = house.path().join("shell");
    fs::write(&shell, format!("#!/bin/sh\n{}\nexec /bin/sh \"$@\"\n", waits(&house))).unwrap();
    fs::set_permissions(&shell, fs::Permissions::from_mode(0o700)).unwrap();
    let shop = Workshop::with(house, &[("SHELL", shell.to_str().unwrap())]);
    let session = json!({"type": "quick", "locationPath": shop.repository.text(), "agentId": "fake"});
    let begun = shop.house.path().join("begun");
    ask_and_leave(&shop.server, "/api/sessions", &session, || begun.exists());
    let sessions: Vec<api::Session> = shop.server.get("/api/sessions").ok(200);
    let path = format!("/api/sessions/{}", sessions[0].id);
    let worker = sessions[0].workers[0].id;
    // Otherwise the agent would run without a session.
    shop.server.delete(&path).problem(ErrorCode::WrongState);
    fs::write(shop.house.path().join("go"), "").unwrap();
    shop.server.wait_for_worker(worker, "its start", |worker| worker.state == WorkerState::Live);
    wait_for("the record", || is_on_record(&shop.server, "session.create").then_some(()));
    let child = shop.house.called(worker.as_str()).status().child_pid;
    shop.server.delete(&path).empty(204);
    assert!(!is_alive(child));
    assert_eq!(shop.house.home().worker_dirs().unwrap().len(), 0);
}

#[test]
fn a_task_is_completed_also_for_a_client_that_has_left_and_before_the_server_stops() {
    let shop = Workshop::new();
    shop.runs(&[], &[&waits(&shop.house)]);
    let task = shop.running("Something");
    let path = format!("/api/tasks/{}/complete", task.id);
    let begun = shop.house.path().join("begun");
    ask_and_leave(&shop.server, &path, &json!({}), || begun.exists());
    fs::write(shop.house.path().join("go"), "").unwrap();
    wait_for("the trash", || (shop.worktrees()[0].state == WorktreeState::Trashed).then_some(()));
    wait_for("the record", || is_on_record(&shop.server, "task.complete").then_some(()));

    // Also when it is told to stop meanwhile.
    fs::remove_file(shop.house.path().join("go")).unwrap();
    fs::remove_file(&begun).unwrap();
    let task = shop.running("Something else");
    let path = format!("/api/tasks/{}/complete", task.id);
    ask_and_leave(&shop.server, &path, &json!({}), || begun.exists());
    let Workshop { server, repository: _repository, house, .. } = shop;
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(server.pid().cast_signed()).unwrap(),
        rustix::process::Signal::TERM,
    )
    .unwrap();
    fs::write(house.path().join("go"), "").unwrap();
    server.stop();
    assert_eq!(fs::read_dir(house.path().join("trash")).unwrap().count(), 2);
}
