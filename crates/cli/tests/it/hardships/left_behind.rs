//! Processes that a test left behind.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use testkit::WAIT;

use crate::house::House;

/// Waits until no process of this house is left, as long as one after the other ends: hosts seal their recordings at their
/// leisure, and there may be hundreds of them on a busy machine.
pub(crate) fn no_process(house: &House) {
    let (mut fewest, mut deadline) = (usize::MAX, Instant::now() + WAIT);
    loop {
        let left = processes_of(house.path());
        if left.is_empty() {
            return;
        }
        if left.len() < fewest {
            (fewest, deadline) = (left.len(), Instant::now() + WAIT);
        }
        assert!(Instant::now() < deadline, "left behind:\n{}", left.join("\n"));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Processes that have this directory in their arguments or in their environment, each with its arguments.
fn processes_of(root: &Path) -> Vec<String> {
    let root = root.to_str().expect("a plain name");
    let processes = fs::read_dir("/proc").expect("/proc");
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let others = pids.filter(|pid| *pid != std::process::id());
    others
        .filter_map(|pid| {
            let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
            let text = |file: &str| String::from_utf8_lossy(&read(file)).replace('\0', " ");
            let arguments = text("cmdline");
            let is_ours = arguments.contains(root) || text("environ").contains(root);
            is_ours.then(|| format!("{pid}: {arguments}"))
        })
        .collect()
}
