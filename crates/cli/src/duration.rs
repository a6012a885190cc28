//! Lengths of time, as people write and read them.

use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp};

/// A length of time in microseconds: `90s`, `1h30m`, `2d`. A number alone is in seconds, a day has 24 hours.
pub(crate) fn parse_us(text: &str) -> Option<u64> {
    let duration = match text.parse::<f64>() {
        Ok(seconds) => SignedDuration::try_from_secs_f64(seconds).ok()?,
        Err(_) => text.parse::<Span>().ok()?.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?,
    };
    u64::try_from(duration.as_micros()).ok()
}

/// How long ago something was, in the largest unit that fits.
pub(crate) fn age(since: Timestamp, now: Timestamp) -> String {
    let seconds = (now.as_second() - since.as_second()).max(0);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86400),
    }
}

/// How far into a recording: `1:05`, `2:00:09`.
pub(crate) fn clock(us: u64) -> String {
    let seconds = us / 1_000_000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_in_the_largest_unit_that_fits() {
        let at = |second| Timestamp::from_second(second).unwrap();
        for (seconds, expected) in [(-5, "0s"), (59, "59s"), (60, "1m"), (7300, "2h"), (200_000, "2d")] {
            assert_eq!(age(at(1000), at(1000 + seconds)), expected);
        }
    }

    #[test]
    fn a_clock_shows_hours_only_when_there_are_some() {
        let seconds = |seconds: u64| clock(seconds * 1_000_000);
        assert_eq!([0, 65, 3_599, 7_209].map(seconds), ["0:00", "1:05", "59:59", "2:00:09"]);
    }
}
