//! Reading one segment, block by block.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use model::{Epoch, Offset, TermSize};
use thiserror::Error;

use crate::active_blocks::{self, ActiveBlocks};
use crate::block::{Block, BlockKind};
use crate::directory::{self, READING};
use crate::sealed::{Masked, SealedBlocks};
use crate::segment_head::{FORMAT_VERSION, HEAD_BYTES, SegmentHead, SegmentKind};

/// Why a file cannot be read as a segment.
#[derive(Debug, Error)]
pub enum OpenError {
    /// It begins like no segment.
    #[error("it is not a segment of a recording")]
    NotASegment,
    /// It is in a layout of another time.
    #[error("it is in version {0} of the format, and this program reads version {FORMAT_VERSION}")]
    Version(u16),
    /// It is a kind of segment that this program does not know.
    #[error("it is a segment of kind {0}, which this program does not read")]
    Kind(u8),
    /// Its head is not whole.
    #[error("its head is torn or damaged")]
    Damaged,
    /// It cannot be opened.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads a segment's blocks in order, as an iterator.
///
/// Every block handed out was whole, and begins at the offset where the one before ended. What is damaged is handed out
/// as a gap, and what follows it is read. `None` means that no whole block follows *now*: the end, or a block still
/// being written. Asked again later, the iterator goes on if more was appended meanwhile. Blocks of kinds that this
/// program does not know are passed over. Memory is bounded by one block, and that by what is left of the file; in a
/// sealed segment, by the blocks that were compressed together; behind damage, by what is looked at
/// there, 16 MiB at most.
#[derive(Debug)]
pub struct SegmentReader {
    number: u32,
    path: PathBuf,
    head: SegmentHead,
    blocks: Blocks,
    at: Offset,
    epoch: Epoch,
    size: TermSize,
}

#[derive(Debug)]
enum Blocks {
    Active(ActiveBlocks),
    Sealed(SealedBlocks),
}

impl SegmentReader {
    /// Opens a segment at its first block. One that was active when its path was noted may be sealed by now.
    ///
    /// # Errors
    ///
    /// When it cannot be opened, or is no segment of a format that this program knows.
    pub fn open(path: &Path) -> Result<SegmentReader, OpenError> {
        let number = directory::number_of(path).ok_or(OpenError::NotASegment)?;
        match SegmentReader::open_numbered(path, number) {
            Err(OpenError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                match directory::sealed_in_place_of(path) {
                    Some(sealed) => SegmentReader::open_numbered(&sealed, number),
                    None => Err(error.into()),
                }
            }
            opened => opened,
        }
    }

    fn open_numbered(path: &Path, number: u32) -> Result<SegmentReader, OpenError> {
        let mut file = directory::open(path, READING)?;
        let mut bytes = Vec::with_capacity(HEAD_BYTES);
        file.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut bytes).map_err(|_| OpenError::Damaged)?;
        let (kind, head) = match SegmentHead::decode(&bytes) {
            Ok(head) => head,
            Err(error) if directory::is_active(path) => {
                (SegmentKind::Active, salvaged(&bytes, &file).ok_or(error)?)
            }
            Err(error) => return Err(error),
        };
        let blocks = match kind {
            SegmentKind::Active => Blocks::Active(ActiveBlocks::new(file, head.at)),
            SegmentKind::Sealed => Blocks::Sealed(SealedBlocks::open(file, head.at)?),
        };
        let (at, epoch, size) = (head.at, head.epoch, head.size);
        Ok(SegmentReader { number, path: path.to_owned(), head, blocks, at, epoch, size })
    }

    /// The segment's number.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The segment's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the segment says of itself.
    pub fn head(&self) -> &SegmentHead {
        &self.head
    }

    /// Whether it is still active.
    pub fn kind(&self) -> SegmentKind {
        match self.blocks {
            Blocks::Active(_) => SegmentKind::Active,
            Blocks::Sealed(_) => SegmentKind::Sealed,
        }
    }

