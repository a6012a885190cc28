//! The hours in which a person wants to hear nothing.

use std::fmt;
use std::str::FromStr;

use jiff::Zoned;
use jiff::civil::Time;
use thiserror::Error;

/// A part of each day, by the clock on the wall. It may go over midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietHours {
    from: Time,
    to: Time,
}

/// Why a text names no hours.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not two different times of the day with a `-` between them")]
pub struct ParseQuietHoursError(String);

impl QuietHours {
    /// When the quiet that is now ends; nothing if it is not quiet.
    pub fn ends(&self, now: &Zoned) -> Option<Zoned> {
        let time = now.time();
        let is_quiet = match self.from < self.to {
            true => self.from <= time && time < self.to,
            false => self.from <= time || time < self.to,
        };
        if !is_quiet {
            return None;
        }
        let date = if time < self.to { now.date() } else { now.date().tomorrow().ok()? };
        date.to_datetime(self.to).to_zoned(now.time_zone().clone()).ok()
    }
}

impl FromStr for QuietHours {
    type Err = ParseQuietHoursError;

    fn from_str(text: &str) -> Result<QuietHours, ParseQuietHoursError> {
        let hours = text.split_once('-').and_then(|(from, to)| Some((time(from)?, time(to)?)));
        let (from, to) = hours
            .filter(|(from, to)| from != to)
            .ok_or_else(|| ParseQuietHoursError(model::display_safe(text)))?;
        Ok(QuietHours { from, to })
    }
}

/// A time like `7:30` or `22:00`.
fn time(text: &str) -> Option<Time> {
    let (hour, minute) = text.trim().split_once(':')?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(hour) || !is_number(minute) || minute.len() != 2 {
        return None;
    }
    Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
}

impl fmt::Display for QuietHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.from, self.to);
        write!(f, "{:02}:{:02}-{:02}:{:02}", from.hour(), from.minute(), to.hour(), to.minute())
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::*;

    fn at(hour: i8, minute: i8) -> Zoned {
        date(2026, 3, 1).at(hour, minute, 0, 0).to_zoned(TimeZone::UTC).unwrap()
    }

    #[test]
    fn quiet_hours_may_go_over_midnight() {
        let night: QuietHours = "22:00-7:30".parse().unwrap();
        assert_eq!(night.to_string(), "22:00-07:30");
        assert_eq!(night.ends(&at(23, 0)), Some(at(7, 30).tomorrow().unwrap()));
        assert_eq!(night.ends(&at(7, 29)), Some(at(7, 30)));
        assert_eq!((night.ends(&at(7, 30)), night.ends(&at(21, 59))), (None, None));
        let lunch: QuietHours = "12:00 - 13:00".parse().unwrap();
        assert_eq!(lunch.ends(&at(12, 0)), Some(at(13, 0)));
        assert_eq!((lunch.ends(&at(13, 0)), lunch.ends(&at(11, 59))), (None, None));
    }

    #[test]
    fn other_texts_are_no_hours() {
        for text in ["", "22-7", "22:00", "25:00-7:00", "7:00-7:00", "22:0-7:00", "+2:00-7:00", "a:00-7:00"] {
            assert!(text.parse::<QuietHours>().is_err(), "{text}");
        }
    }
}
