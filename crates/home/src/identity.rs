//! Which process it is, beyond doubt.

use std::fs;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};

/// A process: its number, when it started and in which life of the machine. Numbers alone are used again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Identity {
    /// The process's number.
    pub pid: u32,
    /// When it started, in the kernel's ticks since boot.
    pub start_ticks: u64,
    /// In which life of the machine.
    pub boot_id: String,
}

impl Identity {
    /// The process of this number, as it is now.
    pub fn of(pid: u32) -> Option<Identity> {
        Some(Identity { pid, start_ticks: start_ticks(pid)?, boot_id: boot_id()? })
    }

    /// This process.
    pub fn own() -> Option<Identity> {
        Identity::of(getpid().as_raw_nonzero().get().cast_unsigned())
    }

    /// A descriptor of the process, if it still runs. It stays this process's even when its number is used again.
    pub fn open(&self) -> Option<OwnedFd> {
        let pid = Pid::from_raw(i32::try_from(self.pid).ok()?)?;
        let pidfd = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        // Asked after the descriptor was opened: if it is the same process now, it was so then.
        let same = Identity::of(self.pid).is_some_and(|now| now == *self);
        same.then_some(pidfd)
    }

    /// Whether the process still runs.
    pub fn is_alive(&self) -> bool {
        self.open().is_some()
    }

    /// Sends a signal to this process and to no other; false if it is gone.
    ///
    /// # Errors
    ///
    /// When the process is there and may not be signalled.
    pub fn signal(&self, signal: Signal) -> Result<bool, Errno> {
        match self.open().map(|pidfd| pidfd_send_signal(pidfd, signal)) {
            None | Some(Err(Errno::SRCH)) => Ok(false),
            Some(sent) => sent.map(|()| true),
        }
    }
}

/// The 22nd field of the process's `stat`; the second one is a name in parentheses, which may hold anything. A
/// process that has ended and was not collected yet counts as gone.
fn start_ticks(pid: u32) -> Option<u64> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let after_name = stat.iter().rposition(|&byte| byte == b')')? + 1;
    let mut fields = str::from_utf8(&stat[after_name..]).ok()?.split_ascii_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

fn boot_id() -> Option<String> {
    Some(fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s32_a_process_is_known_by_more_than_its_number() {
        let own = Identity::own().unwrap();
        assert!(own.is_alive());
        for other in [
            Identity { start_ticks: own.start_ticks + 1, ..own.clone() },
            Identity { boot_id: "another".into(), ..own.clone() },
        ] {
            assert!(!other.is_alive());
            assert_eq!(other.signal(Signal::KILL), Ok(false), "a reused number is never touched");
        }
    }

    #[test]
    fn a_process_that_ended_is_gone() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        child.wait().unwrap();
        assert!(Identity::of(pid).is_none_or(|identity| !identity.is_alive()));
    }
}
