//! Hosts that go on as another program.

use std::path::Path;

use model::ExitStatus;
use protocol::{HostMessage, Upgrade, ViewerMessage};
use testkit::Watcher;

use super::left_behind;
use crate::house::{ABIDE, House, receive, wait_for};
use crate::numbers::{gaps, numbers};

/// Upgrades a host so many times while one viewer types and another watches. Neither notices.
pub(crate) fn upgrades(upgrades: u64) {
    const KEYS_BETWEEN: u64 = 5;
    let house = House::new();
    let worker = house.leaky("i=0; while read x; do i=$((i+1)); echo number $i; done");
    let before = worker.status();
    let mut watcher = Watcher::at_keyboard(&worker, 80, 24);
    watcher.wait_for_snapshot();
    let mut typist = worker.connect();
    let program = Path::new(ABIDE).with_file_name("abide-host").display().to_string();
    for round in 0..upgrades {
        let mut connection = worker.connect();
        connection.send(&ViewerMessage::Upgrade(Upgrade { program: program.clone() })).unwrap();
        // Keys that are typed meanwhile must not be lost.
        for _ in 0..KEYS_BETWEEN {
            typist.send(&ViewerMessage::Input(b"\r".to_vec())).unwrap();
        }
        match receive(&mut connection) {
            HostMessage::Status(status) => assert_eq!(status.host_pid, before.host_pid, "the same process"),
            other => panic!("round {round}: {other:?}"),
        }
    }
    let typed = upgrades * KEYS_BETWEEN;
    let last = format!("number {typed}\r\n");
    watcher.wait_until(&last, |watcher| watcher.output.ends_with(last.as_bytes()));
    assert_eq!(watcher.snapshots, 1, "it never had to be drawn anew");
    let after = worker.status();
    assert_eq!((after.child_pid, after.epoch), (before.child_pid, before.epoch));
    wait_for("the recording", || (numbers(&worker).last() == Some(&typed)).then_some(()));
    assert_eq!(numbers(&worker), (1..=typed).collect::<Vec<_>>());
    assert_eq!(gaps(&worker), 0);
    worker.send(b"\x04");
    assert_eq!(worker.wait_for_exit().status, ExitStatus::Exited { code: 0 }, "still our own child");
    left_behind::no_process(&house);
}
