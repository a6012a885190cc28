//! Sealing: finished segments are masked, compressed, and get their text beside them.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use masking::Rules;
use model::MaskPolicy;
use recording::{Block, Masked, Recording, Segment, SegmentKind, SegmentReader};
use rustix::fs::{FlockOperation, flock};

use crate::lines::lines_of_segment;
use crate::masked::{following, mask};

/// What may still be appended to a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// Its newest segment still grows.
    Growing,
    /// Nothing: its worker has ended.
    Finished,
}

/// What was sealed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SealedRecording {
    /// How many segments.
    pub segments: usize,
    /// What they took before.
    pub before_bytes: u64,
    /// What they take now.
    pub after_bytes: u64,
    /// What could not be read of them and is gone.
    pub damaged_bytes: u64,
}

/// Seals every finished segment of a recording that is not sealed yet. One does so at a time; others wait.
///
/// # Errors
///
/// When a segment cannot be read or replaced; those before it are sealed then, and it stays as it was.
pub fn seal_recording(
    dir: &Path,
    growth: Growth,
    policy: MaskPolicy,
    rules: &Arc<Rules>,
) -> io::Result<SealedRecording> {
    let directory = File::open(dir)?;
    flock(&directory, FlockOperation::LockExclusive)?;
    let recording = Recording::open(dir)?;
    let finished = match growth {
        Growth::Finished => u32::MAX,
        Growth::Growing => recording.newest()?.map_or(0, |newest| newest.number()),
    };
    let mut sum = SealedRecording::default();
    for (index, segment) in recording.segments().iter().enumerate() {
        if segment.kind == SegmentKind::Active && segment.number < finished {
            seal_segment(&recording, index, policy, rules, &mut sum)?;
        }
    }
    Ok(sum)
}

fn seal_segment(
    recording: &Recording,
    index: usize,
    policy: MaskPolicy,
    rules: &Arc<Rules>,
    sum: &mut SealedRecording,
) -> io::Result<()> {
    let segment = &recording.segments()[index];
    let Ok(mut reader) = SegmentReader::open(&segment.path) else { return Ok(()) };
    let mut blocks: Vec<Block> = reader.by_ref().collect();
    // One without a whole snapshot holds nothing that could be sealed.
    if blocks.is_empty() {
        return Ok(());
    }
    let masked = match policy {
        MaskPolicy::Always => {
            mask(rules, segment.head.size, &mut blocks, following(recording, index));
            Masked::Yes
        }
        MaskPolicy::Never => Masked::No,
    };
    let is_last = !goes_on(segment, &reader, recording.segments().get(index + 1));
    let lines = lines_of_segment(&segment.head, blocks.iter().cloned(), is_last);
    let sealed = recording::seal(segment, &blocks, &lines, masked)?;
    sum.segments += 1;
    sum.before_bytes += sealed.before_bytes;
    sum.after_bytes += sealed.after_bytes;
    sum.damaged_bytes += reader.bytes_left();
    Ok(())
}

/// Whether the next segment begins where this one ends: what is on the screen then goes on there.
fn goes_on(segment: &Segment, read: &SegmentReader, next: Option<&Segment>) -> bool {
    next.is_some_and(|next| next.head.at == read.at() && next.number > segment.number)
}
