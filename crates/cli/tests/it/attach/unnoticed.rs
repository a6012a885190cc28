//! Faults and upgrades that an attached person does not notice, or hardly.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use model::{Epoch, Offset};
use rustix::process::Signal;
use testkit::Watcher;

use crate::attach::desk::{DETACH, Desk};
use crate::house::{House, wait_for};

/// Echoes lines.
const ECHO: &str = "stty -echo; echo ready; while read x; do echo got $x; done";

#[test]
fn a_flood_ends_with_the_right_screen_however_slow_the_window_is() {
    let house = House::new();
    let script = "echo ready; read x; yes 'a line of a flood, as long as lines are' | head -c 20000000; echo; echo the end; read x";
    let worker = house.worker_with(&["--name", "flood", "--size", "80x24"], &["sh", "-c", script]);
    let mut watcher = Watcher::watch(&worker);
    watcher.forget_output = true;
    let mut desk = Desk::attached(&house, (80, 24), "flood");
    desk.wait_for("ready");
    desk.send(b"\r");
    // Nothing is read from the window meanwhile, and the child does not wait for it.
    wait_for("the whole flood", || (worker.status().offset > Offset(20_000_000)).then_some(()));
    desk.wait_for("the end");
    watcher.wait_for("the end");
    desk.agrees_with(&mut watcher);
    desk.send(DETACH);
    assert_eq!(desk.wait_for_end(), 0);
}

#[test]
fn o1_keys_work_in_the_middle_of_a_flood() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "endless"], &["yes", "on and on and on"]);
    for size in [(80, 24), (60, 10)] {
        let mut desk = Desk::attached(&house, size, "endless");
        desk.wait_for("on and on");
        let before = worker.status().offset;
        desk.wait_until("more of the flood", |_| worker.status().offset > before);
        desk.detach();
    }
    let mut desk = Desk::attached(&house, (80, 24), "endless");
    desk.wait_for("on and on");
    desk.send(b"\x03");
    assert_eq!(desk.wait_for_end(), 128 + 2, "interrupted");
}

#[test]
fn p5_an_upgrade_is_not_noticed() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "echo", "--size", "80x24"], &["sh", "-c", ECHO]);
    let before = worker.status();
    let mut desk = Desk::attached(&house, (80, 24), "echo");
    desk.wait_for("ready");
    desk.send(b"zero\r");
    desk.wait_for("got zero");
    let printed = desk.printed().len();
    for number in 1..=5 {
        let words = house.output(["upgrade", "--force", "echo"]);
        assert!(words.contains('→'), "{words}");
        desk.send(format!("{number}\r").as_bytes());
        desk.wait_for(&format!("got {number}"));
    }
    let after = worker.status();
    assert_eq!((after.host_pid, after.child_pid), (before.host_pid, before.child_pid));
    let expected: String = (1..=5).map(|number| format!("got {number}\r\n")).collect();
    let printed = &desk.printed()[printed..];
    assert_eq!(
        printed.escape_ascii().to_string(),
        expected.as_bytes().escape_ascii().to_string(),
        "nothing was drawn anew"
    );
    desk.detach();
}

#[test]
fn p3_a_host_killed_under_a_lease_is_replaced_and_the_window_goes_on() {
    let house = House::with_keeper();
    let worker = house.worker_with(&["--name", "echo", "--size", "80x24"], &["sh", "-c", ECHO]);
    let child = worker.status().child_pid;
    let mut desk = Desk::attached(&house, (80, 24), "echo");
    desk.wait_for("ready");
    for number in 1..=3 {
        worker.wait_for_lease();
        // What is only in flight may be lost with the host.
        wait_for("the recording", || {
            let status = worker.status();
            (status.recording.recorded == status.offset).then_some(())
        });
        worker.kill_host();
        desk.wait_for_host(&worker, Epoch(1 + number));
        assert_eq!(worker.status().child_pid, child);
        desk.send(format!("{number}\r").as_bytes());
        desk.wait_for(&format!("got {number}"));
    }
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for_snapshot();
    desk.agrees_with(&mut watcher);
    let text = desk.screen.text(0);
    assert_eq!(text, "ready\ngot 1\ngot 2\ngot 3\n", "nothing is missing and nothing is there twice");
    desk.detach();
}

#[test]
fn every_window_shows_that_the_child_ended() {
    let house = House::new();
    house.worker_with(&["--name", "shared"], &["sh", "-c", "echo ready; read x; exit 6"]);
    let mut desks: Vec<Desk> = (0..3).map(|_| Desk::attached(&house, (80, 24), "shared")).collect();
    for desk in &mut desks {
        desk.wait_for("ready");
    }
    desks[1].send(b"\r");
    for desk in &mut desks {
        assert_eq!(desk.wait_for_end(), 6);
        assert!(desk.screen.text(0).contains("[shared exited 6]"));
    }
}

#[test]
fn p9_a_request_for_the_socket_ends_no_host_that_just_begins() {
    let house = House::new();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        // What a command does that finds a host and no socket yet, such as an attached window.
        scope.spawn(|| {
            let mut asked = BTreeSet::new();
            while !done.load(Ordering::Relaxed) {
                let hosts = house.home().worker_dirs().unwrap_or_default().into_iter();
                for host in hosts.filter_map(|dir| dir.identity()).filter(|host| asked.insert(host.pid)) {
                    let _ = host.signal(Signal::USR1);
                }
            }
        });
        let _stop = Stop(&done);
        for number in 1..=20 {
            let name = format!("w{number}");
            let worker = house.worker_with(&["--name", &name], &["cat"]);
            wait_for("its answer", || viewer::status(&worker.dir.socket()).ok());
            house.output(["rm", "--force", &name]);
        }
    });
}

/// Tells a thread to stop, also when something failed.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
