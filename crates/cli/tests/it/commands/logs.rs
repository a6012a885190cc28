//! `abide logs`

mod following;

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use testkit::Watcher;

use crate::house::{House, wait_for};

#[test]
fn everything_that_was_printed_is_there_as_bytes_and_as_text() {
    let house = House::new();
    let script = r"printf '\033[31mred\033[m\nover\rtyped\n'; seq 1 3000; printf 'no end'";
    let worker = house.worker_with(&["--name", "done", "--size", "20x4"], &["sh", "-c", script]);
    worker.wait_for_exit();
    let numbers = |end: &str| (1..=3000).map(|number| format!("{number}{end}")).collect::<String>();
    let raw = house.output(["logs", "done", "--raw"]);
    assert_eq!(raw, format!("\x1b[31mred\x1b[m\r\nover\rtyped\r\n{}no end", numbers("\r\n")));
    assert_eq!(house.output(["logs", "done"]), format!("red\ntyped\n{}no end\n", numbers("\n")));
    assert_eq!(house.output(["logs", "done", "--follow"]), house.output(["logs", "done"]));
}

#[test]
fn cleared_rows_and_screens_of_full_screen_programs_are_there_too() {
    let house = House::new();
    let script =
        r"echo error; printf '\033[H\033[2J'; printf '\033[?1049h\033[Hframe\033[?1049l'; echo second";
    house.worker_with(&["--name", "done"], &["sh", "-c", script]).wait_for_rest();
    assert_eq!(house.output(["logs", "done"]), "error\nframe\nsecond\n");
    assert_eq!(house.output(["logs", "done"]), house.output(["export", "done", "--format", "text"]));
    assert_eq!(house.output(["logs", "done", "--follow"]), house.output(["logs", "done"]));
}

#[test]
fn the_output_of_a_live_worker_is_there_up_to_now() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "live"], &["sh", "-c", "echo one; echo two; read x"]);
    Watcher::watch(&worker).wait_for("two");
    wait_for("the recording", || (house.output(["logs", "live"]) == "one\ntwo\n").then_some(()));
}

#[test]
fn following_goes_on_until_the_end_and_misses_nothing() {
    let house = House::new();
    let script = "seq 1 500; while read x; do echo got $x; seq 1 500; done; exit 3";
    for options in [&["logs", "live", "--follow"][..], &["logs", "live", "--follow", "--raw"]] {
        let worker = house.worker_with(&["--name", "live"], &["sh", "-c", &format!("stty -echo; {script}")]);
        let mut follow = house.command(options).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(follow.stdout.take().unwrap());
        let mut seen = String::new();
        for word in ["one", "two"] {
            while !seen.ends_with("500\n") && !seen.ends_with("500\r\n") {
                assert!(output.read_line(&mut seen).unwrap() > 0, "{seen}");
            }
            worker.send(format!("{word}\r").as_bytes());
            assert!(output.read_line(&mut seen).unwrap() > 0, "{seen}");
        }
        // A host that changes its program is followed as well.
        house.output(["upgrade", "--force", "live"]);
        worker.send(b"\x04");
        output.read_to_string(&mut seen).unwrap();
        assert!(follow.wait().unwrap().success());
        let numbers: String = (1..=500).map(|number| format!("{number}\n")).collect();
        assert_eq!(seen.replace("\r\n", "\n"), format!("{numbers}got one\n{numbers}got two\n{numbers}"));
        house.output(["rm", "--force", "live"]);
    }
}

#[test]
fn logs_show_only_output_of_the_given_time() {
    let house = House::new();
    let script = "echo early; echo waiting; read x; echo late; echo end";
    let worker = house.worker_with(&["--name", "two"], &["sh", "-c", &format!("stty -echo; {script}")]);
    Watcher::watch(&worker).wait_for("waiting");
    wait_for("the recording", || worker.recorded().ends_with(b"waiting\r\n").then_some(()));
    // Times are told in microseconds, so a moment between the two is one that neither shares.
    let between = jiff::Timestamp::now().to_string();
    worker.send(b"\r");
    worker.wait_for_rest();
    assert_eq!(house.output(["logs", "two", "--since", &between]), "late\nend\n");
    assert_eq!(house.output(["logs", "two", "--until", &between]), "early\nwaiting\n");
    assert_eq!(house.output(["logs", "two", "--since", &between, "--raw"]), "late\r\nend\r\n");
    assert_eq!(house.output(["logs", "two", "--since", "1h"]), "early\nwaiting\nlate\nend\n");
    assert_eq!(house.output(["logs", "two", "--since", "+1h"]), "");
    let words = house.run(["logs", "two", "--since", "whenever"]);
    assert_eq!(words.status.code(), Some(2));
    assert!(String::from_utf8(words.stderr).unwrap().contains("03:00"));
}

#[test]
fn s38_secrets_are_masked_while_they_are_followed() {
    let house = House::new();
    for raw in [false, true] {
        let script = "stty -echo; echo ready; read x; printf 'pass'; printf 'word=hun'; \
                      printf 'ter2hunter2 ok\\n'; read x";
        let worker = house.worker_with(&["--name", "live"], &["sh", "-c", script]);
        let options = [&["logs", "live", "--follow"][..], if raw { &["--raw"] } else { &[] }].concat();
        let mut follow = house.command(options).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(follow.stdout.take().unwrap());
        let mut seen = String::new();
        output.read_line(&mut seen).unwrap();
        assert_eq!(seen.trim_end(), "ready");
        worker.send(b"\r");
        output.read_line(&mut seen).unwrap();
        assert!(seen.trim_end().ends_with("word=***REDACTED*** ok"), "{seen}");
        worker.send(b"\r");
        output.read_to_string(&mut seen).unwrap();
        assert!(follow.wait().unwrap().success());
        house.output(["rm", "--force", "live"]);
    }
}
