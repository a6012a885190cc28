//! Numbered output: a jump in the numbers shows that output is missing.

use recording::{BlockKind, Recording};

use crate::house::Worker;

/// Prints numbered lines, not faster than a person could not read either.
pub(crate) const NUMBERS: &str = "i=0; while :; do i=$((i+1)); echo number $i; sleep 0.002; done";

/// Every number that was recorded, in order.
pub(crate) fn numbers(worker: &Worker) -> Vec<u64> {
    let text = String::from_utf8_lossy(&worker.recorded()).into_owned();
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix("number "));
    lines.filter_map(|number| number.parse().ok()).collect()
}

/// The places where output is missing.
pub(crate) fn gaps(worker: &Worker) -> usize {
    let recording = Recording::open(&worker.dir.recording()).expect("a recording");
    recording.blocks().filter(|block| matches!(block.kind, BlockKind::Gap { .. })).count()
}
