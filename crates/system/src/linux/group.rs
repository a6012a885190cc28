//! The processes of a process group.

use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::process::Process;
use super::processes;

/// The processes that are in this group now, also those that have ended and were not collected yet.
pub fn members(group: u32) -> Vec<Process> {
    let pids = processes::all().filter(|pid| processes::group(*pid) == Some(group));
    pids.filter_map(|pid| Process::open(pid).ok()).collect()
}

/// Waits until all of these have ended, and says whether they have. Removes those that have.
pub fn all_end(members: &mut Vec<Process>, deadline: Instant) -> bool {
    while !members.is_empty() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        let timeout = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        let mut fds: Vec<_> = members.iter().map(|member| PollFd::new(member, PollFlags::IN)).collect();
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return false,
        }
        let mut lives = fds.iter().map(|fd| fd.revents().is_empty()).collect::<Vec<_>>().into_iter();
        members.retain(|_| lives.next().unwrap_or(true));
    }
    true
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    use rustix::process::{Pid, Signal, kill_process_group};

    use super::super::soon::soon;
    use super::*;

    #[test]
    fn the_end_of_a_whole_group_is_seen() {
        let mut sh = Command::new("sh");
        sh.args(["-c", "sleep 600 & echo begun; exec sleep 600"]).process_group(0).stdout(Stdio::piped());
        let mut leader = sh.spawn().unwrap();
        let mut said = String::new();
        BufReader::new(leader.stdout.take().unwrap()).read_line(&mut said).unwrap();
        let mut both = members(leader.id());
        assert_eq!(both.len(), 2);
        assert!(!all_end(&mut both, Instant::now()));
        both[0].signal(Signal::KILL).unwrap();
        both[0].ends_before(soon()).unwrap();
        assert!(!all_end(&mut both, Instant::now()), "the other one lives");
        kill_process_group(Pid::from_child(&leader), Signal::KILL).unwrap();
        assert!(all_end(&mut both, soon().unwrap()));
        leader.wait().unwrap();
    }
}
