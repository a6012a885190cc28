//! `/ws/terminals`: many terminals on one socket.

use model::TermSize;
use serde_json::{Value, json};
use testkit::server::Socket;
use testkit::wait_for;

use crate::house::{House, text};

/// Starts a terminal. Returns its id.
fn create(socket: &mut Socket, script: &str) -> String {
    socket.say(&json!({"type": "create_session", "id": "mine", "command": ["sh", "-c", script], "cols": 90, "rows": 20}));
    let created = socket.wait_for_type("session_created");
    assert_eq!(
        (&created["id"], &created["cols"], &created["rows"]),
        (&json!("mine"), &json!(90), &json!(20))
    );
    text(&created["workerId"])
}

/// Attaches to a terminal again, on a socket of its own.
fn reattach(house: &House, worker: &str) -> Socket {
    let mut socket = house.socket("/ws/terminals");
    socket.say(&json!({"type": "reattach_session", "workerId": worker}));
    socket
}

/// A socket with a terminal that has printed `ready` and echoes its input, and the terminal's id.
fn ready(house: &House) -> (Socket, String) {
    let mut socket = house.socket("/ws/terminals");
    let worker = create(&mut socket, "echo ready; exec cat");
    socket.wait_for_data(Some(&worker), "ready");
    (socket, worker)
}

fn input(worker: &str, data: &str) -> Value {
    json!({"type": "input", "workerId": worker, "data": data})
}

#[test]
fn s1_a_client_starts_types_into_and_closes_terminals() {
    let house = House::new();
    let mut socket = house.socket("/ws/terminals");
    let worker = create(&mut socket, "echo ready; exec cat");
    let shown = socket.wait_for_data(Some(&worker), "ready");
    assert!(!shown.contains("\x1bc"), "a new terminal starts without a snapshot: {shown:?}");
    socket.say(&input(&worker, "typed\r"));
    socket.wait_for_data(Some(&worker), "typed\r\ntyped");
    socket.say(&json!({"type": "resize", "workerId": worker, "cols": 100, "rows": 30}));
    let resized = socket.wait_for_type("resized");
    assert_eq!(resized, json!({"type": "resized", "workerId": worker, "cols": 100, "rows": 30}));
    socket.say(&json!({"type": "list_sessions"}));
    let list = socket.wait_for_type("session_list");
    assert_eq!(list["sessions"][0]["id"], worker);
    socket.say(&json!({"type": "ping"}));
    socket.wait_for_type("pong");
    socket.say(&json!({"type": "close_session", "workerId": worker}));
    let closed = socket.wait_for_type("session_closed");
    assert_eq!(closed, json!({"type": "session_closed", "workerId": worker, "reason": "closed"}));
    socket.say(&json!({"type": "list_sessions"}));
    assert_eq!(socket.wait_for_type("session_list")["sessions"], json!([]));
}

#[test]
fn s1_closing_the_socket_ends_no_terminal_and_attaching_again_shows_everything() {
    let house = House::new();
    let (socket, worker) = ready(&house);
    drop(socket);
    let mut again = reattach(&house, &worker);
    let attached = again.json();
    assert_eq!((&attached["type"], &attached["epoch"]), (&json!("session_reattached"), &json!(1)));
    let scrollback = again.wait_for_type("scrollback");
    assert!(text(&scrollback["data"]).contains("ready"), "{scrollback}");
    again.say(&input(&worker, "typed\r"));
    again.wait_for_data(Some(&worker), "typed\r\ntyped");
}

#[test]
fn s1_a_client_that_sends_its_offset_gets_only_the_rest() {
    let house = House::new();
    let mut socket = house.socket("/ws/terminals");
    let worker = create(&mut socket, "echo ready; exec cat");
    let mut offset = Value::Null;
    let mut shown = String::new();
    while !shown.contains("ready\r\n") {
        let output = socket.wait_for_type("output");
        shown.push_str(&text(&output["data"]));
        offset = output["offset"].clone();
    }
    drop(socket);
    let mut again = house.socket("/ws/terminals");
    again.say(&json!({"type": "reattach_session", "workerId": worker, "since": offset, "epoch": 1}));
    again.wait_for_type("session_reattached");
    again.say(&input(&worker, "more\r"));
    let rest = again.wait_for_data(Some(&worker), "more\r\nmore\r\n");
    assert_eq!(rest, "more\r\nmore\r\n", "no output twice");
}

