//! A time to be woken at (timerfd).

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

/// A descriptor that becomes readable at a time, so that it can be waited for like any other.
#[derive(Debug)]
pub struct Timer(OwnedFd);

impl Timer {
    /// One that is not set.
    ///
    /// # Errors
    ///
    /// When the machine has no descriptors left.
    pub fn new() -> io::Result<Timer> {
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        Ok(Timer(timerfd_create(TimerfdClockId::Monotonic, flags)?))
    }

    /// Sets it anew, and forgets the time that was set before. A time that has passed is due at once. Without a time it
    /// is never due.
    ///
    /// # Errors
    ///
    /// When the system fails.
    pub fn set(&self, at: Option<Instant>) -> io::Result<()> {
        let never = Timespec { tv_sec: 0, tv_nsec: 0 };
        let left = at.map(|at| at.saturating_duration_since(Instant::now()));
        // Nothing left means now, and zero would mean never.
        let left = left.map(|left| left.max(Duration::from_nanos(1)));
        let it_value = left.and_then(|left| Timespec::try_from(left).ok()).unwrap_or(never);
        timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &Itimerspec { it_interval: never, it_value })?;
        Ok(())
    }

    /// Makes it wait for the next time that is set.
    pub fn clear(&self) {
        let _ = rustix::io::read(&self.0, &mut [0; 8]);
    }
}

impl AsFd for Timer {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::super::soon::SOON;
    use super::*;
    use crate::{Events, Ready, Reported};

    #[test]
    fn a_timer_is_due_once_at_the_time_that_was_set_last() {
        let timer = Timer::new().unwrap();
        let events = Events::new().unwrap();
        events.add(&timer, 1, Ready::READ).unwrap();
        let due = |within: Option<Duration>| {
            let mut reported: Vec<Reported> = Vec::new();
            events.wait(within, &mut reported).unwrap();
            !reported.is_empty()
        };
        let at_once = Some(Duration::ZERO);
        assert!(!due(at_once), "it was never set");
        timer.set(Some(Instant::now())).unwrap();
        assert!(due(Some(SOON)), "a time that has passed is due");
        timer.clear();
        assert!(!due(at_once), "it was due once");
        timer.set(Some(Instant::now())).unwrap();
        timer.set(Some(Instant::now() + Duration::from_secs(3600))).unwrap();
        assert!(!due(at_once), "the later setting counts");
        timer.set(Some(Instant::now())).unwrap();
        timer.set(None).unwrap();
        assert!(!due(at_once), "it was switched off");
    }
}
