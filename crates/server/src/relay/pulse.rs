//! Checks whether a socket's peer is still there.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::Keepalive;
use crate::gate::{Clock, RealClock};

/// The shortest ping interval and timeout, for any settings.
const SHORTEST: Duration = Duration::from_millis(10);

/// When the server last received anything from a socket's peer. Timers run only for pings, so a message does not set
/// one.
#[derive(Debug)]
pub(super) struct Pulse<P = RealClock> {
    keepalive: Keepalive,
    clock: P,
    begun: Instant,
    /// In milliseconds since `begun`.
    heard: AtomicU64,
    /// Whether the server does not read from the peer at the moment. Silence then does not count.
    busy: AtomicBool,
    ping: Notify,
}

impl<P: Clock> Pulse<P> {
    pub(super) fn new(keepalive: Keepalive, clock: P) -> Pulse<P> {
        Pulse {
            keepalive,
            begun: clock.now(),
            clock,
            heard: AtomicU64::new(0),
            busy: AtomicBool::new(false),
            ping: Notify::new(),
        }
    }

    /// Notes that the peer sent something.
    pub(super) fn heard(&self) {
        self.heard.store(self.now(), Ordering::Relaxed);
    }

    /// Says whether the server is too busy to read from the peer.
    pub(super) fn set_busy(&self, busy: bool) {
        self.busy.store(busy, Ordering::Relaxed);
    }

    /// Ends when it is time to ping the peer.
    pub(super) async fn ping_due(&self) {
        self.ping.notified().await;
    }

    /// Ends when the peer sent nothing within the timeout after a ping. A ping that cannot be sent, because the peer
    /// reads nothing, counts too.
    pub(super) async fn silence(&self) {
        let timeout = self.keepalive.pong_timeout.max(SHORTEST);
        let rest = self.keepalive.ping_interval.saturating_sub(timeout).max(SHORTEST);
        loop {
            self.clock.wait(rest).await;
            let asked = self.now();
            self.ping.notify_one();
            self.clock.wait(timeout).await;
            if self.is_silent_since(asked) {
                // If this process stood still, the answer may have arrived but not have been read yet.
                self.clock.wait(SHORTEST).await;
                if self.is_silent_since(asked) {
                    return;
                }
            }
        }
    }

    fn is_silent_since(&self, asked: u64) -> bool {
        self.heard.load(Ordering::Relaxed) < asked && !self.busy.load(Ordering::Relaxed)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.clock.now().saturating_duration_since(self.begun).as_millis()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use jiff::Timestamp;

    use super::*;
    use crate::gate::Wait;

    const KEEPALIVE: Keepalive =
        Keepalive { ping_interval: Duration::from_millis(120), pong_timeout: Duration::from_millis(40) };

    /// More waits than any test needs. The clock panics here, so a test cannot run forever.
    const MOST_WAITS: u32 = 100;

    /// A clock that only waits move. A wait first lets all other ready tasks run, and then moves the clock at once.
    #[derive(Clone)]
    struct Waited {
        begun: Instant,
        passed: Arc<Mutex<(Duration, u32)>>,
    }

    impl Waited {
        fn new() -> Waited {
            Waited { begun: Instant::now(), passed: Arc::default() }
        }

        fn passed(&self) -> Duration {
            self.passed.lock().unwrap().0
        }
    }

    impl Clock for Waited {
        fn now(&self) -> Instant {
            self.begun + self.passed()
        }

        fn wall(&self) -> Timestamp {
            Timestamp::UNIX_EPOCH
        }

        fn wait(&self, time: Duration) -> Wait {
            let passed = self.passed.clone();
            Box::pin(async move {
                tokio::task::yield_now().await;
                let (passed, waits) = &mut *passed.lock().unwrap();
                *passed += time;
                *waits += 1;
                assert!(*waits < MOST_WAITS, "{passed:?} have passed");
            })
        }
    }

    #[tokio::test]
    async fn v2_a_peer_that_answers_no_ping_is_silent() {
        let clock = Waited::new();
        Pulse::new(KEEPALIVE, clock.clone()).silence().await;
        // One interval, and the short extra time for a late answer.
        assert_eq!(clock.passed(), KEEPALIVE.ping_interval + SHORTEST);
    }

    #[tokio::test]
    async fn a_peer_that_answers_every_ping_is_not_silent() {
        let pulse = Pulse::new(KEEPALIVE, Waited::new());
        let answers = async {
            for _ in 0..5 {
                pulse.ping_due().await;
                pulse.heard();
            }
        };
        tokio::select! {
            biased;
            () = answers => {}
            () = pulse.silence() => panic!("the peer has answered"),
        }
    }

    #[tokio::test]
    async fn a_peer_that_stops_answering_is_silent_after_its_next_ping() {
        let clock = Waited::new();
        let pulse = Pulse::new(KEEPALIVE, clock.clone());
        let answers = async {
            for _ in 0..3 {
                pulse.ping_due().await;
                pulse.heard();
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            biased;
            () = answers => {}
            () = pulse.silence() => {}
        }
        assert_eq!(clock.passed(), 4 * KEEPALIVE.ping_interval + SHORTEST);
    }

    #[tokio::test]
    async fn silence_does_not_count_while_the_peer_is_not_read() {
        let pulse = Pulse::new(KEEPALIVE, Waited::new());
        pulse.set_busy(true);
        let twice = async {
            pulse.ping_due().await;
            pulse.ping_due().await;
        };
        tokio::select! {
            biased;
            () = twice => {}
            () = pulse.silence() => panic!("the peer was not read"),
        }
    }
}
