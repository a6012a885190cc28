//! The order of sizes and keys, and the turns of many terminals.

use serde_json::{Value, json};

use super::{DOORS, Door, Seat, Stage};
use crate::house::House;
use crate::server::{Server, Socket};

#[test]
fn s15_a_size_stays_in_order_with_what_is_typed() {
    for door in DOORS {
        let stage = Stage::new("stty -echo; echo ready; while read x; do echo \"$x: $(stty size)\"; done");
        let mut seat = Seat::take(&stage, door);
        seat.wait_for("ready");
        for number in 0..10 {
            let (cols, rows) = (70 + number, 20 + number);
            seat.resize(&stage.server, cols, rows);
            seat.keys(&format!("{number}\r"));
            let expected = format!("{number}: {rows} {cols}");
            let printed = |seat: &Seat, text: &str| String::from_utf8_lossy(&seat.shown).contains(text);
            seat.wait_until(&expected, |seat| printed(seat, &format!("{number}: ")));
            assert!(
                printed(&seat, &expected),
                "{door:?}: {expected}:\n{}",
                String::from_utf8_lossy(&seat.shown)
            );
        }
    }
}

fn create(socket: &mut Socket, script: &str) -> Value {
    let command = ["sh", "-c", script];
    socket.say(&json!({"type": "create_session", "command": command, "cols": 80, "rows": 24}));
    socket.wait_for("the terminal", |message| message["type"] == "session_created")["workerId"].clone()
}

#[test]
fn s15_a_terminal_that_floods_does_not_keep_another_waiting() {
    let house = House::new();
    let server = Server::start(&house);
    let mut socket = Socket::open(&server, "/ws/terminals");
    let flood = create(&mut socket, "read x; exec yes 'a line of a flood that goes on and on'");
    let echo = create(&mut socket, "stty -echo; echo ready; while read x; do echo \"<$x>\"; done");
    let of = |message: &Value, worker: &Value| message["workerId"] == *worker && message["type"] == "output";
    socket.wait_for("ready", |message| {
        of(message, &echo) && message["data"].as_str().is_some_and(|data| data.contains("ready"))
    });
    socket.say(&json!({"type": "input", "workerId": flood, "data": "\r"}));
    socket.wait_for("the flood", |message| of(message, &flood));
    for number in 0..10 {
        socket.say(&json!({"type": "input", "workerId": echo, "data": format!("{number}\r")}));
        let (mut echoed, mut between) = (String::new(), 0);
        while !echoed.contains(&format!("<{number}>")) {
            let message = socket.json();
            let data = message["data"].as_str().expect("text");
            if of(&message, &echo) {
                echoed.push_str(data);
                continue;
            }
            assert!(data.len() <= 16 << 10, "a turn is short");
            between += data.len();
        }
        // Output that was already on its way to us comes first, in any order of turns.
        assert!(between < 32 << 20, "{between} bytes of the flood");
    }
    // The flood itself can be interrupted through the same socket.
    socket.say(&json!({"type": "input", "workerId": flood, "data": "\u{3}"}));
    let end = socket.wait_for("its end", |message| message["type"] == "session_closed");
    assert_eq!(
        end,
        json!({"type": "session_closed", "workerId": flood, "reason": "exited", "exitCode": 130})
    );
}

#[test]
fn s12_a_socket_has_room_for_sixty_four_terminals() {
    let house = House::new();
    let server = Server::start(&house);
    let mut socket = Socket::open(&server, "/ws/terminals");
    let workers: Vec<Value> = (0..64).map(|_| create(&mut socket, "exec cat")).collect();
    socket.say(&json!({"type": "create_session", "id": "one more"}));
    let refused = socket.wait_for("a refusal", |message| message["type"] == "error");
    assert_eq!((&refused["id"], &refused["code"]), (&json!("one more"), &json!("unavailable")));
    // On another socket there is room; and here, when there is one less.
    let (_, other) = server.terminal("/", "read x");
    socket.say(&json!({"type": "reattach_session", "workerId": other.id}));
    socket.wait_for("a refusal", |message| {
        message["type"] == "error" && message["workerId"] == json!(other.id)
    });
    socket.say(&json!({"type": "close_session", "workerId": workers[0]}));
    socket.wait_for("its end", |message| message["type"] == "session_closed");
    socket.say(&json!({"type": "reattach_session", "workerId": other.id}));
    socket.wait_for("a place", |message| message["type"] == "session_reattached");
    socket.say(&json!({"type": "list_sessions"}));
    let list = socket.wait_for("the list", |message| message["type"] == "session_list");
    assert_eq!(list["sessions"].as_array().map(Vec::len), Some(64));
}

#[test]
fn many_terminals_answer_every_message_by_its_own_name() {
    let stage = Stage::new("echo ready; exec cat");
    let mut seat = Seat::take(&stage, Door::Terminals);
    seat.wait_for("ready");
    let reattached = seat.wait_to_hear("session_reattached");
    let size = stage.host().status().size;
    assert_eq!((&reattached["cols"], &reattached["rows"]), (&json!(size.cols()), &json!(size.rows())));
    assert_eq!(reattached["epoch"], 1);
    seat.socket.say(&json!({"type": "ping"}));
    seat.wait_to_hear("pong");
    let unknown = json!("00000000");
    for kind in ["input", "resize", "reattach_session", "close_session"] {
        seat.socket.say(&json!({"type": kind, "workerId": unknown, "data": "x", "cols": 80, "rows": 24}));
        let error = seat.wait_to_hear("error");
        assert_eq!(error["workerId"], unknown, "{kind}: {error}");
    }
    // The agent of a task is ended with its task.
    seat.socket.say(&json!({"type": "close_session", "workerId": stage.worker}));
    assert_eq!(seat.wait_to_hear("error")["code"], "in-use");
    // A terminal in a session that is there, in its directory.
    let session = stage.task.session_id;
    seat.socket
        .say(&json!({"type": "create_session", "id": "second", "sessionId": session, "command": ["sh", "-c", "pwd; read x"]}));
    let created = seat.wait_to_hear("session_created");
    assert_eq!((&created["id"], &created["sessionId"]), (&json!("second"), &json!(session)));
    let place = stage.task.worktree_path.as_deref().expect("it has one");
    seat.wait_for(place.rsplit('/').next().expect("a name"));
    let second = created["workerId"].clone();
    seat.socket.say(&json!({"type": "close_session", "workerId": second}));
    let closed = json!({"type": "session_closed", "workerId": second, "reason": "closed"});
    assert_eq!(seat.wait_to_hear("session_closed"), closed);
}
