//! The blocks of an active segment, read one after the other from a file that may still grow.
//!
//! Where some of it is damaged, the next whole block is looked for, and what lies between is handed out as a gap.

mod scan;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use model::Offset;

use crate::block::{BLOCK_HEAD_BYTES, Block, BlockHead, BlockKind};
use crate::checksum::{CHECKSUM_BYTES, checksum};
use crate::payload::{self, SNAPSHOT};
use crate::segment_head::HEAD_BYTES;

/// How much is read ahead of small blocks; larger payloads are read straight to where they go.
const READ_AHEAD_BYTES: usize = 64 << 10;

/// Reads every whole block, and goes on if more was appended meanwhile.
#[derive(Debug)]
pub(crate) struct ActiveBlocks {
    file: BufReader<File>,
    /// Where in the file the next block begins.
    position: u64,
    /// Size of the file when last asked.
    file_bytes: u64,
    ahead: Ahead,
    /// The offset at which the next block has to begin.
    at: Offset,
    /// Bytes that are no whole blocks, with whole blocks behind them.
    damaged_bytes: u64,
    /// Whether the disk failed to read what is there. That may pass.
    has_failed: bool,
}

/// Where the file is read from next.
#[derive(Clone, Copy, Debug)]
enum Ahead {
    /// From the next block; the bytes read ahead are valid.
    InStep,
    /// From somewhere else; the bytes read ahead may have been cut and written anew.
    Stale,
}

/// There is no whole block here, at least not now.
enum NotWhole {
    /// It is torn, damaged, or not written yet.
    Damaged,
    /// Sectors that the disk cannot read are as lost as those it reads wrong, unless it can later.
    Unread,
}

impl From<io::Error> for NotWhole {
    fn from(error: io::Error) -> NotWhole {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => NotWhole::Damaged,
            _ => NotWhole::Unread,
        }
    }
}

/// The first block of a file, wherever it begins; nothing if that is not whole.
pub(crate) fn first(file: &File) -> Option<Block> {
    let mut head = [0; BLOCK_HEAD_BYTES];
    file.read_exact_at(&mut head, HEAD_BYTES as u64).ok()?;
    ActiveBlocks::new(file.try_clone().ok()?, BlockHead::decode(&head).at).next()
}

impl ActiveBlocks {
    /// The blocks behind a head that says that they begin at `at`.
    pub(crate) fn new(file: File, at: Offset) -> ActiveBlocks {
        ActiveBlocks {
            file: BufReader::with_capacity(READ_AHEAD_BYTES, file),
            position: HEAD_BYTES as u64,
            file_bytes: 0,
            ahead: Ahead::Stale,
            at,
            damaged_bytes: 0,
            has_failed: false,
        }
    }

    /// Whether the disk failed to read what is there.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Begins again with the first block.
    pub(crate) fn restart(&mut self, at: Offset) {
        self.position = HEAD_BYTES as u64;
        self.ahead = Ahead::Stale;
        self.at = at;
        self.damaged_bytes = 0;
    }

    /// Bytes that were passed over, as they are no whole blocks.
    pub(crate) fn damaged_bytes(&self) -> u64 {
        self.damaged_bytes
    }

    /// Bytes of the file up to the end of the blocks read so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.position
    }

    /// Bytes of the file behind the blocks read so far.
    pub(crate) fn bytes_left(&self) -> u64 {
        self.file.get_ref().metadata().map_or(0, |file| file.len().saturating_sub(self.position))
    }

    pub(crate) fn next(&mut self) -> Option<Block> {
        loop {
            let ahead = self.ahead;
            match (self.step(), ahead) {
                (Ok(Some(block)), _) => return Some(block),
                (Ok(None), _) => (),
                // The bytes read ahead may be half a block that was cut meanwhile: the file itself decides.
                (Err(_), Ahead::InStep) => (),
                (Err(NotWhole::Unread), Ahead::Stale) => {
                    self.has_failed = true;
                    return None;
                }
                (Err(NotWhole::Damaged), Ahead::Stale) => {
                    if let Some(gap) = self.pass_damage()? {
                        return Some(gap);
                    }
                }
            }
        }
    }

    /// Goes to the next whole block behind what is none; nothing if there is no such block. Says which output lay between,
    /// if any did. A screen cannot be rebuilt without the snapshot, so nothing is looked for behind that.
    fn pass_damage(&mut self) -> Option<Option<Block>> {
        if self.position == HEAD_BYTES as u64 {
            return None;
        }
        let left = self.bytes_left().min(scan::MOST_BYTES);
        let mut rest = Vec::with_capacity(left as usize);
        self.file.seek(SeekFrom::Start(self.position)).ok()?;
        self.file.by_ref().take(left).read_to_end(&mut rest).ok()?;
        let (place, head) = scan::next_whole(&rest, self.at)?;
        self.position += place as u64;
        self.damaged_bytes += place as u64;
        let kind = BlockKind::Gap { to: Some(head.at) };
        let gap = Block { at: self.at, time_us: head.time_us, kind };
        let is_missing = head.at > self.at;
        self.at = head.at;
        Some(is_missing.then_some(gap))
    }

    /// Reads the next block and steps over it; nothing to hand out if its kind is unknown.
    fn step(&mut self) -> Result<Option<Block>, NotWhole> {
        if let Ahead::Stale = self.ahead {
            self.file.seek(SeekFrom::Start(self.position))?;
        }
        self.ahead = Ahead::Stale;
        let (head, payload) = self.read_block()?;
        let kind = payload::decode(head.kind, payload).map_err(|_| NotWhole::Damaged)?;
        if let Some(kind) = &kind {
            self.at = kind.end(head.at).ok_or(NotWhole::Damaged)?;
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
            return Err(NotWhole::Damaged);
        }
        let mut payload = vec![0; head.length as usize];
        self.file.read_exact(&mut payload)?;
        let mut sum = [0; CHECKSUM_BYTES];
        self.file.read_exact(&mut sum)?;
        if sum == checksum(&[&head_bytes, &payload]) { Ok((head, payload)) } else { Err(NotWhole::Damaged) }
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
