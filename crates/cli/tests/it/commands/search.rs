//! `abide search`

use testkit::Watcher;

use crate::house::{House, Worker};

fn ended(house: &House, name: &str, script: &str) -> Worker {
    let worker = house.worker_with(&["--name", name], &["sh", "-c", script]);
    worker.wait_for_rest();
    worker
}

/// What is printed, without the times.
fn found(house: &House, arguments: &[&str]) -> Vec<String> {
    let output = house.output([&["search", "-C", "0"], arguments].concat());
    output
        .lines()
        .map(|line| line.split("  ").filter(|part| !part.starts_with("20")).collect::<Vec<_>>().join("  "))
        .collect()
}

#[test]
fn lines_are_found_in_all_workers_newest_first_whether_they_run_or_not() {
    let house = House::new();
    ended(&house, "old", "echo the old error; echo nothing");
    ended(&house, "new", "echo the new error");
    let live = house.worker_with(&["--name", "live"], &["sh", "-c", "echo a live error; read x"]);
    Watcher::watch(&live).wait_for("a live error");
    crate::house::wait_for("the recording", || (!live.recorded().is_empty()).then_some(()));
    let all = ["live  a live error", "new  the new error", "old  the old error"];
    assert_eq!(found(&house, &["ERROR", "-i"]), all);
    assert_eq!(found(&house, &["error"]), all);
    assert_eq!(found(&house, &["error", "old", "new"]), all[1..]);
    assert_eq!(found(&house, &["error", "--max", "1"]), all[..1]);
    assert_eq!(found(&house, &[r"^the \w+ error$"]), all[1..]);
    assert_eq!(found(&house, &["error", "--since", "1h"]), all);
    let none = house.run(["search", "error", "--until", "1h"]);
    assert_eq!((none.status.code(), none.stdout.as_slice()), (Some(1), &b""[..]));
    assert_eq!(house.run(["search", "Error"]).status.code(), Some(1), "a capital counts");
    assert_eq!(house.run(["search", "-F", "old.error"]).status.code(), Some(1));
}

#[test]
fn neighbours_are_shown_once_in_the_order_in_which_they_were_printed() {
    let house = House::new();
    ended(&house, "one", "seq 100 120");
    let output = house.output(["search", "105|107|115", "-C", "1"]);
    let lines: Vec<&str> = output.lines().filter(|line| !line.starts_with("one")).collect();
    assert_eq!(
        lines,
        ["  114", "> 115", "  116", "", "  104", "> 105", "  106", "> 107", "  108"],
        "{output}"
    );
    let json = house.output(["search", "105", "--json"]);
    let hit: serde_json::Value = serde_json::from_str(json.trim()).unwrap();
    assert_eq!((&hit["name"], &hit["text"]), (&"one".into(), &"105".into()));
    assert_eq!((&hit["before"][0], &hit["after"][0]), (&"104".into(), &"106".into()));
}

#[test]
fn neighbouring_hits_do_not_exceed_the_limit() {
    let house = House::new();
    ended(&house, "one", "seq 1001 1300");
    let json = house.output(["search", "1", "-m", "5", "--json"]);
    let hits: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let texts: Vec<&str> = hits.iter().map(|hit| hit["text"].as_str().expect("a text")).collect();
    assert_eq!(texts, ["1300", "1299", "1298", "1297", "1296"]);
    assert_eq!(
        (&hits[4]["before"], &hits[4]["after"]),
        (&["1295"].as_slice().into(), &["1297"].as_slice().into())
    );
    assert_eq!(hits[0]["after"], serde_json::json!([]));
    let words = house.output(["search", "1", "-m", "5"]);
    let lines: Vec<&str> = words.lines().skip(1).collect();
    assert_eq!(lines, ["  1295", "> 1296", "> 1297", "> 1298", "> 1299", "> 1300"]);
    let all = house.output(["search", "1007", "-C", &usize::MAX.to_string()]);
    assert_eq!(all.lines().count(), 301, "everything is beside it");
    house.output(["search", "1007", "-m", &usize::MAX.to_string()]);
    assert_eq!(
        house.run(["search", "1", "-m", "0"]).status.code(),
        Some(2),
        "no hits at all cannot be wanted"
    );
}

#[test]
fn a_time_into_the_recording_is_that_of_each_worker() {
    let house = House::new();
    ended(&house, "one", "echo an error");
    ended(&house, "two", "echo an error");
    let both = ["two  an error", "one  an error"];
    assert_eq!(found(&house, &["error", "--until", "+1h"]), both);
    assert_eq!(found(&house, &["error", "--since", "+0s"]), both);
    assert_eq!(house.run(["search", "error", "--since", "+1h"]).status.code(), Some(1));
}

#[test]
fn search_names_recordings_that_are_too_damaged() {
    let house = House::new();
    let worker = ended(&house, "one", "echo an error");
    ended(&house, "two", "echo a failure");
    let recording = recording::Recording::open(&worker.dir.recording()).expect("a recording");
    let path = &recording.segments()[0].path;
    let whole = std::fs::read(path).expect("read");
    let third = whole.len() / 3;
    // What stands between the two copies of the contents, or the head.
    for damaged in [third..2 * third, 0..40] {
        let mut bytes = whole.clone();
        bytes[damaged].fill(0x55);
        std::fs::write(path, bytes).expect("written");
        for (pattern, code) in [("an error", 125), ("failure", 0)] {
            let output = house.run(["search", pattern]);
            let words = String::from_utf8(output.stderr).expect("words");
            assert_eq!(output.status.code(), Some(code), "{words}");
            assert!(words.contains("`one` is damaged"), "{words}");
        }
    }
}

#[test]
fn search_finds_the_last_screen_of_full_screen_programs_and_no_earlier_one() {
    let house = House::new();
    let draw = r"printf '\033[?1049h\033[Hfirst frame\033[H\033[2Jlast frame\033[?1049l'; echo after";
    ended(&house, "full", draw);
    assert_eq!(found(&house, &["frame"]), ["full  last frame"]);
}

#[test]
fn a_line_that_wraps_is_found_as_one() {
    let house = House::new();
    let worker = house.worker_with(
        &["--name", "narrow", "--size", "20x5"],
        &["sh", "-c", "printf 'a line that is much longer than the window\\n'; seq 1 50"],
    );
    worker.wait_for_rest();
    assert_eq!(found(&house, &["much longer than"]), ["narrow  a line that is much longer than the window"]);
}

#[test]
fn a_bad_pattern_is_refused() {
    let house = House::new();
    let words = house.refused(&["search", "a(b"], 2);
    assert!(words.contains("unclosed group") && words.contains("--fixed"), "{words}");
    house.refused(&["search", "x", "nobody"], 125);
}
