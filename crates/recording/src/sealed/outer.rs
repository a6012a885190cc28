//! What a sealed segment's file consists of: blocks as in an active one, of kinds of their own.

use std::fs::File;
use std::os::unix::fs::FileExt;

use model::Offset;

use crate::block::{BLOCK_HEAD_BYTES, BlockHead};
use crate::checksum::{CHECKSUM_BYTES, checksum};

/// The kinds that only sealed segments have; the numbers below are those of the blocks inside packs.
pub(super) const CONTENTS: u8 = 16;
pub(super) const TEXT: u8 = 17;
pub(super) const PACK: u8 = 18;

/// More than a pack with the largest snapshot takes, should nothing of it be compressible.
const MOST_PAYLOAD_BYTES: u32 = 80 << 20;

/// A block of the file, with its place and time.
pub(super) struct Outer {
    pub(super) head: BlockHead,
    pub(super) payload: Vec<u8>,
}

/// Appends a block to a file's bytes.
pub(super) fn append(file: &mut Vec<u8>, kind: u8, at: Offset, time_us: u64, payload: &[u8]) {
    let length = u32::try_from(payload.len()).expect("a payload is put together from bounded parts");
    let head = BlockHead { kind, length, at, time_us }.encode();
    file.extend(head);
    file.extend(payload);
    file.extend(checksum(&[&head, payload]));
}

/// How many bytes a block with such a payload takes.
pub(super) fn block_bytes(payload: usize) -> u64 {
    (BLOCK_HEAD_BYTES + payload + CHECKSUM_BYTES) as u64
}

/// Reads the block at a place, if a whole one of that kind stands there.
pub(super) fn read(file: &File, position: u64, kind: u8) -> Option<Outer> {
    let mut head_bytes = [0; BLOCK_HEAD_BYTES];
    file.read_exact_at(&mut head_bytes, position).ok()?;
    let head = BlockHead::decode(&head_bytes);
    let end = position.checked_add(head.block_bytes())?;
    if head.kind != kind || head.length > MOST_PAYLOAD_BYTES || end > file.metadata().ok()?.len() {
        return None;
    }
    let mut payload = vec![0; head.length as usize + CHECKSUM_BYTES];
    file.read_exact_at(&mut payload, position + BLOCK_HEAD_BYTES as u64).ok()?;
    let sum = payload.split_off(head.length as usize);
    (sum == checksum(&[&head_bytes, &payload])).then_some(Outer { head, payload })
}
