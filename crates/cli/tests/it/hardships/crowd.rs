//! Many workers at once.

use std::collections::HashSet;

use model::ExitStatus;
use protocol::ViewerMessage;
use testkit::Watcher;

use super::left_behind;
use crate::house::{House, Worker, is_alive};

/// Starts so many workers with so many viewers each. All are leased, all answer to all of their viewers, all end.
pub(crate) fn crowd(workers: u32, viewers_each: u32) {
    let house = House::with_keeper();
    let workers: Vec<Worker> =
        (0..workers).map(|_| house.leaky("while read x; do echo got $x; done")).collect();
    let mut watchers: Vec<Vec<Watcher>> =
        workers.iter().map(|worker| (0..viewers_each).map(|_| Watcher::watch(worker)).collect()).collect();
    for (number, worker) in workers.iter().enumerate() {
        worker.send(format!("{number}\r").as_bytes());
    }
    for (number, watchers) in watchers.iter_mut().enumerate() {
        for watcher in watchers {
            watcher.wait_for(&format!("got {number}"));
        }
    }
    let mut children = HashSet::new();
    for worker in &workers {
        worker.wait_for_lease();
        let status = worker.status();
        assert_eq!(status.viewers.len(), viewers_each as usize);
        assert!(is_alive(status.child_pid) && children.insert(status.child_pid), "a child of its own");
    }
    for (number, worker) in workers.iter().enumerate() {
        assert!(worker.recorded().ends_with(format!("got {number}\r\n").as_bytes()), "worker {number}");
        worker.connect().send(&ViewerMessage::Shutdown).unwrap();
    }
    for worker in &workers {
        assert_eq!(worker.wait_for_exit().status, ExitStatus::Killed { signal: 1 });
    }
    drop(watchers);
    left_behind::no_process(&house);
}
