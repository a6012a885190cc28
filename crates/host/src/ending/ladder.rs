//! The ladder by which a child is made to end.

use std::time::{Duration, Instant};

use rustix::process::Signal;

/// How long a child has to follow a hang-up before it is asked in words that shells do not ignore.
const HANG_UP: Duration = Duration::from_millis(300);

/// The step on the ladder that a child has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It was told that its terminal is gone.
    HungUp { since: Instant },
    /// It was asked to end.
    Asked { since: Instant },
    /// It was forced; there is nothing more to do.
    Forced,
}

impl Ending {
    /// The first step: a signal to send, and where the child then stands.
    pub(crate) fn begin(now: Instant) -> (Signal, Ending) {
        (Signal::HUP, Ending::HungUp { since: now })
    }

    /// When the next step is due.
    pub(crate) fn due(self, grace: Duration) -> Option<Instant> {
        match self {
            Ending::HungUp { since } => Some(since + HANG_UP),
            Ending::Asked { since } => Some(since + grace),
            Ending::Forced => None,
        }
    }

    /// The next step, if it is due.
    pub(crate) fn step(self, now: Instant, grace: Duration) -> Option<(Signal, Ending)> {
        if self.due(grace).is_none_or(|due| now < due) {
            return None;
        }
        Some(match self {
            Ending::HungUp { .. } => (Signal::TERM, Ending::Asked { since: now }),
            Ending::Asked { .. } | Ending::Forced => (Signal::KILL, Ending::Forced),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c1_the_ladder_ends_in_force() {
        let grace = Duration::from_secs(5);
        let start = Instant::now();
        let (first, ending) = Ending::begin(start);
        assert_eq!(first, Signal::HUP);
        assert_eq!(ending.step(start, grace), None, "not yet");
        let now = start + HANG_UP;
        let (second, ending) = ending.step(now, grace).unwrap();
        assert_eq!(second, Signal::TERM);
        assert_eq!(ending.step(now + grace / 2, grace), None, "not yet");
        let (third, ending) = ending.step(now + grace, grace).unwrap();
        assert_eq!((third, ending), (Signal::KILL, Ending::Forced));
        assert_eq!(ending.step(now + grace * 9, grace), None);
    }
}
