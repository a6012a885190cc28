//! A process that is held by a descriptor (pidfd).

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, pidfd_open, pidfd_send_signal, waitid,
};

/// A process. It stays the same process even when its number is used again. As a descriptor, it is readable once the
/// process has ended.
#[derive(Debug)]
pub struct Process(OwnedFd);

impl Process {
    /// The process that has this number now.
    ///
    /// # Errors
    ///
    /// When there is no such process, or no descriptor left.
    pub fn open(pid: u32) -> rustix::io::Result<Process> {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
        Ok(Process(pidfd_open(pid.ok_or(Errno::SRCH)?, PidfdFlags::empty())?))
    }

    /// Sends it a signal.
    ///
    /// # Errors
    ///
    /// When it has ended, or may not be signalled.
    pub fn signal(&self, signal: Signal) -> rustix::io::Result<()> {
        pidfd_send_signal(&self.0, signal)
    }

    /// Waits for its end, and collects it. Only a parent learns how it ended.
    ///
    /// # Errors
    ///
    /// When it is no child of this process.
    pub fn wait(&self) -> rustix::io::Result<Option<WaitIdStatus>> {
        waitid(WaitId::PidFd(self.0.as_fd()), WaitIdOptions::EXITED)
    }

    /// Whether it has ended before the deadline. Without one, waits for ever.
    ///
    /// # Errors
    ///
    /// When the system fails.
    pub fn ends_before(&self, deadline: Option<Instant>) -> rustix::io::Result<bool> {
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            // A time that fits no clock is for ever.
            let left = left.and_then(|left| Timespec::try_from(left).ok());
            match poll(&mut [PollFd::new(&self.0, PollFlags::IN)], left.as_ref()) {
                Ok(ready) => return Ok(ready > 0),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl AsFd for Process {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// A process that another process opened and handed over.
impl From<OwnedFd> for Process {
    fn from(descriptor: OwnedFd) -> Process {
        Process(descriptor)
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::super::soon::soon;
    use super::*;

    fn sleeper() -> (Child, Process) {
        let child = Command::new("sleep").arg("600").spawn().unwrap();
        let process = Process::open(child.id()).unwrap();
        (child, process)
    }

    #[test]
    fn a_process_is_signalled_and_its_end_is_seen() {
        let (_child, process) = sleeper();
        assert_eq!(process.ends_before(Some(Instant::now())), Ok(false));
        process.signal(Signal::KILL).unwrap();
        assert_eq!(process.ends_before(soon()), Ok(true));
        let status = process.wait().unwrap().unwrap();
        assert_eq!(status.terminating_signal(), Some(Signal::KILL.as_raw()));
    }

    #[test]
    fn a_process_that_was_collected_is_never_signalled() {
        let (mut child, process) = sleeper();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(process.signal(Signal::KILL), Err(Errno::SRCH));
        assert_eq!(process.ends_before(soon()), Ok(true));
    }

    #[test]
    fn only_a_parent_learns_how_a_process_ended() {
        let parent =
            Process::open(rustix::process::getppid().unwrap().as_raw_nonzero().get().cast_unsigned());
        assert!(matches!(parent.unwrap().wait(), Err(Errno::CHILD)));
    }

    #[test]
    fn numbers_that_no_process_can_have_are_refused() {
        for pid in [0, u32::MAX, 1 << 31] {
            assert_eq!(Process::open(pid).map(drop), Err(Errno::SRCH), "{pid}");
        }
    }
}
