//! Attachments that are refused, and things that attaching does not do.

use model::TermSize;
use testkit::Watcher;

use crate::attach::desk::Desk;
use crate::house::{ABIDE, House};

#[test]
fn s9_a_read_only_attachment_sends_nothing_and_changes_nothing() {
    let house = House::new();
    let script = "stty -echo; echo ready; while read x; do echo got $x; done";
    let worker = house.worker_with(&["--name", "watched", "--size", "70x20"], &["sh", "-c", script]);
    let mut desk = Desk::with(&house, (90, 30), &["attach", "watched", "--read-only"]);
    desk.wait_for("ready");
    desk.send(b"evil\r");
    desk.resize(50, 12);
    desk.send(b"evil\r\x03\x1c\x04");
    // The window has taken those keys once it takes the next: it is left by a key.
    worker.send(b"good\r");
    desk.wait_for("got good");
    let viewers = worker.status().viewers;
    assert!(viewers.len() == 1 && viewers[0].read_only && !viewers[0].owns_size, "{viewers:?}");
    desk.detach();
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("got good");
    watcher.catch_up();
    assert_eq!(watcher.terminal.text(100), "ready\ngot good\n");
    assert_eq!(worker.status().size, TermSize::clamped(70, 20));
}

#[test]
fn a_worker_cannot_be_attached_inside_itself() {
    let house = House::new();
    let script = format!("'{ABIDE}' attach self; echo code $?; '{ABIDE}' attach; echo code $?; read x");
    let worker = house.worker_with(&["--name", "self"], &["sh", "-c", &script]);
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_until("both answers", |watcher| watcher.terminal.text(100).matches("code 125").count() == 2);
    let text = watcher.terminal.text(100);
    assert_eq!(
        text.matches("error: this terminal is worker `self`, which cannot attach to itself").count(),
        2,
        "{text}"
    );
    assert_eq!(text.matches("hint: attach to it from another terminal").count(), 2, "{text}");
}

#[test]
fn another_worker_can_be_attached_inside_a_worker() {
    let house = House::new();
    house.worker_with(
        &["--name", "inner"],
        &["sh", "-c", "echo the inner one; while read x; do echo got $x; done"],
    );
    let script = format!("'{ABIDE}' attach inner; echo code $?; read x");
    let outer = house.worker_with(&["--name", "outer"], &["sh", "-c", &script]);
    let mut watcher = Watcher::at_keyboard(&outer, 80, 24);
    watcher.wait_for("the inner one");
    watcher.send(b"this\r");
    watcher.wait_for("got this");
    watcher.send(b"\x1cd");
    watcher.wait_for("code 0");
}

#[test]
fn attach_without_a_terminal_is_refused_with_a_hint() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "x"], &["cat"]);
    let words = house.refused(&["attach", "x"], 125);
    assert!(words.contains("not a terminal") && words.contains("`abide screen x`"), "{words}");
    assert!(worker.status().viewers.is_empty());
}

#[test]
fn attaching_to_an_ended_or_unknown_worker_is_refused_with_a_hint_on_the_persons_own_screen() {
    let house = House::new();
    house.worker_with(&["--name", "over"], &["sh", "-c", "exit 4"]).wait_for_exit();
    for (name, words, hint) in [
        ("over", "error: worker `over` has ended: exited 4", "hint: `abide screen over`"),
        ("nobody", "error: there is no worker `nobody`", "hint: `abide ls`"),
    ] {
        let mut desk = Desk::with(&house, (80, 24), &["attach", name]);
        assert_eq!(desk.wait_for_end(), 125, "any other code would be taken for the child's");
        let text = desk.screen.text(0);
        assert!(text.contains(words) && text.contains(hint), "{text}");
        assert!(desk.has_its_settings());
        let printed = String::from_utf8_lossy(desk.printed());
        assert!(!printed.contains('\x1b'), "nothing was drawn: {printed:?}");
    }
}

#[test]
fn c6_a_new_worker_that_cannot_start_says_so_on_the_persons_own_screen() {
    let house = House::new();
    let mut desk = Desk::with(&house, (80, 24), &["new", "--", "no-such-command"]);
    assert_eq!(desk.wait_for_end(), 125);
    let text = desk.screen.text(0);
    assert!(
        text.contains("error: there is no command `no-such-command`") && text.contains("hint: "),
        "{text}"
    );
    assert!(desk.has_its_settings());
    assert_eq!(house.home().worker_dirs().unwrap().len(), 0);
}
