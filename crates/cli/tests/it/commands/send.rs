//! `abide send`

use std::io::Write;
use std::process::Stdio;

use testkit::Watcher;

use crate::house::{House, Worker};

/// A worker that shows every byte it is sent, after it has printed something.
fn showing(house: &House, printed: &str) -> (Worker, Watcher) {
    let script = format!("stty raw -echo; printf '{printed}'; echo ready; exec cat -v");
    let worker = house.worker_with(&["--name", "raw"], &["sh", "-c", &script]);
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("ready");
    (worker, watcher)
}

/// Sends, and waits until the worker shows that this was sent.
fn check(house: &House, watcher: &mut Watcher, arguments: &[&str], shown: &str) {
    let before = watcher.output.len();
    assert_eq!(house.output([&["send", "raw"], arguments].concat()), "");
    watcher.wait_until(shown, |watcher| watcher.output.len() - before >= shown.len());
    assert_eq!(String::from_utf8_lossy(&watcher.output[before..]), shown, "{arguments:?}");
}

#[test]
fn text_is_typed_as_it_is() {
    let house = House::new();
    let (worker, mut watcher) = showing(&house, "");
    check(&house, &mut watcher, &["text"], "text");
    check(&house, &mut watcher, &["several", "words"], "several words");
    check(&house, &mut watcher, &["line", "--enter"], "line^M");
    check(&house, &mut watcher, &["--enter"], "^M");
    check(&house, &mut watcher, &["--", "-n", "--enter"], "-n --enter");
    check(&house, &mut watcher, &["é\x03"], "M-CM-)^C");
    assert!(worker.status().viewers.iter().all(|viewer| viewer.name == "test"));
}

#[test]
fn pasted_text_has_no_controls_and_comes_in_brackets_if_the_program_wants_them() {
    let house = House::new();
    let (_worker, mut watcher) = showing(&house, "");
    check(&house, &mut watcher, &["--paste", "two\nlines\x1b[201~\x03"], "two^Mlines[201~");
    drop(watcher);
    house.output(["rm", "--force", "raw"]);
    let (_worker, mut watcher) = showing(&house, r"\033[?2004h");
    check(&house, &mut watcher, &["--paste", "text", "--enter"], "^[[200~text^[[201~^M");
    check(&house, &mut watcher, &["text"], "text");
}

#[test]
fn keys_are_sent_as_the_modes_of_the_program_require() {
    let house = House::new();
    let (_worker, mut watcher) = showing(&house, "");
    check(&house, &mut watcher, &["--keys", "C-c", "Up", "Enter", "M-x", "F5", "Tab"], "^C^[[A^M^[x^[[15~\t");
    drop(watcher);
    house.output(["rm", "--force", "raw"]);
    let (_worker, mut watcher) = showing(&house, r"\033[?1h");
    check(&house, &mut watcher, &["--keys", "Up", "Home", "C-Up"], "^[OA^[OH^[[1;5A");
    let words = house.refused(&["send", "raw", "--keys", "Nonsense"], 2);
    assert!(words.contains("Nonsense"), "{words}");
}

#[test]
fn standard_input_is_sent_to_its_end() {
    let house = House::new();
    let script = "stty raw -echo; echo ready; head -c 300000 > typed; echo done; read x";
    let worker = house.worker_with(&["--name", "raw"], &["sh", "-c", script]);
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("ready");
    let text: Vec<u8> = (0..300_000_u32).map(|n| b'a' + u8::try_from(n % 26).unwrap()).collect();
    for arguments in [&["send", "raw"][..], &["send", "raw", "-"]] {
        let mut abide = house.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        // More than the program's terminal takes at once: it must be sent again and again.
        abide.stdin.take().unwrap().write_all(&text[..150_000]).unwrap();
        assert!(abide.wait().unwrap().success());
    }
    watcher.wait_for("done");
    let typed = std::fs::read(house.path().join("typed")).unwrap();
    assert!(typed == [&text[..150_000], &text[..150_000]].concat(), "{} bytes", typed.len());
}

#[test]
fn c7_input_that_is_not_read_is_reported() {
    let house = House::new();
    let worker =
        house.worker_with(&["--name", "deaf"], &["sh", "-c", "stty raw -echo; echo ready; sleep 1000"]);
    Watcher::watch(&worker).wait_for("ready");
    let text = house.path().join("text");
    std::fs::write(&text, vec![b'x'; 4 << 20]).unwrap();
    let mut command = house.command(["send", "deaf"]);
    let output = command.stdin(std::fs::File::open(&text).unwrap()).output().unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("does not read its input") && words.contains("hint: "), "{words}");
}
