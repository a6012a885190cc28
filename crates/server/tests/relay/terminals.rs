//! `/ws/terminals`: many terminals on one socket.

use model::TermSize;
use serde_json::{Value, json};

use crate::house::{House, Socket, text, wait_for};

/// Starts a terminal and gives its id.
fn create(socket: &mut Socket, script: &str) -> String {
    socket.json(json!({"type": "create_session", "id": "mine", "command": ["sh", "-c", script], "cols": 90, "rows": 20}));
    let created = socket.until_type("session_created");
    assert_eq!(
        (&created["id"], &created["cols"], &created["rows"]),
        (&json!("mine"), &json!(90), &json!(20))
    );
    text(&created["workerId"])
}

fn input(worker: &str, data: &str) -> Value {
    json!({"type": "input", "workerId": worker, "data": data})
}

#[test]
fn s1_terminals_are_started_typed_into_and_closed() {
    let house = House::new();
    let mut socket = house.socket("/ws/terminals");
    let worker = create(&mut socket, "echo ready; exec cat");
    let shown = socket.until_data(Some(&worker), "ready");
    assert!(!shown.contains("\x1bc"), "it was there from the first byte on: {shown:?}");
    socket.json(input(&worker, "typed\r"));
    socket.until_data(Some(&worker), "typed\r\ntyped");
    socket.json(json!({"type": "resize", "workerId": worker, "cols": 100, "rows": 30}));
    let resized = socket.until_type("resized");
    assert_eq!(resized, json!({"type": "resized", "workerId": worker, "cols": 100, "rows": 30}));
    socket.json(json!({"type": "list_sessions"}));
    let list = socket.until_type("session_list");
    assert_eq!(list["sessions"][0]["id"], worker);
    socket.json(json!({"type": "ping"}));
    socket.until_type("pong");
    socket.json(json!({"type": "close_session", "workerId": worker}));
    let closed = socket.until_type("session_closed");
    assert_eq!(closed, json!({"type": "session_closed", "workerId": worker, "reason": "closed"}));
    socket.json(json!({"type": "list_sessions"}));
    assert_eq!(socket.until_type("session_list")["sessions"], json!([]));
}

#[test]
fn s1_closing_the_socket_ends_nothing_and_coming_back_shows_everything() {
    let house = House::new();
    let mut socket = house.socket("/ws/terminals");
    let worker = create(&mut socket, "echo ready; exec cat");
    socket.until_data(Some(&worker), "ready");
    drop(socket);
    let mut again = house.socket("/ws/terminals");
    again.json(json!({"type": "reattach_session", "workerId": worker}));
    let attached = again.next_json().expect("an answer");
    assert_eq!((&attached["type"], &attached["epoch"]), (&json!("session_reattached"), &json!(1)));
    let scrollback = again.until_type("scrollback");
    assert!(text(&scrollback["data"]).contains("ready"), "{scrollback}");
    again.json(input(&worker, "typed\r"));
    again.until_data(Some(&worker), "typed\r\ntyped");
}

#[test]
fn s1_whoever_says_what_it_has_is_shown_just_the_rest() {
    let house = House::new();
    let mut socket = house.socket("/ws/terminals");
    let worker = create(&mut socket, "echo ready; exec cat");
    let mut offset = Value::Null;
    let mut shown = String::new();
    while !shown.contains("ready\r\n") {
        let output = socket.until_type("output");
        shown.push_str(&text(&output["data"]));
        offset = output["offset"].clone();
    }
    drop(socket);
    let mut again = house.socket("/ws/terminals");
    again.json(json!({"type": "reattach_session", "workerId": worker, "since": offset, "epoch": 1}));
    again.until_type("session_reattached");
    again.json(input(&worker, "more\r"));
    let rest = again.until_data(Some(&worker), "more\r\nmore\r\n");
    assert_eq!(rest, "more\r\nmore\r\n", "nothing twice");
}

