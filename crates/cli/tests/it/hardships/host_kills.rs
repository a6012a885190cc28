//! Hosts that are killed while the keeper holds their lease.

use model::{Epoch, ExitStatus};
use protocol::ViewerMessage;
use testkit::Watcher;

use super::left_behind;
use crate::house::{House, is_alive, wait_for};
use crate::numbers::{NUMBERS, gaps, numbers};

/// Kills a worker's host so many times. Its child prints on, and only output in flight is missing.
pub(crate) fn host_kills(kills: u32) {
    let house = House::with_keeper();
    let worker = house.leaky(NUMBERS);
    let child = worker.status().child_pid;
    let mut epoch = Epoch(1);
    for kill in 1..=kills {
        worker.wait_for_lease();
        let printed = worker.status().offset;
        worker.kill_host();
        let status = wait_for("another host", || {
            viewer::status(&worker.dir.socket()).ok().filter(|status| status.epoch > epoch)
        });
        assert_eq!(status.epoch, Epoch(1 + kill));
        assert_eq!(status.child_pid, child, "the same child");
        assert!(is_alive(child));
        epoch = status.epoch;
        // It prints on, and a new viewer sees it.
        wait_for("more output", || (worker.status().offset > printed).then_some(()));
    }
    worker.wait_for_lease();
    let printed = numbers(&worker);
    let jumps = printed.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
    assert!(printed.windows(2).all(|pair| pair[1] > pair[0]), "nothing twice, nothing out of order");
    assert_eq!(gaps(&worker), kills as usize, "each death is marked");
    assert!(jumps <= kills as usize, "only output in flight is missing: {jumps} jumps");
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("number");
    worker.connect().send(&ViewerMessage::Shutdown).unwrap();
    assert_eq!(
        worker.wait_for_exit().status,
        ExitStatus::Unknown,
        "the new host is not the parent, so it cannot know the exit code"
    );
    drop(watcher);
    left_behind::no_process(&house);
}
