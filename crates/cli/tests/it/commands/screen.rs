//! `abide screen`

use serde_json::{Value, json};
use testkit::Watcher;

use crate::house::{House, Worker};

/// Six lines on a terminal of four rows, with a colour, a title and a cursor somewhere.
const SIX: &str = r"printf '\033]2;six\007one\r\ntwo\r\nthree\r\nfour <&>\r\n\033[1;31mfive\033[m\r\nsix'";

/// What is on the screen in every format, and before it.
fn check(house: &House, worker: &Worker) {
    let name = &worker.name;
    assert_eq!(house.output(["screen", name]), "three\nfour <&>\nfive\nsix\n");
    assert_eq!(house.output(["screen", name, "--history", "1"]), "two\nthree\nfour <&>\nfive\nsix\n");
    assert_eq!(house.output(["screen", name, "--history", "99"]).lines().count(), 6);
    let ansi = house.output(["screen", name, "--format", "ansi", "--history", "2"]);
    assert_eq!(ansi, "one\ntwo\nthree\nfour <&>\n\x1b[1;31mfive\x1b[0m\nsix\n");
    let html = house.output(["screen", name, "--format", "html"]);
    assert!(html.starts_with("<pre") && html.contains("four &lt;&amp;&gt;"), "{html}");
    let json: Value =
        serde_json::from_str(&house.output(["screen", name, "--format", "json", "--history", "9"])).unwrap();
    let expected = json!({
        "size": { "cols": 20, "rows": 4 }, "cursor": { "col": 3, "row": 3, "visible": true }, "title": "six",
        "alternateScreen": false, "rows": ["three", "four <&>", "five", "six"], "history": ["one", "two"],
    });
    assert_eq!(json, expected);
}

#[test]
fn a_live_screen_is_shown_in_every_format() {
    let house = House::new();
    let script = format!("{SIX}; read x");
    let worker = house.worker_with(&["--size", "20x4"], &["sh", "-c", &script]);
    Watcher::watch(&worker).wait_for("six");
    check(&house, &worker);
    assert!(worker.status().viewers.is_empty(), "the command has detached");
}

#[test]
fn c5_the_last_screen_of_an_ended_worker_is_shown_in_every_format() {
    let house = House::new();
    let worker = house.worker_with(&["--size", "20x4"], &["sh", "-c", SIX]);
    worker.wait_for_exit();
    check(&house, &worker);
}

#[test]
fn more_history_than_the_model_keeps_comes_from_the_recording_of_an_ended_worker() {
    let house = House::new();
    let worker = house.worker_with(&["--size", "20x4"], &["seq", "1", "60000"]);
    worker.wait_for_exit();
    let text = house.output(["screen", &worker.name, "--history", "60000"]);
    let expected: String = (1..=60000).map(|number| format!("{number}\n")).collect();
    assert!(text == expected, "{} lines, from {:?} on", text.lines().count(), text.lines().next());
}

#[test]
fn the_screen_of_a_full_screen_program_comes_without_history() {
    let house = House::new();
    let script = r"seq 1 50; printf '\033[?1049h\033[2;3Hfull\033[?25l'; read x";
    let worker = house.worker_with(&["--size", "20x4"], &["sh", "-c", script]);
    Watcher::watch(&worker).wait_for("full");
    assert_eq!(house.output(["screen", &worker.name, "--history", "10"]).trim(), "full");
    let json: Value =
        serde_json::from_str(&house.output(["screen", &worker.name, "--format", "json"])).unwrap();
    assert_eq!(json["alternateScreen"], true);
    assert_eq!(json["cursor"], json!({ "col": 6, "row": 1, "visible": false }));
}