#[test]
fn s15_a_flood_does_not_keep_an_echo_waiting() {
    let house = House::new();
    let mut socket = house.socket("/ws/terminals");
    let flood = create(&mut socket, "read line; exec yes 'a long line of output that never ends'");
    let echo = create(&mut socket, "stty -echo; echo ready; exec cat");
    socket.until_data(Some(&echo), "ready");
    socket.json(input(&flood, "\r"));
    socket.until_data(Some(&flood), "never ends");
    for number in 0..20 {
        let word = format!("echo {number};");
        socket.json(input(&echo, &format!("{word}\r")));
        let (mut before, mut echoed) = (0, String::new());
        loop {
            let message = socket.next_json().expect("it goes on");
            assert!(text(&message["data"]).len() <= 16 << 10, "a turn is short");
            if message["workerId"] == *echo {
                echoed.push_str(&text(&message["data"]));
            } else {
                before += text(&message["data"]).len();
            }
            if echoed.contains(&word) {
                break;
            }
        }
        // What the kernel holds for the client was sent before the echo; that is a few megabytes.
        assert!(before < 32 << 20, "{before} bytes of the flood before the echo");
    }
    // And it can be stopped.
    socket.json(input(&flood, "\u{3}"));
    let end = socket.until_type("session_closed");
    assert_eq!(
        end,
        json!({"type": "session_closed", "workerId": flood, "reason": "exited", "exitCode": 130})
    );
}

#[test]
fn the_end_of_one_is_told_and_leaves_the_others() {
    let house = House::new();
    let mut socket = house.socket("/ws/terminals");
    let one = create(&mut socket, "read line; exit 4");
    let other = create(&mut socket, "echo ready; exec cat");
    socket.json(input(&one, "\r"));
    let end = socket.until_type("session_closed");
    assert_eq!(end, json!({"type": "session_closed", "workerId": one, "reason": "exited", "exitCode": 4}));
    socket.json(input(&one, "x"));
    let error = socket.until_type("error");
    assert_eq!((&error["code"], &error["workerId"]), (&json!("wrong-state"), &json!(one)));
    socket.json(input(&other, "typed\r"));
    socket.until_data(Some(&other), "typed\r\ntyped");
}

#[test]
fn what_cannot_be_done_is_told_by_the_clients_own_name_for_it() {
    let house = House::new();
    let mut socket = house.socket("/ws/terminals");
    socket.json(json!({"type": "create_session", "id": "a", "command": ["/no/such/program"]}));
    let error = socket.until_type("error");
    assert_eq!((&error["id"], &error["code"]), (&json!("a"), &json!("cannot-start")));
    socket.json(json!({"type": "create_session", "id": "b", "cwd": "/no/such/directory"}));
    assert_eq!(socket.until_type("error")["id"], "b");
    socket.json(json!({"type": "reattach_session", "workerId": "00000000"}));
    assert_eq!(socket.until_type("error")["code"], "not-found");
    socket.json(json!({"type": "list_sessions"}));
    assert_eq!(socket.until_type("session_list")["sessions"], json!([]), "nothing is left of them");
}

#[test]
fn two_viewers_see_what_either_types() {
    let house = House::new();
    let mut one = house.socket("/ws/terminals");
    let worker = create(&mut one, "echo ready; exec cat");
    one.until_data(Some(&worker), "ready");
    let mut other = house.socket("/ws/terminals");
    other.json(json!({"type": "reattach_session", "workerId": worker}));
    other.until_data(Some(&worker), "ready");
    other.json(input(&worker, "from the other\r"));
    one.until_data(Some(&worker), "from the other");
    one.json(input(&worker, "from the one\r"));
    other.until_data(Some(&worker), "from the one");
}

#[test]
fn v9_the_size_of_one_who_leaves_is_anothers() {
    let house = House::new();
    let mut one = house.socket("/ws/terminals");
    let worker = create(&mut one, "echo ready; exec cat");
    one.until_data(Some(&worker), "ready");
    let mut other = house.socket("/ws/terminals");
    other.json(json!({"type": "reattach_session", "workerId": worker}));
    other.json(json!({"type": "resize", "workerId": worker, "cols": 70, "rows": 15}));
    // Said before the answer came, it was not taken.
    other.until_type("session_reattached");
    other.json(json!({"type": "resize", "workerId": worker, "cols": 70, "rows": 15}));
    other.until_json("its size", |message| message["type"] == "resized" && message["cols"] == 70);
    drop(other);
    one.until_json("the old size", |message| message["type"] == "resized" && message["cols"] == 90);
    let dir = home::Home::at(house.path()).worker(worker.parse().unwrap());
    wait_for("the old size", || {
        viewer::status(&dir.socket()).ok().filter(|status| status.size == TermSize::clamped(90, 20))
    });
}
