//! Which process it is, beyond doubt.

use rustix::io::Errno;
use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use system::{Process, machine, processes};

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
        Some(Identity { pid, start_ticks: processes::start(pid)?, boot_id: machine::boot_id()? })
    }

    /// This process.
    pub fn own() -> Option<Identity> {
        Identity::of(processes::this())
    }

    /// The process, if it still runs.
    pub fn open(&self) -> Option<Process> {
        let process = Process::open(self.pid).ok()?;
        // Asked after the process was opened: if it is the same process now, it was so then.
        let same = Identity::of(self.pid).is_some_and(|now| now == *self);
        same.then_some(process)
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
        match self.open().map(|process| process.signal(signal)) {
            None | Some(Err(Errno::SRCH)) => Ok(false),
            Some(sent) => sent.map(|()| true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s32_a_process_is_identified_by_more_than_its_pid() {
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
