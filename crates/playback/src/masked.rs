//! A recording as it may leave: with its secrets masked.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, iter};

use masking::{Masker, Rules};
use model::TermSize;
use recording::{Block, BlockKind, Masked, Recording, Segment, SegmentKind, SegmentReader};

use crate::source::Source;

/// How far into the next segment is looked for the rest of a secret that begins in this one.
const AHEAD_BYTES: usize = 64 << 10;

/// A recording whose secrets are masked, wherever they still stand in it. Segments that were masked when they were
/// sealed are read as they are.
#[derive(Debug)]
pub struct MaskedRecording {
    recording: Recording,
    rules: Arc<Rules>,
    /// The last segment that had to be masked: who moves about in it need not wait again.
    last: Mutex<Option<(usize, Arc<Vec<Block>>)>>,
    /// How many bytes of each segment turned out to be damaged when it was read.
    damaged: Mutex<BTreeMap<usize, u64>>,
}

impl MaskedRecording {
    /// Opens the recording in a directory.
    ///
    /// # Errors
    ///
    /// As for [`Recording::open`].
    pub fn open(dir: &Path, rules: Arc<Rules>) -> io::Result<MaskedRecording> {
        let recording = Recording::open(dir)?;
        Ok(MaskedRecording { recording, rules, last: Mutex::default(), damaged: Mutex::default() })
    }

    /// The recording itself.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// What masks it.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// How many damaged bytes could not be read so far.
    pub fn damaged_bytes(&self) -> u64 {
        self.damaged.lock().unwrap_or_else(PoisonError::into_inner).values().sum()
    }

    /// The same of one segment.
    pub(crate) fn damaged_bytes_of(&self, index: usize) -> u64 {
        let damaged = self.damaged.lock().unwrap_or_else(PoisonError::into_inner);
        damaged.get(&index).copied().unwrap_or_default()
    }

    fn note_damage(&self, index: usize, bytes: u64) {
        if bytes > 0 {
            self.damaged.lock().unwrap_or_else(PoisonError::into_inner).insert(index, bytes);
        }
    }

    fn masked(&self, index: usize, mut reader: SegmentReader) -> Arc<Vec<Block>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((there, blocks)) = &*last
            && *there == index
        {
            return Arc::clone(blocks);
        }
        let size = reader.head().size;
        let mut blocks: Vec<Block> = reader.by_ref().collect();
        self.note_damage(index, reader.damaged_bytes());
        mask(&self.rules, size, &mut blocks, following(&self.recording, index));
        let blocks = Arc::new(blocks);
        *last = Some((index, Arc::clone(&blocks)));
        blocks
    }
}

impl Source for MaskedRecording {
    fn segments(&self) -> &[Segment] {
        self.recording.segments()
    }

    fn blocks(&self, index: usize) -> Box<dyn Iterator<Item = Block> + '_> {
        let reader = self.segments().get(index).and_then(|segment| SegmentReader::open(&segment.path).ok());
        match reader {
            None => Box::new(iter::empty()),
            Some(mut reader) if reader.masked() == Masked::Yes => Box::new(iter::from_fn(move || {
                let block = reader.next();
                self.note_damage(index, reader.damaged_bytes());
                block
            })),
            Some(reader) => {
                let blocks = self.masked(index, reader);
                Box::new((0..blocks.len()).map(move |place| blocks[place].clone()))
            }
        }
    }
}

/// Masks the secrets in a segment's blocks, of which the first is its snapshot. `ahead` is what follows them, should
/// a secret begin in one segment and end in the next.
pub(crate) fn mask(
    rules: &Arc<Rules>,
    size: TermSize,
    blocks: &mut [Block],
    ahead: impl Iterator<Item = Block>,
) {
    let mut masker = Masker::new(Arc::clone(rules), size);
    for block in blocks.iter() {
        feed(&mut masker, &block.kind);
    }
    let mut ahead_bytes = 0;
    for block in ahead {
        feed(&mut masker, &block.kind);
        if let BlockKind::Output(bytes) = &block.kind {
            ahead_bytes += bytes.len();
        }
        if ahead_bytes >= AHEAD_BYTES {
            break;
        }
    }
    masker.look();
    let mut masks = masker.take_masks();
    masks.sort_unstable_by_key(|mask| mask.at);
    let mut rest = masks.as_slice();
    let mut start = 0;
    for block in blocks {
        if let BlockKind::Snapshot(bytes) | BlockKind::Output(bytes) = &mut block.kind {
            let end = start + bytes.len() as u64;
            masking::apply(&rest[..rest.partition_point(|mask| mask.at < end)], start, bytes);
            // A character at the end of a block may go on in the next one.
            rest = &rest[rest.partition_point(|mask| mask.at + u64::from(mask.len) <= end)..];
            start = end;
        }
    }
}

fn feed(masker: &mut Masker, kind: &BlockKind) {
    match kind {
        BlockKind::Snapshot(bytes) | BlockKind::Output(bytes) => masker.feed(bytes),
        BlockKind::Resize(size) => masker.resize(*size),
        BlockKind::Gap { .. } | BlockKind::Epoch(_) | BlockKind::Exit(_) => {}
    }
}

/// What the segment after one holds behind its snapshot, if it goes on where that one ends.
pub(crate) fn following(recording: &Recording, index: usize) -> impl Iterator<Item = Block> + use<> {
    let next = recording.segments().get(index + 1).filter(|next| next.kind == SegmentKind::Active);
    let reader = next.and_then(|next| SegmentReader::open(&next.path).ok());
    reader.into_iter().flatten().skip(1)
}
