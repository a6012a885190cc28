//! Cuts clients that read too slowly.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::time::{Sleep, sleep_until};

/// A client that has more to read takes at least [`LEAST_BYTES`] within this time.
const WINDOW: Duration = Duration::from_secs(30);

/// Less than any link that shows a terminal.
const LEAST_BYTES: usize = 64 * 1024;

/// Watches how fast a client reads.
#[derive(Debug, Default)]
pub(super) struct Slow {
    taking: Taking,
    /// Wakes the connection when the client must have taken enough.
    alarm: Option<Pin<Box<Sleep>>>,
}

impl Slow {
    /// Passes on the result of a write. Fails if the client has taken too little since it was first waited for.
    pub(super) fn wrote(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Ready(Ok(bytes)) => self.taking.took(*bytes, Instant::now()),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => {
                let Some(until) = self.taking.waits(Instant::now()) else {
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                };
                let until = until.into();
                let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep_until(until)));
                if alarm.deadline() != until {
                    alarm.as_mut().reset(until);
                }
                if alarm.as_mut().poll(context).is_ready() {
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
            }
        }
        written
    }
}

/// How much a client took since it first had to be waited for.
#[derive(Debug, Default)]
struct Taking {
    window: Option<(Instant, usize)>,
}

impl Taking {
    /// The client took some bytes.
    fn took(&mut self, bytes: usize, now: Instant) {
        if let Some((until, taken)) = &mut self.window {
            *taken += bytes;
            if *taken >= LEAST_BYTES || *until <= now {
                self.window = None;
            }
        }
    }

    /// There is more for the client, and it has to be waited for: until when. Nothing if it has taken too long.
    fn waits(&mut self, now: Instant) -> Option<Instant> {
        let (until, _) = self.window.get_or_insert((now + WINDOW, 0));
        (now < *until).then_some(*until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn s19_a_client_that_reads_nothing_is_cut() {
        let (mut taking, begun) = (Taking::default(), Instant::now());
        assert_eq!(taking.waits(begun), Some(begun + WINDOW));
        assert_eq!(taking.waits(begun + WINDOW - SECOND), Some(begun + WINDOW));
        assert_eq!(taking.waits(begun + WINDOW), None);
    }

    #[test]
    fn s19_a_client_that_reads_a_byte_now_and_then_is_cut() {
        let (mut taking, begun) = (Taking::default(), Instant::now());
        let mut now = begun;
        while taking.waits(now).is_some() {
            taking.took(1, now);
            now += SECOND;
        }
        assert_eq!(now, begun + WINDOW);
    }

    #[test]
    fn a_client_that_reads_enough_is_never_cut() {
        let (mut taking, mut now) = (Taking::default(), Instant::now());
        for _ in 0..100 {
            assert_eq!(taking.waits(now), Some(now + WINDOW), "another window has begun");
            now += WINDOW - SECOND;
            taking.took(LEAST_BYTES, now);
        }
    }

    #[test]
    fn a_quiet_time_does_not_count_as_slow() {
        let (mut taking, begun) = (Taking::default(), Instant::now());
        assert!(taking.waits(begun).is_some());
        // It takes the last bytes late, and then there is nothing for it for a while.
        let later = begun + WINDOW * 10;
        taking.took(1, later);
        assert_eq!(taking.waits(later), Some(later + WINDOW));
    }
}
