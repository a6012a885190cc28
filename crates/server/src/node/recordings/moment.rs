//! Moments and stretches of a recording, as requests name them.

use jiff::Timestamp;
use model::Offset;

/// One end of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// An offset.
    Offset(Offset),
    /// A time, on the time line of the recording.
    Time(Timestamp),
}

/// A stretch of a recording; without ends it is the whole recording. A time that ends it belongs to it; the byte at an
/// offset that ends it does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Its beginning.
    pub from: Option<Bound>,
    /// Its end.
    pub to: Option<Bound>,
}

/// A time in a recording, from microseconds since the Unix epoch.
pub(super) fn timestamp(time_us: u64) -> Timestamp {
    let time_us = i64::try_from(time_us).unwrap_or(i64::MAX);
    Timestamp::from_microsecond(time_us).unwrap_or(Timestamp::MAX)
}

/// A time as microseconds since the Unix epoch; 0 for all earlier times.
pub(super) fn time_us(at: Timestamp) -> u64 {
    u64::try_from(at.as_microsecond()).unwrap_or(0)
}
