//! How an attachment begins and ends.

use testkit::Watcher;

use crate::attach::desk::{DETACH, Desk, looks};
use crate::house::House;

/// Says what reaches it, signals included.
const NOTICING: &str =
    "trap 'echo noticed' HUP WINCH CONT TERM; echo ready; while read x; do echo got $x; done";

#[test]
fn a_new_worker_is_attached_and_ends_with_its_childs_code() {
    let house = House::new();
    for (script, code, words) in [
        ("echo ready; read x; echo got $x; exit 0", 0, "exited 0"),
        ("echo ready; read x; echo got $x; exit 42", 42, "exited 42"),
        ("echo ready; read x; echo got $x; kill -TERM $$", 128 + 15, "killed by SIGTERM"),
    ] {
        let name = format!("code{code}");
        let mut desk = Desk::with(&house, (80, 24), &["new", "--name", &name, "--", "sh", "-c", script]);
        desk.wait_for("ready");
        assert!(desk.screen.on_alternate_screen(), "the person's own screen is left alone");
        desk.send(b"this\r");
        assert_eq!(desk.wait_for_end(), code, "{script}");
        let text = desk.screen.text(0);
        assert!(text.contains(&format!("[{name} {words}]")), "{text}");
        assert!(text.contains("got this"), "its last screen stays: {text}");
    }
}

#[test]
fn c4_every_byte_of_a_child_that_ends_at_once_is_shown() {
    let house = House::new();
    for last in [1, 5, 20] {
        let script = format!("seq 1 {last}; exit 7");
        let name = format!("quick{last}");
        let mut desk = Desk::with(&house, (40, 30), &["new", "--name", &name, "--", "sh", "-c", &script]);
        assert_eq!(desk.wait_for_end(), 7);
        let numbers: String = (1..=last).map(|number| format!("{number}\n")).collect();
        let expected = format!("$ abide\n{numbers}[{name} exited 7]\n[ended 7]\n");
        assert_eq!(desk.screen.text(0), expected);
    }
}

#[test]
fn a_recording_has_all_output_of_a_child_that_ends_at_once() {
    let house = House::new();
    let script = "seq 1 5000; exit 3";
    let mut desk = Desk::with(&house, (40, 10), &["new", "--name", "long", "--", "sh", "-c", script]);
    assert_eq!(desk.wait_for_end(), 3);
    let expected: String = (1..=5000).map(|number| format!("{number}\r\n")).collect();
    assert_eq!(house.output(["logs", "--raw", "long"]), expected);
}

#[test]
fn detaching_leaves_the_child_running_and_it_does_not_notice() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "calm", "--size", "80x24"], &["sh", "-c", NOTICING]);
    let mut watcher = Watcher::watch(&worker);
    let mut desk = Desk::attached(&house, (80, 24), "calm");
    desk.wait_for("ready");
    desk.send(b"one\r");
    desk.wait_for("got one");
    desk.agrees_with(&mut watcher);
    let before = looks(&desk.screen);
    desk.send(DETACH);
    assert_eq!(desk.wait_for_end(), 0);
    assert_eq!(desk.screen.text(0), "$ abide\n[detached from calm]\n[ended 0]\n");

    let mut desk = Desk::attached(&house, (80, 24), "calm");
    desk.agrees_with(&mut watcher);
    assert_eq!(looks(&desk.screen), before, "the same screen again");
    house.output(["send", "calm", "two", "--enter"]);
    desk.wait_for("got two");
    desk.agrees_with(&mut watcher);
    assert!(!desk.screen.text(0).contains("noticed"), "{}", desk.screen.text(0));
}

#[test]
fn the_key_that_detaches_can_be_set_and_the_default_is_then_the_childs() {
    let house = House::new().setting("ABIDE_DETACH_KEY", "ctrl-a q");
    let worker =
        house.worker_with(&["--name", "raw"], &["sh", "-c", "stty raw -echo; echo ready; exec cat -v"]);
    let mut desk = Desk::attached(&house, (80, 24), "raw");
    desk.wait_for("ready");
    desk.send(b"\x1cd");
    desk.wait_for("^\\d");
    desk.send(b"\x01x\x01\x01y");
    desk.wait_for("^Ax^Ay");
    desk.send(b"\x01q");
    assert_eq!(desk.wait_for_end(), 0);
    assert!(desk.screen.text(0).contains("[detached from raw]"), "{}", desk.screen.text(0));
    assert!(worker.status().viewers.is_empty());
}

#[test]
fn the_only_live_worker_needs_no_name_and_of_several_one_must_be_named() {
    let house = House::new();
    house.worker_with(&["--name", "over"], &["true"]).wait_for_exit();
    house.worker_with(&["--name", "alone"], &["sh", "-c", "echo here I am; read x"]);
    let mut desk = Desk::with(&house, (80, 24), &["attach"]);
    desk.wait_for("here I am");
    desk.detach();
    house.worker_with(&["--name", "second"], &["cat"]);
    let mut desk = Desk::with(&house, (80, 24), &["attach"]);
    assert_eq!(desk.wait_for_end(), 125);
    let text = desk.screen.text(0);
    assert!(text.contains("alone, second") && text.contains("hint: "), "{text}");
}
