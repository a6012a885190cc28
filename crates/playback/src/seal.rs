//! Sealing: finished segments are masked, compressed, and get their text beside them.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use masking::Rules;
use model::MaskPolicy;
use recording::{Block, BlockKind, Masked, OpenError, Recording, Segment, SegmentKind, SegmentReader};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::lines::lines_of_segment;
use crate::masked::{following, mask};

/// A lock on a directory does not wake waiting processes, so we look again after this long.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// The newest segments of a recording that grows, which are left alone: the one that grows, and the one before it, as a
/// secret that begins in that one may end in the newest, where it is still to come.
const LEFT_ALONE: usize = 2;

/// What may still be appended to a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// Its newest segment still grows.
    Growing,
    /// Nothing: its worker has ended.
    Finished,
}

/// What is masked when a recording is sealed.
#[derive(Clone, Debug)]
pub struct Masks {
    /// Whether anything is.
    pub policy: MaskPolicy,
    /// What is a secret.
    pub rules: Arc<Rules>,
    /// Whether that is all that should be known, the worker's own environment and the user's rules included. If not,
    /// a sealed recording is masked again with all known secrets when it is read.
    pub are_complete: bool,
}

/// The result of sealing.
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
    /// Leftover files of a sealing that was stopped. They are removed now.
    pub leftovers: usize,
}

/// Seals every finished segment of a recording that is not sealed yet. One does so at a time; others wait for so long.
/// `growth` is asked when it is our turn.
///
/// # Errors
///
/// [`io::ErrorKind::WouldBlock`] if it is not our turn in time. When a segment cannot be read or replaced; those before
/// it are sealed then, and it stays as it was.
pub fn seal_recording(
    dir: &Path,
    growth: impl FnOnce() -> Growth,
    masks: &Masks,
    patience: Duration,
) -> io::Result<SealedRecording> {
    let _turn = turn(dir, patience)?;
    let mut sum =
        SealedRecording { leftovers: recording::remove_leftovers(dir)?, ..SealedRecording::default() };
    let growth = growth();
    let recording = Recording::open(dir)?;
    for index in 0..count_finished(&recording, growth) {
        if recording.segments()[index].kind == SegmentKind::Active {
            seal_segment(&recording, index, masks, &mut sum)?;
        }
    }
    if growth == Growth::Finished && masks.policy == MaskPolicy::Always {
        sum.damaged_bytes += remove_unreadable(dir)?;
    }
    Ok(sum)
}

/// Removes active segments of which nothing can be read, and says how many bytes those were. They hold output,
/// and it could not be masked.
fn remove_unreadable(dir: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for (path, bytes) in unreadable(&Recording::open(dir)?) {
        // What the disk may read another time stays.
        io::copy(&mut File::open(&path)?, &mut io::sink())?;
        fs::remove_file(path)?;
        sum += bytes;
    }
    Ok(sum)
}

/// The active segments of which nothing can be read, and their sizes. What a newer program may know to read is not among
/// them.
fn unreadable(recording: &Recording) -> Vec<(PathBuf, u64)> {
    let damaged = recording.unreadable().iter().filter(|file| {
        let is_active = file.path.extension().is_some_and(|kind| kind == "active");
        is_active && matches!(file.error, OpenError::Damaged | OpenError::NotASegment)
    });
    let empty = recording.segments().iter().filter(|segment| segment.kind == SegmentKind::Active);
    let empty = empty.filter(|segment| !holds_anything(segment));
    let damaged = damaged.map(|file| (file.path.clone(), file.bytes));
    damaged.chain(empty.map(|segment| (segment.path.clone(), segment.bytes))).collect()
}

/// How many segments of a recording could be sealed now, or are past that and go.
///
/// # Errors
///
/// As for [`Recording::open`].
pub fn count_unsealed(dir: &Path, growth: Growth) -> io::Result<usize> {
    let recording = Recording::open(dir)?;
    let unsealed = recording.segments()[..count_finished(&recording, growth)].iter();
    let unsealed =
        unsealed.filter(|segment| segment.kind == SegmentKind::Active && holds_anything(segment)).count();
    Ok(match growth {
        Growth::Finished => unsealed + unreadable(&recording).len(),
        Growth::Growing => unsealed,
    })
}

/// How many segments, from the oldest on, are finished.
fn count_finished(recording: &Recording, growth: Growth) -> usize {
    let left_alone = match growth {
        Growth::Finished => 0,
        Growth::Growing => LEFT_ALONE,
    };
    recording.segments().len().saturating_sub(left_alone)
}

/// Waits for the lock that says whose turn it is to seal.
fn turn(dir: &Path, patience: Duration) -> io::Result<File> {
    let directory = File::open(dir)?;
    let deadline = Instant::now() + patience;
    loop {
        match flock(&directory, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(directory),
            Err(Errno::WOULDBLOCK) if Instant::now() < deadline => thread::sleep(LOOK_AGAIN),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn seal_segment(
    recording: &Recording,
    index: usize,
    masks: &Masks,
    sum: &mut SealedRecording,
) -> io::Result<()> {
    let segment = &recording.segments()[index];
    let Ok(mut reader) = SegmentReader::open(&segment.path) else { return Ok(()) };
    let mut blocks: Vec<Block> = reader.by_ref().collect();
    if reader.has_failed() {
        // What the disk cannot read now it may read later; sealing would give it up.
        return Err(io::Error::other("the disk cannot read a part of it"));
    }
    // One without a whole snapshot holds nothing that could be sealed.
    if blocks.is_empty() {
        return Ok(());
    }
    if masks.policy == MaskPolicy::Always {
        mask(&masks.rules, segment.head.size, &mut blocks, following(recording, index));
    }
    let masked = match masks {
        Masks { policy: MaskPolicy::Always, are_complete: true, .. } => Masked::Yes,
        _ => Masked::No,
    };
    let is_last = !goes_on(&reader, recording.segments().get(index + 1));
    let lines = lines_of_segment(&segment.head, blocks.iter().cloned(), is_last);
    let sealed = recording::seal(segment, &blocks, &lines, masked)?;
    sum.segments += 1;
    sum.before_bytes += sealed.before_bytes;
    sum.after_bytes += sealed.after_bytes;
    sum.damaged_bytes += reader.bytes_left();
    Ok(())
}

/// Whether the next segment begins where this one ends: what is on the screen then goes on there.
fn goes_on(read: &SegmentReader, next: Option<&Segment>) -> bool {
    next.is_some_and(|next| next.head.at == read.at() && holds_anything(next))
}

/// Whether a segment has a whole snapshot.
fn holds_anything(segment: &Segment) -> bool {
    let first = SegmentReader::open(&segment.path).ok().and_then(|mut reader| reader.next());
    matches!(first, Some(Block { kind: BlockKind::Snapshot(_), .. }))
}
