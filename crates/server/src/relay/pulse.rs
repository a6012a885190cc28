//! Whether a socket's peer is still there.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::Keepalive;

/// Nobody is asked more often, whatever the settings say.
const SHORTEST: Duration = Duration::from_millis(10);

/// When a socket's peer was last heard of. Timers run only for the pings, so that a message costs none.
#[derive(Debug)]
pub(super) struct Pulse {
    keepalive: Keepalive,
    begun: Instant,
    /// In milliseconds since it begun.
    heard: AtomicU64,
    /// Whether nobody listens to the peer at the moment, so that its silence means nothing.
    busy: AtomicBool,
    ping: Notify,
}

impl Pulse {
    pub(super) fn new(keepalive: Keepalive) -> Pulse {
        Pulse {
            keepalive,
            begun: Instant::now(),
            heard: AtomicU64::new(0),
            busy: AtomicBool::new(false),
            ping: Notify::new(),
        }
    }

    /// The peer has given a sign of life.
    pub(super) fn heard(&self) {
        self.heard.store(self.now(), Ordering::Relaxed);
    }

    /// Whether somebody listens to the peer.
    pub(super) fn set_busy(&self, busy: bool) {
        self.busy.store(busy, Ordering::Relaxed);
    }

    /// Comes to an end when the peer is to be pinged.
    pub(super) async fn ping_due(&self) {
        self.ping.notified().await;
    }

    /// Comes to an end when a ping was not answered in time, by whatever sign of life. A ping that cannot be sent,
    /// because the peer takes nothing, is a ping as well.
    pub(super) async fn silence(&self) {
        let timeout = self.keepalive.pong_timeout.max(SHORTEST);
        let rest = self.keepalive.ping_interval.saturating_sub(timeout).max(SHORTEST);
        loop {
            sleep(rest).await;
            let asked = self.now();
            self.ping.notify_one();
            sleep(timeout).await;
            if self.is_silent_since(asked) {
                // Where we were the ones that stood still, its answer may be here and not have been looked at.
                sleep(SHORTEST).await;
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
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    const KEEPALIVE: Keepalive =
        Keepalive { ping_interval: Duration::from_millis(120), pong_timeout: Duration::from_millis(40) };

    #[tokio::test]
    async fn v2_a_peer_that_answers_no_ping_is_silent() {
        let pulse = Pulse::new(KEEPALIVE);
        tokio::select! {
            () = pulse.silence() => {}
            () = sleep(Duration::from_secs(20)) => panic!("nobody noticed"),
        }
    }

    #[tokio::test]
    async fn a_peer_that_answers_every_ping_is_there() {
        let pulse = Arc::new(Pulse::new(KEEPALIVE));
        let answering = pulse.clone();
        let answers = async move {
            for _ in 0..5 {
                answering.ping_due().await;
                answering.heard();
            }
        };
        tokio::select! {
            // However late both are looked at.
            biased;
            () = answers => {}
            () = pulse.silence() => panic!("it has answered"),
        }
    }

    #[tokio::test]
    async fn the_silence_of_one_to_whom_nobody_listens_means_nothing() {
        let pulse = Pulse::new(KEEPALIVE);
        pulse.set_busy(true);
        let twice = async {
            pulse.ping_due().await;
            pulse.ping_due().await;
        };
        tokio::select! {
            () = pulse.silence() => panic!("nobody listened"),
            () = twice => {}
        }
    }
}
