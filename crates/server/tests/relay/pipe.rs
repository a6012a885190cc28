//! `/api/tasks/{id}/terminal`: a plain pipe.

use model::TermSize;
use serde_json::json;
use testkit::server::Socket;
use testkit::{Repository, wait_for};
use tungstenite::Message;

use crate::house::{House, Worker, text};

/// Starts a task's session. Returns the task's id and the worker.
fn task(house: &House) -> (String, Worker) {
    let repository = Repository::new(house.path(), "repository");
    let project = text(&house.post("/api/repositories", json!({"path": repository.path()}))["id"]);
    let task = house.post("/api/tasks", json!({"projectId": project, "title": "A task", "agentId": "test"}));
    let id = text(&task["id"]);
    house.post(&format!("/api/tasks/{id}/activate"), json!({}));
    house.post(&format!("/api/tasks/{id}/session/start"), json!({}));
    let task = wait_for("the task's session", || {
        let task = house.get(&format!("/api/tasks/{id}"));
        assert_ne!(task["sessionStatus"], "failed", "{task}");
        (task["sessionStatus"] == "running").then_some(task)
    });
    let worker = house.worker(&text(&task["sessionId"]), &text(&task["workerId"]));
    (id, worker)
}

/// Reads output until it contains a text.
fn until_shown(socket: &mut Socket, text: &str) -> String {
    let mut shown = String::new();
    while !shown.contains(text) {
        match socket.message() {
            Ok(Message::Binary(bytes)) => shown.push_str(str::from_utf8(&bytes).expect("whole characters")),
            Ok(other) => panic!("output must be binary: {other:?}"),
            Err(closed) => panic!("{text:?} is not shown: {closed:?}\n{shown:?}"),
        }
    }
    shown
}

fn size(house: &House, task: &str, cols: u16, rows: u16) {
    house.post(&format!("/api/tasks/{task}/terminal/resize"), json!({"cols": cols, "rows": rows}));
}

#[test]
fn s0_a_pipe_sends_the_screen_then_output_and_takes_keys() {
    let house = House::new();
    let (task, worker) = task(&house);
    let path = format!("/api/tasks/{task}/terminal");
    let mut socket = house.socket(&path);
    let shown = until_shown(&mut socket, "told: A task");
    assert!(shown.contains("\x1bc"), "the output begins with a reset: {shown:?}");
    socket.text("größe\r");
    until_shown(&mut socket, "größe\r\ngröße");
    socket.binary(b"bytes\r".to_vec());
    until_shown(&mut socket, "bytes\r\nbytes");
    let mut other = house.socket(&path);
    until_shown(&mut other, "bytes");
    // A size goes through the newest viewer, in order with its keys.
    size(&house, &task, 100, 30);
    assert_eq!(worker.status().size, TermSize::clamped(100, 30));
    let owner = worker.status().viewers.into_iter().find(|viewer| viewer.owns_size).expect("an owner");
    assert!(owner.name.ends_with(": terminal"), "{owner:?}");
    drop((socket, other));
    wait_for("no viewers", || worker.status().viewers.is_empty().then_some(()));
    assert_eq!(worker.status().size, TermSize::clamped(100, 30), "no other viewer decides the size");
    size(&house, &task, 110, 35);
    assert_eq!(worker.status().size, TermSize::clamped(110, 35), "a size can be set without viewers");
}
