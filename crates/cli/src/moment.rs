//! Moments, as people write and read them.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use thiserror::Error;

use crate::duration;

/// A moment that a person names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// So many microseconds before now.
    Ago(u64),
    /// So many microseconds after the recording begins.
    FromStart(u64),
    /// In microseconds since the Unix epoch.
    At(u64),
    /// A time of day: the last one that is past.
    TimeOfDay(Time),
}

/// Why a text is no moment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a moment; write how long ago (10m, 2h, 3d), a time (03:00), a date and time (2026-01-31 03:00), or how far into the recording (+90s)"
)]
pub(crate) struct ParseMomentError(String);

impl std::str::FromStr for Moment {
    type Err = ParseMomentError;

    fn from_str(text: &str) -> Result<Moment, ParseMomentError> {
        let text = text.trim();
        let ours = match text.strip_prefix('+') {
            Some(rest) => duration::parse_us(rest).map(Moment::FromStart),
            None => duration::parse_us(text).map(Moment::Ago),
        };
        ours.or_else(|| at(text)).ok_or_else(|| ParseMomentError(model::display_safe(text)))
    }
}

impl Moment {
    /// In microseconds since the Unix epoch, for a recording that begins then.
    pub(crate) fn time_us(self, begins_us: u64) -> u64 {
        match self {
            Moment::Ago(us) => time_us(Timestamp::now()).saturating_sub(us),
            Moment::FromStart(us) => begins_us.saturating_add(us),
            Moment::At(us) => us,
            Moment::TimeOfDay(time) => last(time, &Zoned::now()),
        }
    }
}

fn at(text: &str) -> Option<Moment> {
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Some(Moment::At(time_us(timestamp)));
    }
    if let Ok(datetime) = text.parse::<DateTime>() {
        return local(datetime).map(Moment::At);
    }
    if let Ok(date) = text.parse::<Date>() {
        return local(date.at(0, 0, 0, 0)).map(Moment::At);
    }
    text.parse::<Time>().ok().map(Moment::TimeOfDay)
}

fn local(datetime: DateTime) -> Option<u64> {
    Some(time_us(datetime.to_zoned(TimeZone::system()).ok()?.timestamp()))
}

/// The last time that it was this time of day.
fn last(time: Time, now: &Zoned) -> u64 {
    let on = |date: Date| date.to_datetime(time).to_zoned(now.time_zone().clone()).ok();
    let today = on(now.date()).filter(|today| today <= now);
    let moment = today.or_else(|| on(now.date().yesterday().ok()?));
    moment.map_or(0, |moment| time_us(moment.timestamp()))
}

fn time_us(timestamp: Timestamp) -> u64 {
    u64::try_from(timestamp.as_microsecond()).unwrap_or(0)
}

fn timestamp(time_us: u64) -> Timestamp {
    let us = i64::try_from(time_us).unwrap_or(i64::MAX);
    Timestamp::from_microsecond(us).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// A time for programs.
pub(crate) fn rfc3339(time_us: u64) -> String {
    format!("{:.3}", timestamp(time_us))
}

/// A time for people: where they are, to the second.
pub(crate) fn local_time(time_us: u64) -> String {
    timestamp(time_us).to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_in_many_ways() {
        assert_eq!("10m".parse(), Ok(Moment::Ago(600_000_000)));
        assert_eq!("1h30m".parse(), Ok(Moment::Ago(5_400_000_000)));
        assert_eq!("1.5s".parse(), Ok(Moment::Ago(1_500_000)));
        assert_eq!("2d".parse(), Ok(Moment::Ago(172_800_000_000)));
        assert_eq!("1w".parse(), Ok(Moment::Ago(604_800_000_000)));
        assert_eq!("250ms".parse(), Ok(Moment::Ago(250_000)));
        assert_eq!("+90".parse(), Ok(Moment::FromStart(90_000_000)));
        assert_eq!("1970-01-02T00:00:00Z".parse(), Ok(Moment::At(86_400_000_000)));
        assert_eq!("03:15".parse(), Ok(Moment::TimeOfDay(Time::constant(3, 15, 0, 0))));
        let local: Moment = "2026-01-31 03:00".parse().unwrap();
        assert_eq!(local_time(local.time_us(0)), "2026-01-31 03:00:00");
        assert!(matches!("2026-01-31".parse(), Ok(Moment::At(_))));
    }

    #[test]
    fn a_bad_moment_is_refused_with_examples() {
        for text in ["", "soon", "10", "-5m", "m", "5x", "25:00", "2026-13-01", "1e30d", "nan", "inf"] {
            match text.parse::<Moment>() {
                Err(error) => assert!(error.to_string().contains("10m"), "{error}"),
                Ok(moment) => assert_eq!((text, moment), ("10", Moment::Ago(10_000_000))),
            }
        }
    }

    #[test]
    fn a_time_of_day_is_the_last_one_that_is_past() {
        let now = "2026-01-31T12:00[UTC]".parse::<Zoned>().unwrap();
        let at = |hour| rfc3339(last(Time::constant(hour, 0, 0, 0), &now));
        assert_eq!(at(11), "2026-01-31T11:00:00.000Z");
        assert_eq!(at(13), "2026-01-30T13:00:00.000Z");
    }
}
