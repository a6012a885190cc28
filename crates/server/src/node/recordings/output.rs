//! The output of a worker, byte by byte, masked.

use std::sync::Arc;

use home::WorkerDir;
use masking::Rules;
use model::Offset;
use playback::{Source, segment_times};
use reading::Stop;
use recording::BlockKind;

use super::error::RecordingError;
use super::moment::{Bound, Span, time_us};
use super::open::open;

/// One answer has at most this many bytes, also if the request wants more.
pub const MOST_OUTPUT_BYTES: usize = 4 << 20;

/// Output without a gap of known length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The offset of the first byte. If the request named an earlier one, the output between them is missing.
    pub from: Offset,
    /// The offset behind the last byte. The next request begins here.
    pub to: Offset,
    /// The bytes. Secrets are masked, with as many bytes as they have.
    pub bytes: Vec<u8>,
    /// Whether the recording has more of the stretch.
    pub more: bool,
}

/// Reads the output in a stretch of a recording, from its beginning, up to the limit.
///
/// # Errors
///
/// When there is no recording, it cannot be read, or reading was stopped.
pub fn output(
    dir: &WorkerDir,
    rules: &Arc<Rules>,
    span: Span,
    limit_bytes: usize,
    stop: &Stop,
) -> Result<Chunk, RecordingError> {
    let opened = open(dir, rules)?;
    let source = opened.until(stop);
    let times = segment_times(&source);
    let first = first_segment(&source, &times, span.from);
    let mut gathering = Gathering::new(span, limit_bytes, source.segments()[first].head.at);
    'segments: for (index, &(begins_us, ends_us)) in times.iter().enumerate().skip(first) {
        let mut latest_us = begins_us;
        for block in source.blocks(index) {
            latest_us = latest_us.max(block.time_us).min(ends_us);
            if let BlockKind::Output(bytes) = block.kind
                && !gathering.take_in(block.at, latest_us, &bytes)
            {
                break 'segments;
            }
        }
    }
    stop.check()?;
    Ok(gathering.chunk)
}

/// The first segment that may hold a part of a stretch.
fn first_segment(source: &impl Source, times: &[(u64, u64)], from: Option<Bound>) -> usize {
    match from {
        None => 0,
        Some(Bound::Offset(from)) => {
            let last = source.segments().iter().rposition(|segment| segment.head.at <= from);
            // If a segment is not whole, the one before it may continue beyond its beginning.
            last.unwrap_or(0).saturating_sub(1)
        }
        Some(Bound::Time(from)) => {
            let ended = times.partition_point(|(_, ends_us)| *ends_us < time_us(from));
            ended.min(times.len() - 1)
        }
    }
}

/// Gathers a chunk from blocks of output.
struct Gathering {
    chunk: Chunk,
    from: Offset,
    from_us: u64,
    to: Offset,
    to_us: u64,
    limit: usize,
}

impl Gathering {
    fn new(span: Span, limit_bytes: usize, first: Offset) -> Gathering {
        let offset = |bound: Option<Bound>, otherwise: Offset| match bound {
            Some(Bound::Offset(at)) => at,
            _ => otherwise,
        };
        let time = |bound: Option<Bound>, otherwise: u64| match bound {
            Some(Bound::Time(at)) => time_us(at),
            _ => otherwise,
        };
        Gathering {
            chunk: Chunk { from: first, to: first, ..Chunk::default() },
            from: offset(span.from, Offset(0)),
            from_us: time(span.from, 0),
            to: offset(span.to, Offset(u64::MAX)),
            to_us: time(span.to, u64::MAX),
            limit: limit_bytes.min(MOST_OUTPUT_BYTES),
        }
    }

    /// Takes in the wanted part of a block. Returns `false` when no later block is wanted.
    fn take_in(&mut self, at: Offset, time_us: u64, bytes: &[u8]) -> bool {
        let end = at + bytes.len();
        if at >= self.to || time_us > self.to_us {
            return false;
        }
        // A segment may repeat bytes of the one before it. They are taken once.
        let wanted_from = at.max(self.from).max(self.chunk.to);
        let wanted_to = end.min(self.to);
        if time_us < self.from_us || wanted_from >= wanted_to {
            if self.chunk.bytes.is_empty() {
                let passed = if time_us < self.from_us { end } else { end.min(self.from) };
                self.chunk.to = passed.max(self.chunk.to);
                self.chunk.from = self.chunk.to;
            }
            return true;
        }
        let is_next = self.chunk.bytes.is_empty() || wanted_from == self.chunk.to;
        let room = self.limit - self.chunk.bytes.len();
        if !is_next || room == 0 {
            self.chunk.more = true;
            return false;
        }
        let wanted = &bytes[wanted_from - at..wanted_to - at];
        let taken = &wanted[..wanted.len().min(room)];
        if self.chunk.bytes.is_empty() {
            self.chunk.from = wanted_from;
        }
        self.chunk.bytes.extend_from_slice(taken);
        self.chunk.to = wanted_from + taken.len();
        self.chunk.more = taken.len() < wanted.len();
        !self.chunk.more
    }
}
