//! Processes that a child started and that outlived it.

use model::WorkerId;
use system::processes;

/// How many processes carry the worker's id in their environment. We do too, and do not count.
pub(crate) fn count(worker: WorkerId, child_pid: u32) -> u32 {
    let own = processes::this();
    let others = processes::all().filter(|pid| *pid != own && *pid != child_pid);
    let survivors = others.filter(|pid| processes::has_variable(*pid, "ABIDE_WORKER", worker.as_str()));
    u32::try_from(survivors.count()).unwrap_or(u32::MAX)
}
