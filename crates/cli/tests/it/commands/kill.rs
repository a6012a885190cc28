//! `abide kill` and `abide rm`

use model::ExitStatus;
use testkit::Watcher;

use crate::house::{House, is_alive};

#[test]
fn a_signal_goes_to_the_childs_group_and_nothing_else_happens() {
    let house = House::new();
    let worker = house.worker_with(
        &["--name", "told"],
        &[
            "sh",
            "-c",
            "trap 'echo got USR1' USR1; trap 'echo got INT' INT; echo ready; while :; do sleep 0.05; done",
        ],
    );
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("ready");
    for (name, shown) in [("USR1", "got USR1"), ("SIGINT", "got INT"), ("10", "got USR1")] {
        let before = watcher.output.len();
        assert_eq!(house.output(["kill", "told", "--signal", name]), "");
        watcher
            .wait_until(shown, |watcher| String::from_utf8_lossy(&watcher.output[before..]).contains(shown));
    }
    house.output(["kill", "told", "--signal", "KILL"]);
    assert_eq!(worker.wait_for_exit().status, ExitStatus::Killed { signal: 9 });
    assert!(house.refused(&["kill", "told"], 1).contains("has ended: killed by SIGKILL"));
}

#[test]
fn a_live_worker_is_not_removed_unless_it_is_forced() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "dear"], &["sh", "-c", "echo ready; cat"]);
    let status = worker.status();
    let words = house.refused(&["rm", "dear"], 1);
    assert!(words.contains("worker `dear` is live") && words.contains("abide rm --force dear"), "{words}");
    assert!(worker.dir.path().exists() && is_alive(status.child_pid));
    house.output(["rm", "--force", "dear"]);
    assert!(!worker.dir.path().exists());
    assert!(!is_alive(status.child_pid) && !is_alive(status.host_pid));
    assert_eq!(house.output(["ls", "--json"]), "[]\n");
}

#[test]
fn rm_removes_what_it_can_and_names_the_rest() {
    let house = House::new();
    for name in ["one", "two"] {
        house.worker_with(&["--name", name], &["true"]).wait_for_exit();
    }
    house.worker_with(&["--name", "live"], &["cat"]);
    let output = house.run(["rm", "one", "live", "nobody", "two"]);
    assert_eq!(output.status.code(), Some(125));
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(words.contains("`live` is live") && words.contains("no worker `nobody`"), "{words}");
    assert_eq!(house.output(["ls"]).lines().count(), 2, "only the live one is left");
}
