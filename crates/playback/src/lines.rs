//! The settled lines of a recording.

use model::Offset;
use recording::{Block, Line, SegmentHead};

use crate::settling::Settling;
use crate::source::Source;
use crate::time_line::TimeLine;

/// The lines of a source that settled at `from` or behind it, in the order in which they did. Each has the time of its last
/// change, or that of the beginning of its segment if it stood there already.
///
/// A line is settled when nothing can change it any more: it scrolled off the screen, a clear took it off, or it stood
/// there when everything ended. Of full-screen programs there are the frames that they left, those that stood for five
/// seconds, and the one at the end of each segment; of each only what the frame before had not.
///
/// They are what [`lines_of_segment`] gives for one segment after the other, at times between the beginnings of that
/// segment and of the next.
pub fn lines<S: Source + ?Sized>(source: &S, from: Offset) -> impl Iterator<Item = Line> {
    let segments = source.segments();
    let first = segments.iter().position(|segment| segment.head.at >= from).unwrap_or(segments.len());
    let times = TimeLine::new(segments);
    let in_segments = (first.saturating_sub(1)..segments.len()).flat_map(move |index| {
        let times = times.clone();
        SegmentLines::new(source, index)
            .map(move |line| Line { time_us: times.time(index, line.time_us), ..line })
    });
    in_segments.filter(move |line| line.at >= from)
}

/// The lines that settled in one segment.
///
/// `is_last` says whether what stands on the screen at its end is settled: the worker has ended, or what follows is
/// missing. A line of which a part has scrolled off at the end of a segment comes in two parts, one from either
/// segment, so that neither needs the other.
pub fn lines_of_segment(head: &SegmentHead, blocks: impl Iterator<Item = Block>, is_last: bool) -> Vec<Line> {
    let mut settling = Settling::new(head);
    blocks.for_each(|block| settling.take_in(&block));
    settling.end(is_last);
    settling.into_lines()
}

/// The lines of one segment of a source, as they settle.
struct SegmentLines<'a, S: ?Sized> {
    source: &'a S,
    index: usize,
    /// Nothing once they have ended.
    blocks: Option<Box<dyn Iterator<Item = Block> + 'a>>,
    settling: Settling,
}

impl<'a, S: Source + ?Sized> SegmentLines<'a, S> {
    fn new(source: &'a S, index: usize) -> SegmentLines<'a, S> {
        let settling = Settling::new(&source.segments()[index].head);
        SegmentLines { source, index, blocks: Some(source.blocks(index)), settling }
    }

    /// Whether the next segment that holds anything goes on where this one ended.
    fn goes_on(&self) -> bool {
        let later = self.index + 1..self.source.segments().len();
        let mut first_blocks = later.filter_map(|index| self.source.blocks(index).next());
        first_blocks.next().is_some_and(|block| block.at <= self.settling.at())
    }
}

impl<S: Source + ?Sized> Iterator for SegmentLines<'_, S> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        loop {
            if let Some(line) = self.settling.next_line() {
                return Some(line);
            }
            match self.blocks.as_mut()?.next() {
                Some(block) => self.settling.take_in(&block),
                None => {
                    self.blocks = None;
                    self.settling.end(!self.goes_on());
                    return self.settling.next_line();
                }
            }
        }
    }
}
