//! Waking a thread that waits for descriptors (eventfd).

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{EventfdFlags, eventfd};

/// A descriptor that becomes readable when a thread wakes it.
#[derive(Debug)]
pub struct Waker(OwnedFd);

impl Waker {
    /// One that was not woken.
    ///
    /// # Errors
    ///
    /// When the machine has no descriptors left.
    pub fn new() -> io::Result<Waker> {
        Ok(Waker(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    /// Makes it readable.
    pub fn wake(&self) {
        // Fails only when it has been woken 2^64 times and was never cleared.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Makes it wait for the next wake.
    pub fn clear(&self) {
        let _ = rustix::io::read(&self.0, &mut [0; 8]);
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::soon::SOON;
    use super::*;
    use crate::{Events, Ready};

    #[test]
    fn a_waker_wakes_another_thread_and_stays_readable_until_it_is_cleared() {
        let waker = Waker::new().unwrap();
        let events = Events::new().unwrap();
        events.add(&waker, 1, Ready::READ).unwrap();
        let woken = |within: Option<Duration>| {
            let mut reported = Vec::new();
            events.wait(within, &mut reported).unwrap();
            reported.len()
        };
        assert_eq!(woken(Some(Duration::ZERO)), 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                waker.wake();
                waker.wake();
            });
            assert_eq!(woken(Some(SOON)), 1);
        });
        assert_eq!(woken(Some(Duration::ZERO)), 1);
        waker.clear();
        assert_eq!(woken(Some(Duration::ZERO)), 0, "one clearing is enough for all wakes");
        waker.clear();
    }
}
