//! `/ws/session/{sid}/worker/{wid}`: one worker, in JSON.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use model::TermSize;
use serde_json::json;
use testkit::wait_for;
use tungstenite::Message;

use crate::house::{House, Worker, text};

fn path(worker: &Worker) -> String {
    format!("/ws/session/{}/worker/{}", worker.session, worker.id)
}

#[test]
fn a_client_gets_history_then_output_then_the_end() {
    let house = House::new();
    let worker = house.script("echo before; read line; echo \"got $line\"; kill -9 $$");
    let mut socket = house.socket(&path(&worker));
    let first = socket.json();
    assert_eq!(first["type"], "history");
    if !text(&first["data"]).contains("before") {
        socket.wait_for_data(None, "before");
    }
    socket.say(&json!({"type": "input", "data": "grün\r"}));
    socket.wait_for_data(None, "got grün");
    let exit = socket.wait_for_type("exit");
    assert_eq!(exit, json!({"type": "exit", "exitCode": 137, "signal": "SIGKILL"}));
    assert_eq!(socket.wait_for_close(), (1000, "exited".into()));
}

#[test]
fn after_a_resize_the_client_gets_the_history_again() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    let mut socket = house.socket(&path(&worker));
    socket.wait_for_data(None, "ready");
    socket.say(&json!({"type": "resize", "cols": 100, "rows": 30}));
    let again = socket.wait_for_type("history");
    assert!(text(&again["data"]).contains("ready"), "{again}");
    assert_eq!(worker.status().size, TermSize::clamped(100, 30));
}

#[test]
fn the_server_sends_the_activity_of_an_agent_and_not_of_a_terminal() {
    let house = House::new();
    let agent = house.agent();
    let mut socket = house.socket(&path(&agent));
    socket.wait_for("its activity", |message| *message == json!({"type": "activity", "state": "active"}));
    let terminal = house.script("printf '\\033]7501;state=working\\007'; echo ready; exec cat");
    let mut socket = house.socket(&path(&terminal));
    loop {
        let message = socket.json();
        assert_ne!(message["type"], "activity");
        if message["data"].as_str().is_some_and(|data| data.contains("ready")) {
            break;
        }
    }
}

#[test]
fn s15_a_client_gets_no_questions_and_its_answers_are_not_typed() {
    let house = House::new();
    // Prints its input, byte by byte.
    let worker = house.script("stty raw -echo; printf 'a\\033[6n\\033[cready'; exec od -An -c -v -w1");
    let mut socket = house.socket(&path(&worker));
    let shown = socket.wait_for_data(None, "ready");
    assert!(!shown.contains("\x1b[6n") && !shown.contains("\x1b[c"), "{shown:?}");
    // The host has answered both questions. Answers of an emulator are removed.
    for data in ["\x1b[?1;2c", "\x1b[2", "4;80R", "\x1b]11;rgb:0000/0000/0000\x07", "Z"] {
        socket.say(&json!({"type": "input", "data": data}));
    }
    let shown = shown + &socket.wait_for_data(None, "Z");
    assert_eq!(shown.matches('R').count(), 1, "one answer for the cursor: {shown:?}");
    assert!(!shown.contains("  ]"), "{shown:?}");
}

#[test]
fn s16_the_server_stores_a_picture_and_pastes_its_path() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    let mut socket = house.socket(&path(&worker));
    socket.wait_for_data(None, "ready");
    socket.say(&json!({"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}));
    let shown = socket.wait_for_data(None, ".png");
    let uploads = worker.dir.path().join("uploads");
    let names: Vec<_> = fs::read_dir(&uploads).unwrap().map(|entry| entry.unwrap()).collect();
    assert_eq!(names.len(), 1);
    assert!(shown.contains(names[0].file_name().to_str().unwrap()), "{shown:?}");
    assert_eq!(fs::metadata(names[0].path()).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read(names[0].path()).unwrap(), b"\x89PNG\r\n\x1a\n");
    for (data, kind) in [("PHN2Zz4=", "image/svg+xml"), ("iVBORw0KGgo=", "image/gif"), ("?", "image/png")] {
        socket.say(&json!({"type": "image", "data": data, "mimeType": kind}));
        socket.wait_for_type("error");
    }
    assert_eq!(fs::read_dir(&uploads).unwrap().count(), 1);
}

#[test]
fn s9_a_token_that_may_only_watch_cannot_type_or_upload() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    let (secret, _) = house.token_for(&worker, false);
    let mut watcher = house.try_socket(&path(&worker), &secret).expect("it opens");
    watcher.wait_for_data(None, "ready");
    let before = worker.status();
    watcher.say(&json!({"type": "input", "data": "typed\r"}));
    watcher.say(&json!({"type": "resize", "cols": 33, "rows": 11}));
    watcher.say(&json!({"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}));
    watcher.say(&json!({"type": "image", "data": "?", "mimeType": "image/png"}));
    // The last message is answered, so the server has read those before it.
    watcher.wait_for_type("error");
    let after = worker.status();
    assert_eq!((after.offset, after.size), (before.offset, before.size));
    assert!(!worker.dir.path().join("uploads").exists());
}

#[test]
fn the_server_does_not_find_a_worker_in_another_session() {
    let house = House::new();
    let (one, other) = (house.script("exec cat"), house.script("exec cat"));
    let path = format!("/ws/session/{}/worker/{}", one.session, other.id);
    assert_eq!(house.try_socket(&path, house.token()).err(), Some(404));
}

#[test]
fn v3_an_invalid_message_closes_only_its_socket() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    for message in [
        Message::text("no JSON"),
        Message::text(r#"{"type":"unheard"}"#),
        Message::text("[".repeat(1000)),
        Message::binary(b"{}".to_vec()),
    ] {
        let mut socket = house.socket(&path(&worker));
        socket.try_send(message);
        assert_eq!(socket.wait_for_close().0, 1008);
    }
    wait_for("no viewers", || worker.status().viewers.is_empty().then_some(()));
}

#[test]
fn a_client_that_comes_after_the_end_gets_the_last_screen_and_the_end() {
    let house = House::new();
    let worker = house.script("exit 5");
    wait_for("the host's end", || worker.dir.exit_note().filter(|_| !worker.dir.socket().exists()));
    let mut socket = house.socket(&path(&worker));
    let screen = socket.json();
    assert_eq!(screen["type"], "history");
    assert_eq!(socket.json(), json!({"type": "exit", "exitCode": 5, "signal": null}));
    assert_eq!(socket.wait_for_close(), (1000, "exited".into()));
}
