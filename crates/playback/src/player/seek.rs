//! Jumping to a moment.

use model::Offset;
use recording::{Block, BlockKind};

use super::Player;
use crate::source::Source;
use crate::time_line::Moment;

impl<S: Source> Player<S> {
    /// Goes to an offset: to the screen after the first `at` bytes, and after everything else that happened before the
    /// next byte. Where the recording has no such moment, it is the last one before it, or the first of all. Says where
    /// that is.
    pub fn seek_to_offset(&mut self, at: Offset) -> Moment {
        let heads = self.source.segments().iter().map(|segment| segment.head.at);
        let index = heads.collect::<Vec<_>>().iter().rposition(|head| *head <= at).unwrap_or(0);
        if self.segment.index != index || self.at > at {
            self.go_to_segment(index);
        }
        while let Some(block) = self.segment.blocks.get(self.segment.next) {
            let most = match &block.kind {
                BlockKind::Output(_) if self.at >= at => break,
                BlockKind::Output(_) => at - self.at,
                BlockKind::Gap { to: Some(to) } if *to > at => break,
                BlockKind::Snapshot(_) if block.at > at => break,
                _ => 0,
            };
            self.play_next(most, &mut |_| ());
        }
        self.moment()
    }

    /// Goes to a time: to the screen after everything that was printed or happened up to and including that time, on
    /// the time line of the recording. Before its beginning, that is the first screen of all. Says which moment it is.
    ///
    /// While a clock that was set back catches up, the time line stands still, so all of that happens at one time: this
    /// goes to the end of it.
    pub fn seek_to_time(&mut self, time_us: u64) -> Moment {
        let index = self.times.segment_at(time_us);
        if self.segment.index != index || self.time_us > time_us {
            self.go_to_segment(index);
        }
        while let Some(block) = self.segment.blocks.get(self.segment.next) {
            let time = self.times.time(index, block.time_us.max(self.segment.latest_us));
            if time > time_us {
                break;
            }
            self.play_next(usize::MAX, &mut |_| ());
        }
        self.moment()
    }

    /// Goes to the beginning of the recording.
    pub fn go_to_beginning(&mut self) {
        let count = self.source.segments().len();
        let is_whole = (0..count).any(|index| {
            self.load(index);
            self.apply_snapshot()
        });
        if !is_whole {
            self.load(0);
        }
    }

    /// The first moment that the recording has.
    pub fn start(&self) -> Moment {
        let first = self.source.segments().first();
        Moment { at: first.map_or(Offset(0), |first| first.head.at), time_us: self.times.beginning(0) }
    }

    /// The last moment that the recording has. Its last segment is read for that.
    pub fn end(&self) -> Moment {
        for index in (0..self.source.segments().len()).rev() {
            let last = self.source.blocks(index).fold(None, |end: Option<(Offset, u64)>, block| {
                let latest = end.map_or(0, |(_, latest)| latest).max(block.time_us);
                Some((end_of(&block), latest))
            });
            if let Some((at, latest)) = last {
                return Moment { at, time_us: self.times.time(index, latest) };
            }
        }
        Moment::default()
    }

    /// Begins with a segment's snapshot, or with that of the last one before it that is whole.
    fn go_to_segment(&mut self, index: usize) {
        for index in (0..=index).rev() {
            if self.segment.index != index || self.segment.blocks.is_empty() {
                self.load(index);
            }
            if self.apply_snapshot() {
                return;
            }
        }
        self.go_to_beginning();
    }
}

/// The offset behind a block.
pub(crate) fn end_of(block: &Block) -> Offset {
    match &block.kind {
        BlockKind::Output(bytes) => block.at + bytes.len(),
        BlockKind::Gap { to: Some(to) } => *to,
        _ => block.at,
    }
}
