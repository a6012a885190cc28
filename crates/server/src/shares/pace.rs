//! How fast something may be done.

use std::time::{Duration, Instant};

/// A rate, and how much may be done at once after a quiet time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    pub(crate) per_second: u32,
    pub(crate) at_once: u32,
}

/// Keeps work to a rate: says for how long each piece has to wait.
#[derive(Debug)]
pub(super) struct Pace {
    rate: Rate,
    /// When all pieces so far will have been paid for at this rate.
    paid_at: Option<Instant>,
}

impl Pace {
    pub(super) fn new(rate: Rate) -> Pace {
        Pace { rate, paid_at: None }
    }

    /// How long a piece of this cost has to wait. Nothing if that is longer than `most`: then the piece is not counted,
    /// and must not be done.
    pub(super) fn wait(&mut self, cost: u32, now: Instant, most: Duration) -> Option<Duration> {
        let time = |pieces: u32| Duration::from_secs(1) * pieces / self.rate.per_second;
        let paid_at = self.paid_at.map_or(now, |paid_at| paid_at.max(now)) + time(cost);
        let wait = paid_at.saturating_duration_since(now).saturating_sub(time(self.rate.at_once));
        (wait <= most).then(|| {
            self.paid_at = Some(paid_at);
            wait
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { per_second: 10, at_once: 3 };
    const MOST: Duration = Duration::from_millis(250);

    #[test]
    fn s19_a_few_pieces_are_done_at_once_and_more_have_to_wait() {
        let (mut pace, now) = (Pace::new(RATE), Instant::now());
        let waits: Vec<Option<u128>> =
            (0..7).map(|_| pace.wait(1, now, MOST).map(|wait| wait.as_millis())).collect();
        assert_eq!(waits, [Some(0), Some(0), Some(0), Some(100), Some(200), None, None]);
        let later = now + Duration::from_millis(200);
        assert_eq!(
            pace.wait(1, later, MOST),
            Some(Duration::from_millis(100)),
            "refused pieces cost nothing"
        );
        let quiet = now + Duration::from_secs(60);
        assert_eq!(
            pace.wait(3, quiet, MOST),
            Some(Duration::ZERO),
            "a quiet time is worth no more than this"
        );
        assert_eq!(pace.wait(1, quiet, MOST), Some(Duration::from_millis(100)));
    }

    #[test]
    fn a_piece_may_cost_more_than_can_be_done_at_once() {
        let (mut pace, now) = (Pace::new(RATE), Instant::now());
        assert_eq!(pace.wait(5, now, MOST), Some(Duration::from_millis(200)));
    }
}
