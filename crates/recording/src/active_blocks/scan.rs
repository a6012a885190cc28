//! Looking for a whole block behind what is damaged.

use model::Offset;

use crate::block::{BLOCK_HEAD_BYTES, BlockHead};
use crate::checksum::{CHECKSUM_BYTES, checksum};
use crate::payload::{self, SNAPSHOT};

/// How far is looked: a segment is at most half as long behind its snapshot.
pub(super) const MOST_BYTES: u64 = 16 << 20;

/// What is summed up for each byte that is looked at, on average. Output can be made so that it looks like the heads of
/// large blocks all over; that must not keep a reader busy for long.
const SUMMED_FOR_ONE: usize = 64;

/// Finds the first whole block behind the beginning of `rest`, where there is none, that goes on at `from` or later: its
/// place, and its head.
///
/// What begins like the next block and goes on beyond the end may be one that is just being written. What looks like blocks
/// in it is output, unless it goes up to the very end.
pub(super) fn next_whole(rest: &[u8], from: Offset) -> Option<(usize, BlockHead)> {
    let mut left = rest.len().saturating_mul(SUMMED_FOR_ONE);
    let damaged = head_at(rest, 0)?;
    let is_like_next = damaged.at == from && payload::is_known(damaged.kind);
    let end = usize::try_from(damaged.block_bytes()).ok()?;
    if is_like_next && end <= rest.len() {
        // Its payload may look like blocks too, so its own word on its length counts first.
        if let Some(head) = whole_at(rest, end, from, &mut left) {
            return Some((end, head));
        }
    }
    let is_unfinished = is_like_next && end > rest.len();
    (1..rest.len()).find_map(|place| {
        let head = whole_at(rest, place, from, &mut left)?;
        (!is_unfinished || goes_to_end(rest, place, &mut left)).then_some((place, head))
    })
}

/// Whether whole blocks follow each other from a place up to the end.
fn goes_to_end(rest: &[u8], mut place: usize, left: &mut usize) -> bool {
    let mut from = Offset(0);
    while place < rest.len() {
        let Some(head) = whole_at(rest, place, from, left) else { return false };
        from = head.at;
        place += head.block_bytes() as usize;
    }
    true
}

fn head_at(rest: &[u8], place: usize) -> Option<BlockHead> {
    rest.get(place..)?.first_chunk::<BLOCK_HEAD_BYTES>().map(BlockHead::decode)
}

/// The head of a whole block at a place. Only the first of a segment is a snapshot, and one of an unknown kind tells too
/// little of itself to be sure.
fn whole_at(rest: &[u8], place: usize, from: Offset, left: &mut usize) -> Option<BlockHead> {
    let head = head_at(rest, place)?;
    let is_possible = payload::is_known(head.kind)
        && head.kind != SNAPSHOT
        && head.at >= from
        && head.length as usize <= payload::max_bytes(head.kind);
    if !is_possible {
        return None;
    }
    let bytes = rest[place..].get(..head.block_bytes() as usize)?;
    *left = left.checked_sub(bytes.len())?;
    let (summed, sum) = bytes.split_last_chunk::<CHECKSUM_BYTES>()?;
    if *sum != checksum(&[summed]) {
        return None;
    }
    let kind = payload::decode(head.kind, summed[BLOCK_HEAD_BYTES..].to_vec()).ok()??;
    kind.end(head.at).is_some().then_some(head)
}
