//! The facts about a recording, and the size of its segments.

use home::WorkerDir;
use model::{Epoch, Offset, TermSize};
use recording::SegmentHead;

use super::now_us;

/// The recording is cut into at least so many segments, so that what goes first is at most an eighth of it.
const SEGMENTS: u64 = 8;

/// No segment is smaller, or snapshots would take most of it.
const LEAST_SEGMENT_BYTES: u64 = 1 << 20;

/// No segment is larger: a moment in the past is found by playing half a segment on average.
const MOST_SEGMENT_BYTES: u64 = 8 << 20;

/// What a recording is of.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    /// Where the segments are.
    pub(crate) dir: WorkerDir,
    /// Which incarnation of the host writes.
    pub(crate) epoch: Epoch,
    /// How large the terminal is.
    pub(crate) size: TermSize,
    /// How large they may become in all.
    pub(crate) most_bytes: u64,
}

impl Subject {
    /// How large one segment may become.
    pub(super) fn segment_bytes(&self) -> u64 {
        (self.most_bytes / SEGMENTS).clamp(LEAST_SEGMENT_BYTES, MOST_SEGMENT_BYTES)
    }

    pub(super) fn head(&self, at: Offset) -> SegmentHead {
        SegmentHead { worker: self.dir.id(), epoch: self.epoch, at, time_us: now_us(), size: self.size }
    }
}
