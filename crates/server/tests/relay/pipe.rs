//! `/api/tasks/{id}/terminal`: a plain pipe.

use std::process::Command;

use model::TermSize;
use serde_json::json;
use tungstenite::Message;

use crate::house::{House, Socket, Worker, text, wait_for};

/// A task whose session runs, and its worker.
fn task(house: &House) -> (String, Worker) {
    let repository = house.path().join("repository");
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C").arg(&repository).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments);
        assert!(git.status().expect("git runs").success(), "{arguments:?}");
    };
    std::fs::create_dir(&repository).expect("a directory");
    git(&["init", "-q", "-b", "main"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    let project = text(&house.post("/api/repositories", json!({"path": repository}))["id"]);
    let task = house.post("/api/tasks", json!({"projectId": project, "title": "A task", "agentId": "test"}));
    let id = text(&task["id"]);
    house.post(&format!("/api/tasks/{id}/activate"), json!({}));
    house.post(&format!("/api/tasks/{id}/session/start"), json!({}));
    let task = wait_for("the task's session", || {
        let task = house.get(&format!("/api/tasks/{id}"));
        assert_ne!(task["sessionStatus"], "failed", "{task}");
        (task["sessionStatus"] == "running").then_some(task)
    });
    let worker = house.worker(text(&task["sessionId"]), &task["workerId"]);
    (id, worker)
}

/// Takes in what is shown until a text is on it.
fn until_shown(socket: &mut Socket, text: &str) -> String {
    let mut shown = String::new();
    while !shown.contains(text) {
        match socket.next() {
            Ok(Message::Binary(bytes)) => shown.push_str(str::from_utf8(&bytes).expect("whole characters")),
            Ok(other) => panic!("what is shown is binary: {other:?}"),
            Err(closed) => panic!("{text:?} is not shown: {closed:?}\n{shown:?}"),
        }
    }
    shown
}

fn size(house: &House, task: &str, cols: u16, rows: u16) {
    house.post(&format!("/api/tasks/{task}/terminal/resize"), json!({"cols": cols, "rows": rows}));
}

#[test]
fn s0_a_pipe_shows_the_screen_then_the_rest_and_takes_keys() {
    let house = House::new();
    let (task, worker) = task(&house);
    let path = format!("/api/tasks/{task}/terminal");
    let mut socket = house.socket(&path);
    let shown = until_shown(&mut socket, "told: A task");
    assert!(shown.contains("\x1bc"), "it begins with a reset: {shown:?}");
    socket.send(Message::text("größe\r"));
    until_shown(&mut socket, "größe\r\ngröße");
    socket.send(Message::binary(b"bytes\r".to_vec()));
    until_shown(&mut socket, "bytes\r\nbytes");
    let mut other = house.socket(&path);
    until_shown(&mut other, "bytes");
    // Sizes go to the one that came last, and are in order with what is typed.
    size(&house, &task, 100, 30);
    assert_eq!(worker.status().size, TermSize::clamped(100, 30));
    let owner = worker.status().viewers.into_iter().find(|viewer| viewer.owns_size).expect("an owner");
    assert!(owner.name.ends_with(": terminal"), "{owner:?}");
    drop((socket, other));
    wait_for("an empty room", || worker.status().viewers.is_empty().then_some(()));
    assert_eq!(worker.status().size, TermSize::clamped(100, 30), "nobody has another say");
    size(&house, &task, 110, 35);
    assert_eq!(worker.status().size, TermSize::clamped(110, 35), "also with nobody there");
}
