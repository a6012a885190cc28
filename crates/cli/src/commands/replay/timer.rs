//! A time to be woken at.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

/// A timer that the loop can wait for like for anything else.
pub(super) struct Timer {
    fd: OwnedFd,
}

impl Timer {
    /// One that is not set.
    pub(super) fn new() -> io::Result<Timer> {
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        Ok(Timer { fd: timerfd_create(TimerfdClockId::Monotonic, flags)? })
    }

    /// Readable when the time has come.
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Sets it anew; without a time, it never wakes anybody.
    pub(super) fn set(&self, at: Option<Instant>) -> io::Result<()> {
        let never = Timespec { tv_sec: 0, tv_nsec: 0 };
        let left = at.map(|at| at.saturating_duration_since(Instant::now()));
        // Nothing left means now, and zero would mean never.
        let left = left.map(|left| left.max(Duration::from_nanos(1)));
        let it_value = left.and_then(|left| Timespec::try_from(left).ok()).unwrap_or(never);
        timerfd_settime(&self.fd, TimerfdTimerFlags::empty(), &Itimerspec { it_interval: never, it_value })?;
        Ok(())
    }
}
