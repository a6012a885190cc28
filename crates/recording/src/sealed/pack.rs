//! A pack: blocks one after the other, compressed together.

use std::io;

use model::Offset;

use crate::block::{BLOCK_HEAD_BYTES, Block, BlockHead, BlockKind, MAX_SNAPSHOT_BYTES};
use crate::payload;

/// A pack is closed when its blocks take so much: enough for good compression, and little to lose.
pub(super) const FULL_PACK_BYTES: usize = 512 << 10;

/// More than the blocks of any pack take: a full one, and a last block of the largest size.
const MOST_PACK_BYTES: usize = MAX_SNAPSHOT_BYTES + (2 << 20);

/// Text of terminals shrinks little more at higher levels.
const LEVEL: i32 = 3;

/// Appends a block to a pack that is being put together.
///
/// # Errors
///
/// When its payload is longer than its kind may have.
pub(super) fn append(pack: &mut Vec<u8>, block: &Block) -> io::Result<()> {
    let kind = match &block.kind {
        BlockKind::Snapshot(bytes) => BlockKind::Snapshot(bytes.as_slice()),
        BlockKind::Output(bytes) => BlockKind::Output(bytes.as_slice()),
        BlockKind::Resize(size) => BlockKind::Resize(*size),
        BlockKind::Gap { to } => BlockKind::Gap { to: *to },
        BlockKind::Epoch(epoch) => BlockKind::Epoch(*epoch),
        BlockKind::Exit(status) => BlockKind::Exit(*status),
    };
    let (kind, payload) = payload::encode(&kind);
    let length = u32::try_from(payload.len()).ok().filter(|_| payload.len() <= payload::max_bytes(kind));
    let length =
        length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the block is too long"))?;
    pack.extend(BlockHead { kind, length, at: block.at, time_us: block.time_us }.encode());
    pack.extend(payload.as_ref());
    Ok(())
}

/// A pack's payload: how long its blocks are, then the same compressed.
///
/// # Errors
///
/// When the compressor has no memory.
pub(super) fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    let mut payload = length.to_le_bytes().to_vec();
    payload.extend(zstd::bulk::compress(bytes, LEVEL)?);
    Ok(payload)
}

/// The bytes that were compressed; nothing if they are not as long as they shall be, or longer than `most`.
pub(super) fn decompress(payload: &[u8], most: usize) -> Option<Vec<u8>> {
    let (length, compressed) = payload.split_first_chunk()?;
    let length = u32::from_le_bytes(*length) as usize;
    if length > most {
        return None;
    }
    let bytes = zstd::bulk::decompress(compressed, length).ok()?;
    (bytes.len() == length).then_some(bytes)
}

/// A pack that is being read.
#[derive(Debug)]
pub(super) struct Pack {
    bytes: Vec<u8>,
    position: usize,
}

impl Pack {
    /// Nothing if it cannot be decompressed.
    pub(super) fn new(payload: &[u8]) -> Option<Pack> {
        Some(Pack { bytes: decompress(payload, MOST_PACK_BYTES)?, position: 0 })
    }

    /// The next block, which has to begin at `at`; nothing at the end, or if no such block follows. Unknown kinds
    /// are skipped.
    pub(super) fn next(&mut self, at: Offset) -> Option<Block> {
        loop {
            let rest = &self.bytes[self.position..];
            let (head, rest) = rest.split_first_chunk::<BLOCK_HEAD_BYTES>()?;
            let head = BlockHead::decode(head);
            let payload = rest.get(..head.length as usize)?;
            if head.at != at || payload.len() > payload::max_bytes(head.kind) {
                return None;
            }
            let kind = payload::decode(head.kind, payload.to_vec()).ok()?;
            self.position += BLOCK_HEAD_BYTES + payload.len();
            if let Some(kind) = kind {
                kind.end(at)?;
                return Some(Block { at, time_us: head.time_us, kind });
            }
        }
    }
}
