//! One thing that happened, and its bytes on disk.

use std::borrow::Cow;
use std::io::IoSlice;

use model::{Epoch, ExitStatus, Offset, TermSize};

use crate::checksum::{CHECKSUM_BYTES, checksum};
use crate::payload;

/// The largest snapshot: a screen and the history that a host keeps are far below it.
pub const MAX_SNAPSHOT_BYTES: usize = 64 << 20;

/// The most output that one block may hold: many times what one read from a PTY gives.
pub const MAX_OUTPUT_BYTES: usize = 1 << 20;

/// Kind, length, offset and time, before the payload.
pub(crate) const BLOCK_HEAD_BYTES: usize = 1 + 4 + 8 + 8;

/// Something that happened to a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block<B = Vec<u8>> {
    /// How much output had come before it.
    pub at: Offset,
    /// When, in microseconds since the Unix epoch. Clocks are set back at times, and so these may fall.
    pub time_us: u64,
    /// What happened.
    pub kind: BlockKind<B>,
}

/// What happened. `B` are bytes: owned when a block is read, borrowed when it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind<B = Vec<u8>> {
    /// The terminal as it was: a full snapshot. It is the first block of every segment.
    Snapshot(B),
    /// The child printed this.
    Output(B),
    /// The terminal got this size.
    Resize(TermSize),
    /// Output is missing, from the block's offset on.
    Gap {
        /// Where the missing output ends and the next block goes on. If the amount is unknown (a killed
        /// host may have read what it never recorded), there is none, and offsets go on from the block's own.
        to: Option<Offset>,
    },
    /// Another host took the worker over, and its epoch begins.
    Epoch(Epoch),
    /// The child ended.
    Exit(ExitStatus),
}

impl Block {
    /// The offset after it; none if there is no such offset.
    pub fn end(&self) -> Option<Offset> {
        self.kind.end(self.at)
    }
}

impl<B: AsRef<[u8]>> BlockKind<B> {
    /// The offset after this, if it happened at `at`; none if there is no such offset, or a gap ends before it begins.
    pub(crate) fn end(&self, at: Offset) -> Option<Offset> {
        match self {
            BlockKind::Output(bytes) => at.0.checked_add(bytes.as_ref().len() as u64).map(Offset),
            BlockKind::Gap { to: Some(to) } => Some(*to).filter(|to| *to >= at),
            _ => Some(at),
        }
    }
}

/// A block's bytes, ready to be written without the payload having been copied.
pub(crate) struct EncodedBlock<'a> {
    head: [u8; BLOCK_HEAD_BYTES],
    payload: Cow<'a, [u8]>,
    sum: [u8; CHECKSUM_BYTES],
}

impl<'a> EncodedBlock<'a> {
    /// None if the payload is longer than its kind may have.
    pub(crate) fn new(block: &Block<&'a [u8]>) -> Option<EncodedBlock<'a>> {
        let (kind, payload) = payload::encode(&block.kind);
        let length = u32::try_from(payload.len()).ok()?;
        if payload.len() > payload::max_bytes(kind) {
            return None;
        }
        let head = BlockHead { kind, length, at: block.at, time_us: block.time_us }.encode();
        let sum = checksum(&[&head, &payload]);
        Some(EncodedBlock { head, payload, sum })
    }

    pub(crate) fn slices(&self) -> [IoSlice<'_>; 3] {
        [IoSlice::new(&self.head), IoSlice::new(&self.payload), IoSlice::new(&self.sum)]
    }
}

/// What a block says of itself before its payload.
pub(crate) struct BlockHead {
    pub(crate) kind: u8,
    pub(crate) length: u32,
    pub(crate) at: Offset,
    pub(crate) time_us: u64,
}

impl BlockHead {
    pub(crate) fn encode(&self) -> [u8; BLOCK_HEAD_BYTES] {
        let mut bytes = [0; BLOCK_HEAD_BYTES];
        bytes[0] = self.kind;
        bytes[1..5].copy_from_slice(&self.length.to_le_bytes());
        bytes[5..13].copy_from_slice(&self.at.0.to_le_bytes());
        bytes[13..].copy_from_slice(&self.time_us.to_le_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: &[u8; BLOCK_HEAD_BYTES]) -> BlockHead {
        let number = |from| {
            let (number, _) = bytes[from..].split_first_chunk().expect("two numbers of eight bytes fit");
            u64::from_le_bytes(*number)
        };
        BlockHead {
            kind: bytes[0],
            length: u32::from_le_bytes([bytes[1], bytes[2], bytes[3], bytes[4]]),
            at: Offset(number(5)),
            time_us: number(13),
        }
    }

    /// How many bytes the whole block takes.
    pub(crate) fn block_bytes(&self) -> u64 {
        (BLOCK_HEAD_BYTES + CHECKSUM_BYTES) as u64 + u64::from(self.length)
    }
}
