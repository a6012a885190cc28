//! Ends a process group: with SIGTERM first, and with SIGKILL if that takes too long.

use std::time::{Duration, Instant};

use home::Identity;
use rustix::process::{Pid, Signal, kill_process_group};
use system::Process;
use system::group::{all_end, members};

/// How long processes may take to clear up after themselves.
const GRACE: Duration = Duration::from_secs(2);

/// The kind of process that leads a group. It decides how long the leader may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leader {
    /// It may take as long as the others.
    Any,
    /// Git removes its lock files in the user's repository before it ends. On a busy machine that takes longer. A
    /// killed git leaves the lock files there, and then no git can work in that repository.
    Git,
}

impl Leader {
    fn grace(self) -> Duration {
        match self {
            Leader::Any => GRACE,
            Leader::Git => git::CLEARING_UP,
        }
    }
}

/// Ends all processes of a group, and waits until they have ended.
///
/// A group has no descriptor, and the kernel reuses numbers. So `is_still_there` checks, after the group's processes were
/// looked up, whether the number still means the same group. From then on it does, as long as one of those processes
/// lives.
pub(super) fn end(group: Pid, leader: Leader, is_still_there: impl Fn() -> bool) {
    let number = group.as_raw_nonzero().get().cast_unsigned();
    let mut members = members(number);
    let process = Process::open(number);
    if !is_still_there() {
        return;
    }
    for signal in [Signal::TERM, Signal::KILL] {
        // The processes may have ended just now.
        let _ = kill_process_group(group, signal);
        let signalled = Instant::now();
        if all_end(&mut members, signalled + GRACE) {
            return;
        }
        if let Ok(process) = &process {
            let _ = process.ends_before(Some(signalled + leader.grace()));
        }
    }
    tracing::warn!(group = group.as_raw_nonzero(), "a process group does not end");
}

/// Ends the group that a process of the last server leads, if that process still runs.
pub(super) fn end_left(leader: &Identity, kind: Leader) {
    if let Some(group) = Pid::from_raw(leader.pid.cast_signed()).filter(|_| leader.is_alive()) {
        tracing::info!(pid = leader.pid, "the last server left a process running, which is ended");
        end(group, kind, || leader.is_alive());
    }
}
