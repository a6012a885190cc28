//! Which output is shown at once.

/// A program in the middle of a frame is waited for, but not longer than this.
const FRAME_US: u64 = 500_000;

/// Joins changes that come close together into one moment.
#[derive(Debug)]
pub(crate) struct Pace {
    moment_us: u64,
    undrawn: Option<Undrawn>,
}

/// Changes that are not drawn yet.
#[derive(Debug)]
struct Undrawn {
    since_us: u64,
    last_us: u64,
}

impl Pace {
    /// Joins what happens within `moment_us`.
    pub(crate) fn new(moment_us: u64) -> Pace {
        Pace { moment_us, undrawn: None }
    }

    /// The screen may have changed.
    pub(crate) fn changed(&mut self, time_us: u64) {
        let since_us = self.undrawn.as_ref().map_or(time_us, |undrawn| undrawn.since_us);
        self.undrawn = Some(Undrawn { since_us, last_us: time_us });
    }

    /// The time of a moment that is complete and must be drawn now: the next change, if there is one, comes too late
    /// to be part of it. `synchronized` says that a program is in the middle of a frame.
    pub(crate) fn due(&mut self, next_us: Option<u64>, synchronized: bool) -> Option<u64> {
        let undrawn = self.undrawn.as_ref()?;
        let whole_us = if synchronized { FRAME_US } else { self.moment_us };
        if next_us.is_some_and(|next_us| next_us < undrawn.since_us + whole_us) {
            return None;
        }
        self.undrawn.take().map(|undrawn| undrawn.last_us)
    }
}
