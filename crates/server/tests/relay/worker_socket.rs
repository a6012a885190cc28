//! `/ws/session/{sid}/worker/{wid}`: one worker, in JSON.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use model::TermSize;
use serde_json::json;
use tungstenite::Message;

use crate::house::{House, Worker, text, wait_for};

fn path(worker: &Worker) -> String {
    format!("/ws/session/{}/worker/{}", worker.session, worker.id)
}

#[test]
fn history_comes_first_then_output_then_the_end() {
    let house = House::new();
    let worker = house.script("echo before; read line; echo \"got $line\"; kill -9 $$");
    let mut socket = house.socket(&path(&worker));
    let first = socket.next_json().expect("history");
    assert_eq!(first["type"], "history");
    if !text(&first["data"]).contains("before") {
        socket.until_data(None, "before");
    }
    socket.json(json!({"type": "input", "data": "grün\r"}));
    socket.until_data(None, "got grün");
    let exit = socket.until_type("exit");
    assert_eq!(exit, json!({"type": "exit", "exitCode": 137, "signal": "SIGKILL"}));
    assert_eq!(socket.until_closed(), (1000, "exited".into()));
}

#[test]
fn a_resize_is_followed_by_the_history_anew() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    let mut socket = house.socket(&path(&worker));
    socket.until_data(None, "ready");
    socket.json(json!({"type": "resize", "cols": 100, "rows": 30}));
    let again = socket.until_type("history");
    assert!(text(&again["data"]).contains("ready"), "{again}");
    assert_eq!(worker.status().size, TermSize::clamped(100, 30));
}

#[test]
fn an_agent_has_an_activity_and_a_terminal_has_none() {
    let house = House::new();
    let agent = house.agent();
    let mut socket = house.socket(&path(&agent));
    socket.until_json("its activity", |message| *message == json!({"type": "activity", "state": "active"}));
    let terminal = house.script("printf '\\033]7501;state=working\\007'; echo ready; exec cat");
    let mut socket = house.socket(&path(&terminal));
    loop {
        let message = socket.next_json().expect("output");
        assert_ne!(message["type"], "activity");
        if message["data"].as_str().is_some_and(|data| data.contains("ready")) {
            break;
        }
    }
}

#[test]
fn s15_questions_are_not_asked_and_answers_are_not_typed() {
    let house = House::new();
    // Shows what it reads, byte by byte.
    let worker = house.script("stty raw -echo; printf 'a\\033[6n\\033[cready'; exec od -An -c -v -w1");
    let mut socket = house.socket(&path(&worker));
    let shown = socket.until_data(None, "ready");
    assert!(!shown.contains("\x1b[6n") && !shown.contains("\x1b[c"), "{shown:?}");
    // The host itself has answered both; what an emulator adds to that is left out.
    for data in ["\x1b[?1;2c", "\x1b[2", "4;80R", "\x1b]11;rgb:0000/0000/0000\x07", "Z"] {
        socket.json(json!({"type": "input", "data": data}));
    }
    let shown = shown + &socket.until_data(None, "Z");
    assert_eq!(shown.matches('R').count(), 1, "one answer for the cursor: {shown:?}");
    assert!(!shown.contains("  ]"), "{shown:?}");
}

#[test]
fn s16_a_picture_is_kept_and_its_path_is_pasted() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    let mut socket = house.socket(&path(&worker));
    socket.until_data(None, "ready");
    socket.json(json!({"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}));
    let shown = socket.until_data(None, ".png");
    let uploads = worker.dir.path().join("uploads");
    let names: Vec<_> = fs::read_dir(&uploads).unwrap().map(|entry| entry.unwrap()).collect();
    assert_eq!(names.len(), 1);
    assert!(shown.contains(names[0].file_name().to_str().unwrap()), "{shown:?}");
    assert_eq!(fs::metadata(names[0].path()).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read(names[0].path()).unwrap(), b"\x89PNG\r\n\x1a\n");
    for (data, kind) in [("PHN2Zz4=", "image/svg+xml"), ("iVBORw0KGgo=", "image/gif"), ("?", "image/png")] {
        socket.json(json!({"type": "image", "data": data, "mimeType": kind}));
        socket.until_type("error");
    }
    assert_eq!(fs::read_dir(&uploads).unwrap().count(), 1);
}

#[test]
fn s9_whoever_may_only_watch_gives_nothing() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    let (secret, _) = house.token_for(&worker, false);
    let mut watcher = house.socket_of(&path(&worker), &secret);
    watcher.until_data(None, "ready");
    let before = worker.status();
    watcher.json(json!({"type": "input", "data": "typed\r"}));
    watcher.json(json!({"type": "resize", "cols": 33, "rows": 11}));
    watcher.json(json!({"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}));
    watcher.json(json!({"type": "image", "data": "?", "mimeType": "image/png"}));
    // The last one is answered, so those before were heard.
    watcher.until_type("error");
    let after = worker.status();
    assert_eq!((after.offset, after.size), (before.offset, before.size));
    assert!(!worker.dir.path().join("uploads").exists());
}

#[test]
fn a_worker_of_another_session_is_not_found() {
    let house = House::new();
    let (one, other) = (house.script("exec cat"), house.script("exec cat"));
    let path = format!("/ws/session/{}/worker/{}", one.session, other.id);
    assert_eq!(house.try_socket(&path, &house.token()).err(), Some(404));
}

#[test]
fn v3_what_is_no_message_closes_that_socket_only() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    for message in [
        Message::text("no JSON"),
        Message::text(r#"{"type":"unheard"}"#),
        Message::text("[".repeat(1000)),
        Message::binary(b"{}".to_vec()),
    ] {
        let mut socket = house.socket(&path(&worker));
        socket.send(message);
        assert_eq!(socket.until_closed().0, 1008);
    }
    wait_for("an empty room", || worker.status().viewers.is_empty().then_some(()));
}

#[test]
fn whoever_comes_after_the_end_is_told_of_it() {
    let house = House::new();
    let worker = house.script("exit 5");
    wait_for("the host's leaving", || worker.dir.exit_note().filter(|_| !worker.dir.socket().exists()));
    let mut socket = house.socket(&path(&worker));
    let screen = socket.next_json().expect("its last screen");
    assert_eq!(screen["type"], "history");
    assert_eq!(socket.next_json(), Ok(json!({"type": "exit", "exitCode": 5, "signal": null})));
    assert_eq!(socket.until_closed(), (1000, "exited".into()));
}