    /// Whether secrets in it have been masked; in an active segment they never are.
    pub fn masked(&self) -> Masked {
        match &self.blocks {
            Blocks::Active(_) => Masked::No,
            Blocks::Sealed(blocks) => blocks.masked(),
        }
    }

    /// The offset after the blocks read so far.
    pub fn at(&self) -> Offset {
        self.at
    }

    /// The epoch after the blocks read so far.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// The terminal's size after the blocks read so far.
    pub fn size(&self) -> TermSize {
        self.size
    }

    /// Where to append, if the segment is active: bytes of the file up to the end of the blocks read so far.
    pub(crate) fn end_of_active(&self) -> Option<u64> {
        match &self.blocks {
            Blocks::Active(blocks) => Some(blocks.bytes_read()),
            Blocks::Sealed(_) => None,
        }
    }

    /// Bytes of the file that belong to no whole block: those found to be damaged so far, and in an active segment those
    /// behind the blocks read so far, where that may be a block still being written. Once the iterator has ended, they
    /// are what is cut.
    pub fn bytes_left(&self) -> u64 {
        match &self.blocks {
            Blocks::Active(blocks) => blocks.damaged_bytes() + blocks.bytes_left(),
            Blocks::Sealed(blocks) => blocks.lost_bytes(),
        }
    }

    /// Bytes that were found to be damaged so far. What may be a block still being written is not among them.
    pub fn damaged_bytes(&self) -> u64 {
        match &self.blocks {
            Blocks::Active(blocks) => blocks.damaged_bytes(),
            Blocks::Sealed(blocks) => blocks.lost_bytes(),
        }
    }

    /// Whether blocks are missing because the disk failed to read them, which may pass.
    pub fn has_failed(&self) -> bool {
        matches!(&self.blocks, Blocks::Active(blocks) if blocks.has_failed())
    }

    /// Opens the segment that follows this one, if there is one yet whose first block is whole.
    ///
    /// Nothing is appended to a segment once it has a follower, but something may have been since this one was last
    /// asked: read it to its end once more before going on.
    ///
    /// # Errors
    ///
    /// When the directory or a segment in it cannot be opened.
    pub fn newer(&self) -> io::Result<Option<SegmentReader>> {
        let dir = self.path.parent().unwrap_or(Path::new("."));
        for entry in directory::segments(dir)? {
            if entry.number > self.number
                && let Some(reader) = SegmentReader::open_whole(&entry.path)?
            {
                return Ok(Some(reader));
            }
        }
        Ok(None)
    }

    /// Opens a segment if its first block is whole.
    pub(crate) fn open_whole(path: &Path) -> io::Result<Option<SegmentReader>> {
        match SegmentReader::open(path) {
            Ok(mut reader) => {
                let first = reader.next();
                reader.restart();
                let is_whole = matches!(first, Some(Block { kind: BlockKind::Snapshot(_), .. }));
                Ok(is_whole.then_some(reader))
            }
            Err(OpenError::Io(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Err(_) => Ok(None),
        }
    }

    fn restart(&mut self) {
        match &mut self.blocks {
            Blocks::Active(blocks) => blocks.restart(self.head.at),
            Blocks::Sealed(blocks) => blocks.restart(self.head.at),
        }
        (self.at, self.epoch, self.size) = (self.head.at, self.head.epoch, self.head.size);
    }
}

/// What a damaged head of an active segment may have said. Where and when it begins is told by its first block, which has
/// to be whole.
fn salvaged(head: &[u8], file: &File) -> Option<SegmentHead> {
    let head = SegmentHead::decode_damaged(head)?;
    let first = active_blocks::first(file)?;
    Some(SegmentHead { at: first.at, time_us: first.time_us, ..head })
}

impl Iterator for SegmentReader {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        let block = match &mut self.blocks {
            Blocks::Active(blocks) => blocks.next(),
            Blocks::Sealed(blocks) => blocks.next(),
        }?;
        self.at = block.kind.end(block.at).unwrap_or(block.at);
        match block.kind {
            BlockKind::Resize(size) => self.size = size,
            BlockKind::Epoch(epoch) => self.epoch = epoch,
            _ => (),
        }
        Some(block)
    }
}
