//! From the time of a recording to that of a picture.

use std::time::Duration;

/// Shortens pauses and changes the speed.
#[derive(Debug)]
pub(super) struct Clock {
    last_us: u64,
    /// Time of the picture.
    shown_us: u64,
    idle_limit_us: u64,
    speed: f64,
}

impl Clock {
    /// A clock that stands at zero when the recording is at `begin_us`.
    pub(super) fn new(begin_us: u64, idle_limit: Duration, speed: f64) -> Clock {
        let idle_limit_us = u64::try_from(idle_limit.as_micros()).unwrap_or(u64::MAX);
        Clock { last_us: begin_us, shown_us: 0, idle_limit_us, speed }
    }

    /// When something is shown that happened at this time; times are asked for in their order.
    pub(super) fn shown_ms(&mut self, time_us: u64) -> u64 {
        let passed_us = time_us.saturating_sub(self.last_us).min(self.idle_limit_us);
        self.last_us = self.last_us.max(time_us);
        self.shown_us += (passed_us as f64 / self.speed) as u64;
        self.shown_us.div_ceil(1000)
    }

    /// How much of the recording passes while so much of the picture does.
    pub(super) fn recorded_us(&self, shown_us: u64) -> u64 {
        (shown_us as f64 * self.speed) as u64
    }
}

/// A share of the whole, as key frames are written: in percent, with as few digits as tell milliseconds apart.
pub(super) fn percent(ms: u64, total_ms: u64) -> String {
    let share = ms * 1_000_000 / total_ms.max(1);
    let (whole, part) = (share / 10_000, share % 10_000);
    let part = format!("{part:04}");
    match part.trim_end_matches('0') {
        "" => format!("{whole}%"),
        part => format!("{whole}.{part}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_shortened_and_the_rest_is_sped_up() {
        let mut clock = Clock::new(1_000_000, Duration::from_secs(2), 2.0);
        assert_eq!(
            [1_000_000, 2_000_000, 60_000_000, 60_500_000].map(|us| clock.shown_ms(us)),
            [0, 500, 1500, 1750]
        );
        assert_eq!(clock.recorded_us(66_000), 132_000);
    }

    #[test]
    fn a_share_is_exact_to_a_millisecond_and_short() {
        assert_eq!([0, 1, 500, 1000].map(|ms| percent(ms, 1000)), ["0%", "0.1%", "50%", "100%"]);
        assert_eq!(percent(1, 40_000), "0.0025%");
        let hour = 3_600_000;
        for ms in [1, 999, 1_234_567] {
            assert_ne!(percent(ms, hour), percent(ms + 10, hour));
        }
    }
}
