//! Facts about a recording.

use std::io;

use home::WorkerDir;
use jiff::Timestamp;
use model::{ExitStatus, Offset, TermSize};
use playback::Source;
use reading::Stop;
use recording::{BlockKind, Recording, SegmentKind};

use super::error::RecordingError;
use super::moment::timestamp;
use super::open::nothing_in;

/// The list has at most this many gaps; further ones are only counted. A disk that fails for days makes many.
const MOST_GAPS: usize = 1_000;

/// Facts about a recording. They contain no output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// The first byte that is still there. Earlier output was trimmed.
    pub first_offset: Offset,
    /// The offset at its end.
    pub end_offset: Offset,
    /// When the first segment that is still there began.
    pub first_at: Timestamp,
    /// The time of its last block.
    pub last_at: Timestamp,
    /// The number of segments.
    pub segments: usize,
    /// The number of sealed segments.
    pub sealed_segments: usize,
    /// The number of files that could not be read as segments.
    pub unreadable_segments: usize,
    /// The size of all these files.
    pub bytes_on_disk: u64,
    /// The terminal's size at the end.
    pub size: TermSize,
    /// The number of resizes.
    pub resizes: u64,
    /// The gaps between the first byte and the last, oldest first; at most a thousand.
    pub gaps: Vec<Gap>,
    /// The number of all gaps.
    pub gap_count: u64,
    /// How the child ended, if that is recorded.
    pub exit: Option<ExitStatus>,
}

/// Output that is missing in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The offset of the first missing byte.
    pub from: Offset,
    /// The offset of the next byte that is there, if it is known.
    pub to: Option<Offset>,
}

/// Reads the facts about a worker's recording.
///
/// # Errors
///
/// When there is no recording, it cannot be read, or reading was stopped.
pub fn info(dir: &WorkerDir, stop: &Stop) -> Result<Info, RecordingError> {
    let recording = match Recording::open(&dir.recording()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(RecordingError::Empty),
        recording => recording.map_err(RecordingError::Read)?,
    };
    let segments = recording.segments();
    let first = segments.first().ok_or_else(|| nothing_in(&recording))?.head;
    let is_sealed = |kind: SegmentKind| kind == SegmentKind::Sealed;
    let unreadable = recording.unreadable();
    let mut info = Info {
        first_offset: first.at,
        end_offset: first.at,
        first_at: timestamp(first.time_us),
        last_at: timestamp(first.time_us),
        segments: segments.len(),
        sealed_segments: segments.iter().filter(|segment| is_sealed(segment.kind)).count(),
        unreadable_segments: unreadable.len(),
        bytes_on_disk: segments.iter().map(|segment| segment.bytes).sum::<u64>()
            + unreadable.iter().map(|file| file.bytes).sum::<u64>(),
        size: first.size,
        resizes: 0,
        gaps: Vec::new(),
        gap_count: 0,
        exit: None,
    };
    let mut latest_us = first.time_us;
    for (index, segment) in segments.iter().enumerate() {
        for block in Source::blocks(&recording, index) {
            stop.check()?;
            latest_us = latest_us.max(block.time_us);
            // After damaged blocks or a removed segment, the next block begins further on.
            info.miss(block.at);
            match &block.kind {
                BlockKind::Gap { to: Some(to) } => info.miss(*to),
                BlockKind::Gap { to: None } if block.at >= info.end_offset => info.gap(block.at, None),
                BlockKind::Resize(size) => {
                    info.resizes += 1;
                    info.size = *size;
                }
                BlockKind::Snapshot(_) => info.size = segment.head.size,
                BlockKind::Exit(status) => info.exit = Some(*status),
                BlockKind::Output(_) | BlockKind::Gap { .. } | BlockKind::Epoch(_) => {}
            }
            info.end_offset = info.end_offset.max(block.end().unwrap_or(block.at));
        }
    }
    stop.check()?;
    info.last_at = timestamp(latest_us);
    Ok(info)
}

impl Info {
    /// Notes a gap up to this offset, if output is missing before it.
    fn miss(&mut self, to: Offset) {
        if to > self.end_offset {
            self.gap(self.end_offset, Some(to));
            self.end_offset = to;
        }
    }

    fn gap(&mut self, from: Offset, to: Option<Offset>) {
        self.gap_count += 1;
        if self.gaps.len() < MOST_GAPS {
            self.gaps.push(Gap { from, to });
        }
    }
}
