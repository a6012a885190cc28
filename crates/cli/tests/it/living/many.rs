//! Many workers: at once, and one after the other.

use std::fs;

use model::ExitStatus;
use protocol::{ChildState, ViewerMessage};

use crate::hardships;
use crate::house::{House, Worker, for_each, is_alive};

/// The most memory of its own that a host without viewers takes, in any build.
const HOST_KB: u64 = 4 << 10;

/// Memory that is a process's own, and its share of what it has in common with others.
fn memory_kb(pid: u32) -> u64 {
    let map = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).expect("the process runs");
    let line = map.lines().find(|line| line.starts_with("Pss:")).expect("a share");
    line.split_whitespace().nth(1).expect("a number").parse().expect("a number")
}

#[test]
fn three_hundred_workers_live_at_once() {
    const WORKERS: usize = 300;
    let house = House::new();
    for_each(WORKERS, |number| {
        house.worker_with(&["--name", &format!("w{number}")], &["sh", "-c", "echo ready; exec sleep 1000"]);
    });
    let workers: Vec<Worker> = (0..WORKERS).map(|number| house.called(&format!("w{number}"))).collect();
    let hosts: Vec<u32> = workers
        .iter()
        .map(|worker| {
            let status = worker.status();
            assert_eq!((status.state, status.name.as_str()), (ChildState::Live, worker.name.as_str()));
            status.host_pid
        })
        .collect();
    let list: serde_json::Value = serde_json::from_str(&house.output(["ls", "--json"])).unwrap();
    let live = list.as_array().unwrap().iter().filter(|worker| worker["state"]["kind"] == "live");
    assert_eq!(live.count(), WORKERS);

    let memory: u64 = hosts.iter().map(|host| memory_kb(*host)).sum();
    assert!(memory < WORKERS as u64 * HOST_KB, "{memory} kB for {WORKERS} hosts");

    for worker in &workers {
        worker.connect().send(&ViewerMessage::Shutdown).expect("the host listens");
    }
    for (worker, host) in workers.iter().zip(hosts) {
        assert_eq!(worker.wait_for_exit().status, ExitStatus::Killed { signal: 1 });
        assert!(!is_alive(host));
    }
}

#[test]
fn c4_every_byte_of_a_child_that_prints_and_exits_at_once_arrives_before_its_end() {
    hardships::short_lives(1000, 8);
}
