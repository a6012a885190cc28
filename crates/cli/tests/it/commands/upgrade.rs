//! `abide upgrade`

use testkit::Watcher;

use crate::house::House;

#[test]
fn hosts_go_on_as_this_release_and_their_children_do_not_notice() {
    let house = House::new();
    let release = env!("CARGO_PKG_VERSION");
    house.worker_with(&["--name", "over"], &["true"]).wait_for_exit();
    let workers: Vec<_> = ["one", "two"]
        .into_iter()
        .map(|name| {
            house.worker_with(
                &["--name", name],
                &["sh", "-c", "echo before; while read x; do echo got $x; done"],
            )
        })
        .collect();
    let before: Vec<_> = workers.iter().map(|worker| worker.status().child_pid).collect();
    assert_eq!(house.output(["upgrade", "one"]), format!("one: has {release} already\n"));
    assert_eq!(house.output(["upgrade", "one", "--force"]), format!("one: {release} → {release}\n"));
    let all = house.output(["upgrade", "--all", "--force"]);
    assert_eq!(all, format!("one: {release} → {release}\ntwo: {release} → {release}\n"));
    for (worker, child) in workers.iter().zip(before) {
        assert_eq!(worker.status().child_pid, child);
        worker.send(b"this\r");
        let mut watcher = Watcher::watch(worker);
        watcher.wait_for("got this");
        assert!(watcher.terminal.text(100).starts_with("before\n"), "its screen came along");
    }
    assert!(house.refused(&["upgrade", "over"], 1).contains("has ended"));
}
