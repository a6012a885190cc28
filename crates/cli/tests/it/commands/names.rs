//! Names and ids, as a person gives them.

use std::fs;

use serde_json::Value;
use testkit::Watcher;

use crate::house::House;

#[test]
fn a_worker_is_named_after_its_program_and_no_name_is_given_twice() {
    let house = House::new();
    let names: Vec<String> =
        ["cat", "/bin/cat", "cat"].iter().map(|program| house.worker(&[program]).name).collect();
    assert_eq!(names, ["cat", "cat-2", "cat-3"]);
    let words = house.refused(&["new", "-d", "--name", "cat-2", "--", "true"], 125);
    assert!(words.contains("there is a worker `cat-2` already") && words.contains("attach cat-2"), "{words}");
    house.output(["rm", "--force", "cat-2"]);
    assert_eq!(house.output(["new", "-d", "--name", "cat-2", "--", "true"]), "cat-2\n");
}

#[test]
fn a_unique_beginning_of_an_id_is_enough() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "first"], &["sh", "-c", "echo hello; cat"]);
    Watcher::watch(&worker).wait_for("hello");
    let id = worker.dir.id().to_string();
    for word in ["first", &id, &id[..4], &id[..1]] {
        assert_eq!(house.output(["screen", word]), "hello\n", "{word}");
    }

    // The id of another worker begins the same.
    let (begin, last) = id.split_at(id.len() - 1);
    let other = format!("{begin}{}", if last == "2" { "3" } else { "2" });
    let dir = worker.dir.path().with_file_name(&other);
    fs::create_dir_all(dir.join("recording")).unwrap();
    let mut meta: Value =
        serde_json::from_slice(&fs::read(worker.dir.path().join("meta.json")).unwrap()).unwrap();
    meta["worker"] = other.clone().into();
    meta["name"] = "second".into();
    fs::write(dir.join("meta.json"), meta.to_string()).unwrap();
    let words = house.refused(&["send", begin, "text"], 125);
    assert!(
        words.contains(&format!("{id} (first)")) && words.contains(&format!("{other} (second)")),
        "{words}"
    );
    assert_eq!(house.output(["screen", &id]), "hello\n", "a whole id is always one worker's");
    house.output(["send", "first", "by name"]);
}

#[test]
fn n2_a_data_directory_with_a_long_name_works_from_end_to_end() {
    let temporary = tempfile::TempDir::new().unwrap();
    let long = temporary.path().join("x".repeat(120)).join("y".repeat(120));
    fs::create_dir_all(&long).unwrap();
    let house = House::at(&long).setting("ABIDE_KEEPER", "true");
    let worker = house
        .worker_with(&["--name", "far"], &["sh", "-c", "echo hello; while read x; do echo got $x; done"]);
    worker.wait_for_lease();
    let mut desk = crate::attach::Desk::attached(&house, (80, 24), "far");
    desk.wait_for("hello");
    desk.send(b"keys\r");
    desk.wait_for("got keys");
    house.output(["send", "far", "text", "--enter"]);
    desk.wait_for("got text");
    worker.kill_host();
    desk.wait_for_host(&worker, model::Epoch(2));
    desk.send(b"more\r");
    desk.wait_for("got more");
    desk.detach();
    assert_eq!(house.output(["wait", "far", "--text", "got more"]), "");
    assert!(house.output(["ls"]).contains("live"));
    house.output(["upgrade", "--force", "far"]);
    assert!(house.output(["screen", "far"]).contains("got more"));
    house.output(["kill", "far"]);
    assert!(house.output(["logs", "far"]).contains("got more"));
    house.output(["rm", "far"]);
    assert_eq!(house.output(["ls", "--json"]), "[]\n");
}
