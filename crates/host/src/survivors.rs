//! Processes that a child started and that outlived it.

use std::fs;

use model::WorkerId;
use rustix::process::getpid;

/// How many processes carry the worker's id in their environment. We do too, and do not count.
pub(crate) fn count(worker: WorkerId, child_pid: u32) -> u32 {
    let mark = format!("ABIDE_WORKER={worker}");
    let own = getpid().as_raw_nonzero().get().cast_unsigned();
    let Ok(processes) = fs::read_dir("/proc") else { return 0 };
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let others = pids.filter(|pid| *pid != own && *pid != child_pid);
    let survivors = others.filter(|pid| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    });
    u32::try_from(survivors.count()).unwrap_or(u32::MAX)
}
