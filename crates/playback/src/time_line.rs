//! Times that never fall, from clocks that are set back at times.

use model::Offset;
use recording::Segment;

/// A point of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// How much output had come before it.
    pub at: Offset,
    /// When, on the time line of the recording.
    pub time_us: u64,
}

/// The time line of a recording.
///
/// A time on it is the latest one that any block up to there had, so it stands still while a clock that was set back
/// catches up. A segment's times lie between its own beginning and that of the next one, each of which is the latest
/// that any head up to there says. So a time needs the heads of all segments, and the blocks of one.
#[derive(Clone, Debug)]
pub(crate) struct TimeLine {
    /// When each segment begins. These never fall.
    beginnings: Vec<u64>,
}

impl TimeLine {
    pub(crate) fn new(segments: &[Segment]) -> TimeLine {
        let mut latest = 0;
        let beginnings = segments.iter().map(|segment| {
            latest = segment.head.time_us.max(latest);
            latest
        });
        TimeLine { beginnings: beginnings.collect() }
    }

    /// When a segment begins.
    pub(crate) fn beginning(&self, index: usize) -> u64 {
        self.beginnings.get(index).copied().unwrap_or_default()
    }

    /// The time of a block of a segment, if `latest` is the latest time that it and those before it in the segment had.
    pub(crate) fn time(&self, index: usize, latest: u64) -> u64 {
        let end = self.beginnings.get(index + 1).copied().unwrap_or(u64::MAX);
        latest.max(self.beginning(index)).min(end)
    }

    /// The last segment that begins at or before a time; the first one if none does.
    pub(crate) fn segment_at(&self, time_us: u64) -> usize {
        self.beginnings.partition_point(|beginning| *beginning <= time_us).saturating_sub(1)
    }
}
