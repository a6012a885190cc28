//! Moments and stretches of a recording, as others name them.

use jiff::Timestamp;
use model::Offset;

/// One end of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// So much output had come.
    Offset(Offset),
    /// It was this time, on the time line of the recording.
    Time(Timestamp),
}

/// A stretch of a recording; without ends it is everything. What happened at the time that ends it is part of it, the
/// byte at the offset that ends it is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Where it begins.
    pub from: Option<Bound>,
    /// Where it ends.
    pub to: Option<Bound>,
}

/// A time of a recording, which is in microseconds since the Unix epoch.
pub(super) fn timestamp(time_us: u64) -> Timestamp {
    let time_us = i64::try_from(time_us).unwrap_or(i64::MAX);
    Timestamp::from_microsecond(time_us).unwrap_or(Timestamp::MAX)
}

/// The same the other way round; what was before the Unix epoch is its beginning.
pub(super) fn time_us(at: Timestamp) -> u64 {
    u64::try_from(at.as_microsecond()).unwrap_or(0)
}
