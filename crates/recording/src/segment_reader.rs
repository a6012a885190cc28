//! Reading one segment, block by block.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use model::{Epoch, Offset, TermSize};
use thiserror::Error;

use crate::block::{BLOCK_HEAD_BYTES, Block, BlockHead, BlockKind};
use crate::checksum::{CHECKSUM_BYTES, checksum};
use crate::directory::{self, READING};
use crate::payload::{self, SNAPSHOT};
use crate::segment_head::{FORMAT_VERSION, HEAD_BYTES, SegmentHead};

/// How much is read ahead of small blocks; larger payloads are read straight to where they go.
const READ_AHEAD_BYTES: usize = 64 << 10;

/// Why a file cannot be read as an active segment.
#[derive(Debug, Error)]
pub enum OpenError {
    /// It begins like no segment.
    #[error("it is not a segment of a recording")]
    NotASegment,
    /// It is in a layout of another time.
    #[error("it is in version {0} of the format, and this program reads version {FORMAT_VERSION}")]
    Version(u16),
    /// It is no active segment.
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
/// Every block handed out was whole, and begins at the offset where the one before ended. `None` means that no whole
/// block follows *now*: the end, a block still being written, or damage. Asked again later, the iterator goes on if
/// more was appended meanwhile. Blocks of kinds that this program does not know are passed over. Memory is bounded
/// by one block, and that by what is left of the file.
#[derive(Debug)]
pub struct SegmentReader {
    number: u32,
    path: PathBuf,
    head: SegmentHead,
    file: BufReader<File>,
    /// Where in the file the next block begins.
    position: u64,
    /// Size of the file when last asked.
    file_bytes: u64,
    ahead: Ahead,
    at: Offset,
    epoch: Epoch,
    size: TermSize,
}

/// Where the file is read from next.
#[derive(Clone, Copy, Debug)]
enum Ahead {
    /// From the next block; what was read ahead is true.
    InStep,
    /// From somewhere else; what was read ahead may have been cut and written anew.
    Stale,
}

/// There is no whole block here, at least not now.
struct NotWhole;

impl From<io::Error> for NotWhole {
    fn from(_: io::Error) -> NotWhole {
        // Sectors that the disk cannot read are as lost as those it reads wrong.
        NotWhole
    }
}

impl SegmentReader {
    /// Opens a segment at its first block.
    ///
    /// # Errors
    ///
    /// When it cannot be opened, or is no active segment of a format that this program knows.
    pub fn open(path: &Path) -> Result<SegmentReader, OpenError> {
        let number = directory::number_of(path).ok_or(OpenError::NotASegment)?;
        let mut file = BufReader::with_capacity(READ_AHEAD_BYTES, directory::open(path, READING)?);
        let mut bytes = Vec::with_capacity(HEAD_BYTES);
        file.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut bytes).map_err(|_| OpenError::Damaged)?;
        let head = SegmentHead::decode(&bytes)?;
        Ok(SegmentReader {
            number,
            path: path.to_owned(),
            head,
            file,
            position: HEAD_BYTES as u64,
            file_bytes: 0,
            ahead: Ahead::InStep,
            at: head.at,
            epoch: head.epoch,
            size: head.size,
        })
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

    /// Bytes of the file up to the end of the blocks read so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.position
    }

    /// Bytes of the file behind the blocks read so far. Once the iterator has ended, they are what is cut: in a live
    /// segment perhaps a block still being written, in any other damage and what follows it.
    pub fn bytes_left(&self) -> u64 {
        self.file.get_ref().metadata().map_or(0, |file| file.len().saturating_sub(self.position))
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
        for entry in directory::active_segments(dir)? {
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
                let is_whole = reader.next().is_some();
                reader.restart();
                Ok(is_whole.then_some(reader))
            }
            Err(OpenError::Io(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Err(_) => Ok(None),
        }
    }

    fn restart(&mut self) {
        self.position = HEAD_BYTES as u64;
        self.ahead = Ahead::Stale;
        (self.at, self.epoch, self.size) = (self.head.at, self.head.epoch, self.head.size);
    }

    /// Reads the next block and steps over it; nothing to hand out if its kind is unknown.
    fn step(&mut self) -> Result<Option<Block>, NotWhole> {
        if let Ahead::Stale = self.ahead {
            self.file.seek(SeekFrom::Start(self.position))?;
        }
        self.ahead = Ahead::Stale;
        let (head, payload) = self.read_block()?;
        let kind = payload::decode(head.kind, payload).map_err(|_| NotWhole)?;
        if let Some(kind) = &kind {
            self.at = kind.end(head.at).ok_or(NotWhole)?;
            match *kind {
                BlockKind::Resize(size) => self.size = size,
                BlockKind::Epoch(epoch) => self.epoch = epoch,
                _ => (),
            }
        }
        self.position += head.block_bytes();
        self.ahead = Ahead::InStep;
        Ok(kind.map(|kind| Block { at: head.at, time_us: head.time_us, kind }))
    }

    fn read_block(&mut self) -> Result<(BlockHead, Vec<u8>), NotWhole> {
        let mut head_bytes = [0; BLOCK_HEAD_BYTES];
        self.file.read_exact(&mut head_bytes)?;
        let head = BlockHead::decode(&head_bytes);
        let is_first = self.position == HEAD_BYTES as u64;
        let belongs = head.at == self.at && (head.kind == SNAPSHOT || !is_first);
        if !belongs
            || head.length as usize > payload::max_bytes(head.kind)
            || !self.is_left(head.block_bytes())
        {
            return Err(NotWhole);
        }
        let mut payload = vec![0; head.length as usize];
        self.file.read_exact(&mut payload)?;
        let mut sum = [0; CHECKSUM_BYTES];
        self.file.read_exact(&mut sum)?;
        if sum == checksum(&[&head_bytes, &payload]) { Ok((head, payload)) } else { Err(NotWhole) }
    }

    /// Whether the file has so many bytes from the next block on.
    fn is_left(&mut self, bytes: u64) -> bool {
        let end = self.position + bytes;
        if end > self.file_bytes {
            self.file_bytes = self.file.get_ref().metadata().map_or(0, |file| file.len());
        }
        end <= self.file_bytes
    }
}

impl Iterator for SegmentReader {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        loop {
            let ahead = self.ahead;
            match (self.step(), ahead) {
                (Ok(Some(block)), _) => return Some(block),
                (Ok(None), _) => (),
                // What was read ahead may be half a block that was cut meanwhile: the file itself decides.
                (Err(NotWhole), Ahead::InStep) => (),
                (Err(NotWhole), Ahead::Stale) => return None,
            }
        }
    }
}
