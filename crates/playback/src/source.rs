//! Where blocks come from.

use recording::{Block, Recording, Segment, SegmentReader};

/// Something that can be played: segments, oldest first, and the blocks of each.
pub trait Source {
    /// The segments, oldest first.
    fn segments(&self) -> &[Segment];

    /// The blocks of a segment, counted from the oldest one. Damage ends them early; of a segment that cannot be read,
    /// or that is not there, there are none.
    fn blocks(&self, index: usize) -> Box<dyn Iterator<Item = Block> + '_>;
}

/// A recording as it is on disk.
impl Source for Recording {
    fn segments(&self) -> &[Segment] {
        Recording::segments(self)
    }

    fn blocks(&self, index: usize) -> Box<dyn Iterator<Item = Block> + '_> {
        let reader = Recording::segments(self).get(index).map(|segment| SegmentReader::open(&segment.path));
        Box::new(reader.and_then(Result::ok).into_iter().flatten())
    }
}

impl<S: Source + ?Sized> Source for &S {
    fn segments(&self) -> &[Segment] {
        (**self).segments()
    }

    fn blocks(&self, index: usize) -> Box<dyn Iterator<Item = Block> + '_> {
        (**self).blocks(index)
    }
}

impl<S: Source + ?Sized> Source for Box<S> {
    fn segments(&self) -> &[Segment] {
        (**self).segments()
    }

    fn blocks(&self, index: usize) -> Box<dyn Iterator<Item = Block> + '_> {
        (**self).blocks(index)
    }
}
