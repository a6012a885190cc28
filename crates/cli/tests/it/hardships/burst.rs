//! Children that print more than fits into memory.

use std::fs;

use model::{ExitStatus, Offset};
use testkit::{Watcher, resident_kb};

use super::left_behind;
use crate::house::{House, Worker, is_alive, wait_for};
use crate::numbers::gaps;

/// How much a host may grow in a burst of any length.
const MOST_GROWTH_KB: u64 = 64 << 10;

/// The most that a recording holds.
const MOST_RECORDED_BYTES: u64 = 64 << 20;

/// Has a child print all numbers up to the last one, while a viewer does not read. The host's memory stays bounded,
/// every byte is counted, and what is kept of them is their end without a hole.
pub(crate) fn burst(last: u64) {
    let house = House::new();
    let worker = house.script(&format!("read x; seq 1 {last}; echo the end; read x"));
    let mut stalled = Watcher::watch(&worker);
    stalled.wait_for_snapshot();
    let child = worker.status().child_pid;
    let printed = "\r\n".len() as u64 + bytes_up_to(last) + "the end\r\n".len() as u64;
    let growth = growth_kb(&worker, printed);
    assert!(growth < MOST_GROWTH_KB, "grew by {growth} kB");
    let mut late = Watcher::watch(&worker);
    late.wait_for("the end");
    assert_eq!(worker.status().offset, Offset(printed), "every byte counts");
    assert!(is_alive(child));
    worker.send(b"\r");
    assert_eq!(worker.wait_for_exit().status, ExitStatus::Exited { code: 0 });
    assert_eq!(gaps(&worker), 0);
    assert!(recorded_bytes(&worker) <= MOST_RECORDED_BYTES, "{} bytes", recorded_bytes(&worker));
    let recorded = String::from_utf8(worker.recorded()).expect("numbers");
    let (_, whole_lines) = recorded.split_once("\r\n").expect("lines");
    let kept: Vec<u64> = whole_lines.lines().map_while(|line| line.parse().ok()).collect();
    assert_eq!(kept.last(), Some(&last));
    assert!(kept.windows(2).all(|pair| pair[1] == pair[0] + 1), "no hole");
    drop((stalled, late));
    left_behind::no_process(&house);
}

/// Presses Enter, and sees how much a host grows until its child has printed so much.
pub(crate) fn growth_kb(worker: &Worker, printed: u64) -> u64 {
    /// The test waits for so many bytes at a time, each time with the usual deadline.
    const STEP_BYTES: u64 = 50 << 20;
    let host = worker.status().host_pid;
    let before = resident_kb(host);
    let mut most = before;
    worker.send(b"\r");
    for step in (STEP_BYTES..printed).step_by(STEP_BYTES as usize).chain([printed]) {
        wait_for(&format!("{step} bytes"), || {
            most = most.max(resident_kb(host));
            (worker.status().offset >= Offset(step)).then_some(())
        });
    }
    most - before
}

fn recorded_bytes(worker: &Worker) -> u64 {
    let files = fs::read_dir(worker.dir.recording()).expect("a recording");
    files.map(|file| file.and_then(|file| file.metadata()).expect("a segment").len()).sum()
}

/// How many bytes a terminal gets when `seq 1 LAST` prints.
fn bytes_up_to(last: u64) -> u64 {
    let lines_with = |digits: u32| 10_u64.pow(digits).min(last + 1) - 10_u64.pow(digits - 1);
    (1..=last.ilog10() + 1).map(|digits| lines_with(digits) * (u64::from(digits) + 2)).sum()
}

#[test]
fn a_burst_has_the_computed_length() {
    for last in [1, 9, 10, 99, 100, 12_345] {
        let printed: u64 = (1..=last).map(|n| format!("{n}\r\n").len() as u64).sum();
        assert_eq!(bytes_up_to(last), printed, "{last}");
    }
}
