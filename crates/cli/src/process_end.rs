//! Waiting for a process to end.

use std::os::fd::AsFd;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Whether the process of a descriptor has ended before the deadline; without one, waits for ever.
pub(crate) fn ends_before(pidfd: &impl AsFd, deadline: Option<Instant>) -> Result<bool, Errno> {
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        // A time that fits no clock is for ever.
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut [PollFd::new(pidfd, PollFlags::IN)], left.as_ref()) {
            Ok(ready) => return Ok(ready > 0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
}