#[test]
fn s15_a_flood_does_not_delay_an_echo() {
    let house = House::new();
    let mut socket = house.socket("/ws/terminals");
    let flood = create(&mut socket, "read line; exec yes 'a long line of output that never ends'");
    let echo = create(&mut socket, "stty -echo; echo ready; exec cat");
    socket.wait_for_data(Some(&echo), "ready");
    socket.say(&input(&flood, "\r"));
    socket.wait_for_data(Some(&flood), "never ends");
    for number in 0..20 {
        let word = format!("echo {number};");
        socket.say(&input(&echo, &format!("{word}\r")));
        let (mut before, mut echoed) = (0, String::new());
        loop {
            let message = socket.json();
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
        // The kernel holds a few megabytes that were sent before the echo.
        assert!(before < 32 << 20, "{before} bytes of the flood before the echo");
    }
    // The flood can be stopped.
    socket.say(&input(&flood, "\u{3}"));
    let end = socket.wait_for_type("session_closed");
    assert_eq!(
        end,
        json!({"type": "session_closed", "workerId": flood, "reason": "exited", "exitCode": 130})
    );
}

#[test]
fn the_end_of_a_terminal_is_sent_and_the_others_go_on() {
    let house = House::new();
    let mut socket = house.socket("/ws/terminals");
    let one = create(&mut socket, "read line; exit 4");
    // It prints nothing but what is typed: the first word of a shell could come between the two.
    let other = create(&mut socket, "exec cat");
    socket.say(&input(&one, "\r"));
    let end = socket.wait_for_type("session_closed");
    assert_eq!(end, json!({"type": "session_closed", "workerId": one, "reason": "exited", "exitCode": 4}));
    socket.say(&input(&one, "x"));
    let error = socket.wait_for_type("error");
    assert_eq!((&error["code"], &error["workerId"]), (&json!("wrong-state"), &json!(one)));
    socket.say(&input(&other, "typed\r"));
    socket.wait_for_data(Some(&other), "typed\r\ntyped");
}

#[test]
fn an_error_has_the_id_that_the_client_chose() {
    let house = House::new();
    let mut socket = house.socket("/ws/terminals");
    socket.say(&json!({"type": "create_session", "id": "a", "command": ["/no/such/program"]}));
    let error = socket.wait_for_type("error");
    assert_eq!((&error["id"], &error["code"]), (&json!("a"), &json!("cannot-start")));
    socket.say(&json!({"type": "create_session", "id": "b", "cwd": "/no/such/directory"}));
    assert_eq!(socket.wait_for_type("error")["id"], "b");
    socket.say(&json!({"type": "reattach_session", "workerId": "00000000"}));
    assert_eq!(socket.wait_for_type("error")["code"], "not-found");
    socket.say(&json!({"type": "list_sessions"}));
    assert_eq!(socket.wait_for_type("session_list")["sessions"], json!([]), "no session is left");
}

#[test]
fn both_viewers_see_the_keys_of_either() {
    let house = House::new();
    let (mut one, worker) = ready(&house);
    let mut other = reattach(&house, &worker);
    other.wait_for_data(Some(&worker), "ready");
    other.say(&input(&worker, "from the other\r"));
    one.wait_for_data(Some(&worker), "from the other");
    one.say(&input(&worker, "from the one\r"));
    other.wait_for_data(Some(&worker), "from the one");
}

#[test]
fn v9_when_a_viewer_leaves_the_size_of_another_applies() {
    let house = House::new();
    let (mut one, worker) = ready(&house);
    let mut other = reattach(&house, &worker);
    other.say(&json!({"type": "resize", "workerId": worker, "cols": 70, "rows": 15}));
    // The server refuses a size before its answer, so the client sends the size again.
    other.wait_for_type("session_reattached");
    other.say(&json!({"type": "resize", "workerId": worker, "cols": 70, "rows": 15}));
    other.wait_for("its size", |message| message["type"] == "resized" && message["cols"] == 70);
    drop(other);
    one.wait_for("the old size", |message| message["type"] == "resized" && message["cols"] == 90);
    let dir = home::Home::at(house.path()).worker(worker.parse().unwrap());
    wait_for("the old size", || {
        viewer::status(&dir.socket()).ok().filter(|status| status.size == TermSize::clamped(90, 20))
    });
}
