//! New output that is held back, because it may be a part of a secret.

use std::time::Duration;

use home::WorkerDir;
use jiff::Timestamp;

/// A program that prints on does so sooner than this; the second half of a secret comes right behind the first.
const HELD_BACK: Duration = Duration::from_millis(250);

/// Holds back the output that a worker printed just before it is read: the masks do not recognise half of a secret.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held {
    /// From behind this time up to and including the other. A clock that was set back may have given later ones, which
    /// say nothing about how old a block is.
    times_us: (u64, u64),
}

impl Held {
    /// What is held back of a worker now. Nothing if it has ended, because its output is complete.
    pub fn of(dir: &WorkerDir) -> Held {
        if dir.exit_note().is_some() {
            return Held::default();
        }
        let now_us = u64::try_from(Timestamp::now().as_microsecond()).unwrap_or(0);
        Held { times_us: (now_us.saturating_sub(HELD_BACK.as_micros() as u64), now_us) }
    }

    /// Holds back output printed after the first time, up to and including the second.
    pub fn between(from_us: u64, to_us: u64) -> Held {
        Held { times_us: (from_us, to_us) }
    }

    /// Whether output of this time is held back.
    pub fn holds(self, time_us: u64) -> bool {
        let (from_us, to_us) = self.times_us;
        time_us > from_us && time_us <= to_us
    }
}
