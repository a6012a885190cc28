//! `abide ls`, where no worker is live.

use std::fs;

use serde_json::{Value, json};

use crate::house::House;

/// A worker whose host is gone, as its directory tells of it.
fn left_behind(house: &House, id: &str, name: &str, command: &str) {
    let dir = house.path().join("workers").join(id);
    fs::create_dir_all(dir.join("recording")).unwrap();
    let meta = json!({
        "format": 1, "worker": id, "name": name, "session": { "kind": "quick", "id": "00000000" },
        "command": [command], "cwd": "/", "size": { "cols": 80, "rows": 24 }, "startedAt": "2026-01-02T03:04:05Z",
    });
    fs::write(dir.join("meta.json"), meta.to_string()).unwrap();
}

fn has_exited(house: &House, id: &str, status: &Value) {
    let note = json!({ "status": status, "at": "2026-01-02T03:04:06Z", "offset": 5 });
    fs::write(house.path().join("workers").join(id).join("exit.json"), note.to_string()).unwrap();
}

#[test]
fn without_workers_there_is_nothing_on_standard_output() {
    let house = House::new();
    let output = house.run(["ls"]);
    assert!(output.status.success() && output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("abide new"));
    assert_eq!(house.output(["ls", "--json"]), "[]\n");
}

#[test]
fn workers_without_a_host_are_shown_as_exited_killed_or_lost() {
    let house = House::new();
    left_behind(&house, "aaaaaaaa", "well", "sh");
    has_exited(&house, "aaaaaaaa", &json!({ "kind": "exited", "code": 0 }));
    left_behind(&house, "bbbbbbbb", "ill", "sh");
    has_exited(&house, "bbbbbbbb", &json!({ "kind": "killed", "signal": 15 }));
    left_behind(&house, "cccccccc", "gone", "sh");
    let list = house.output(["ls"]);
    for (name, state) in [("well", "exited 0"), ("ill", "killed by SIGTERM"), ("gone", "lost")] {
        assert!(list.lines().any(|line| line.starts_with(name) && line.contains(state)), "{name}:\n{list}");
    }
    let reports: Value = serde_json::from_str(&house.output(["ls", "--json"])).unwrap();
    assert_eq!(reports[0]["name"], "well");
    assert_eq!(reports[0]["startedAt"], "2026-01-02T03:04:05Z");
    assert_eq!(reports[1]["state"]["exitCode"], 128 + 15);
    assert_eq!(reports[2]["state"], json!({ "kind": "lost" }));
}

#[test]
fn s24_foreign_text_is_shown_safely() {
    let house = House::new();
    left_behind(&house, "aaaaaaaa", "odd", "\u{1b}[31mred\u{202e}\n");
    let list = house.output(["ls"]);
    assert!(!list.contains(['\u{1b}', '\u{202e}']) && list.lines().count() == 2, "{list:?}");
}

#[test]
fn ended_workers_can_be_removed_but_not_used() {
    let house = House::new();
    left_behind(&house, "aaaaaaaa", "done", "sh");
    has_exited(&house, "aaaaaaaa", &json!({ "kind": "exited", "code": 7 }));
    left_behind(&house, "bbbbbbbb", "gone", "sh");
    let code = |arguments: &[&str]| house.run(arguments).status.code();
    assert_eq!(code(&["wait", "done"]), Some(7), "the exit code is the child's");
    assert_eq!(code(&["wait", "gone"]), Some(125), "our own failure code if it is unknown");
    assert_eq!(code(&["wait", "done", "--quiet", "1"]), Some(1));
    assert_eq!(code(&["send", "done", "text"]), Some(1));
    assert_eq!(code(&["kill", "gone"]), Some(1));
    assert_eq!(code(&["screen", "aaaa"]), Some(1), "nothing was recorded");
    assert_eq!(code(&["rm", "done", "b"]), Some(0), "a name, and the beginning of an id");
    assert_eq!(house.output(["ls", "--json"]), "[]\n");
}

#[test]
fn an_ambiguous_beginning_is_refused_with_what_it_could_mean() {
    let house = House::new();
    left_behind(&house, "aaaaaaa0", "one", "sh");
    left_behind(&house, "aaaaaaa1", "two", "sh");
    let words = String::from_utf8(house.run(["screen", "aaa"]).stderr).unwrap();
    assert!(words.contains("aaaaaaa0 (one)") && words.contains("aaaaaaa1 (two)"), "{words}");
}
