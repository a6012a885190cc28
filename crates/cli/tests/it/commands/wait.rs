//! `abide wait`

use std::process::Stdio;

use testkit::Watcher;

use crate::house::{House, wait_for};

/// Runs `abide wait` in the background while something happens; gives its exit code.
fn code(house: &House, arguments: &[&str], happens: impl FnOnce()) -> Option<i32> {
    let mut waiting = house.command(["wait"]);
    let mut waiting = waiting.args(arguments).stderr(Stdio::null()).spawn().unwrap();
    happens();
    waiting.wait().unwrap().code()
}

#[test]
fn with_exit_the_code_is_the_childs() {
    let house = House::new();
    for (script, expected) in
        [("read x; exit 0", 0), ("read x; exit 42", 42), ("read x; kill -KILL $$", 128 + 9)]
    {
        for option in [&["--exit"][..], &[]] {
            let worker = house.script(script);
            let name = worker.name.clone();
            let arguments = [&[name.as_str()], option].concat();
            assert_eq!(code(&house, &arguments, || worker.send(b"\r")), Some(expected), "{script}");
            assert_eq!(code(&house, &arguments, || ()), Some(expected), "and afterwards as well");
        }
    }
}

#[test]
fn a_text_is_waited_for_wherever_it_appears() {
    let house = House::new();
    let worker = house.worker_with(
        &["--name", "texts", "--size", "40x5"],
        &["sh", "-c", "echo first; while read x; do seq 1 100; echo \"item $x\"; seq 1 100; done"],
    );
    assert_eq!(code(&house, &["texts", "--text", "^first$"], || ()), Some(0));
    assert_eq!(code(&house, &["texts", "--text", "^item [0-9]+$"], || worker.send(b"77\r")), Some(0));
    assert_eq!(code(&house, &["texts", "--text", "item 77"], || ()), Some(0), "in the history by now");
    let never = ["texts", "--text", "never", "--timeout", "0.2"];
    assert!(house.refused(&[&["wait"], &never[..]].concat(), 1).contains("never showed `never`"));
    // It ends first.
    assert_eq!(code(&house, &["texts", "--text", "never"], || worker.send(b"\x04")), Some(1));
    assert_eq!(code(&house, &["texts", "--text", "item 77"], || ()), Some(0), "in the recording by now");
    assert!(house.refused(&["wait", "texts", "--text", "never"], 1).contains("exited 0"));
}

#[test]
fn wait_quiet_ends_when_nothing_was_printed_for_the_given_time() {
    let house = House::new();
    let worker =
        house.worker_with(&["--name", "clock"], &["sh", "-c", "while :; do echo tick; sleep 0.02; done"]);
    Watcher::watch(&worker).wait_for("tick");
    let loud = house.refused(&["wait", "clock", "--quiet", "3000", "--timeout", "0.5"], 1);
    assert!(loud.contains("never quiet for 3000 ms"), "{loud}");
    let quiet = code(&house, &["clock", "--quiet", "200"], || {
        house.output(["kill", "clock", "--signal", "STOP"]);
    });
    assert_eq!(quiet, Some(0));
    house.output(["kill", "clock", "--signal", "KILL"]);
    worker.wait_for_exit();
    assert!(house.refused(&["wait", "clock", "--quiet", "1"], 1).contains("SIGKILL"));
}

#[test]
fn a_timeout_is_reported_and_changes_nothing() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "slow"], &["cat"]);
    let words = house.refused(&["wait", "slow", "--timeout", "0.1"], 1);
    assert!(words.contains("after 0.1 s, worker `slow` still runs"), "{words}");
    wait_for("no viewers", || worker.status().viewers.is_empty().then_some(()));
}

#[test]
fn p3_wait_goes_on_when_the_host_is_killed() {
    let house = House::with_keeper();
    let worker = house.worker_with(&["--name", "kept"], &["sh", "-c", "read x; exit 5"]);
    worker.wait_for_lease();
    let words = code(&house, &["kept"], || {
        worker.kill_host();
        wait_for("another host", || {
            viewer::status(&worker.dir.socket()).ok().filter(|status| status.epoch.0 > 1)
        });
        worker.send(b"\r");
    });
    assert_eq!(words, Some(125), "how it ended is told only to the host that started it");
}
