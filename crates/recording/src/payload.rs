//! The payload of a block, between its head and its checksum, for each kind.

use std::borrow::Cow;

use model::{Epoch, ExitStatus, Offset, TermSize};
use thiserror::Error;

use crate::block::{BlockKind, MAX_OUTPUT_BYTES, MAX_SNAPSHOT_BYTES};

// The number of a kind that is no longer written is never given to another. Zero is none, so that no stretch of zeroes
// begins like a block.
pub(crate) const SNAPSHOT: u8 = 1;
const OUTPUT: u8 = 2;
const RESIZE: u8 = 3;
const GAP: u8 = 4;
const EPOCH: u8 = 5;
const EXIT: u8 = 6;

const STATUS_UNKNOWN: u8 = 0;
const STATUS_EXITED: u8 = 1;
const STATUS_KILLED: u8 = 2;

/// A payload that is too short for what its kind must say.
#[derive(Debug, Error)]
#[error("the payload does not fit its kind")]
pub(crate) struct Malformed;

/// Whether this program knows the kind.
pub(crate) fn is_known(kind: u8) -> bool {
    (SNAPSHOT..=EXIT).contains(&kind)
}

/// The longest payload of a kind. An unknown kind may be as long as any.
pub(crate) fn max_bytes(kind: u8) -> usize {
    match kind {
        OUTPUT | RESIZE | GAP | EPOCH | EXIT => MAX_OUTPUT_BYTES,
        _ => MAX_SNAPSHOT_BYTES,
    }
}

/// The number of a kind, and its payload.
pub(crate) fn encode<'a>(kind: &BlockKind<&'a [u8]>) -> (u8, Cow<'a, [u8]>) {
    match *kind {
        BlockKind::Snapshot(bytes) => (SNAPSHOT, bytes.into()),
        BlockKind::Output(bytes) => (OUTPUT, bytes.into()),
        BlockKind::Resize(size) => {
            (RESIZE, [size.cols().to_le_bytes(), size.rows().to_le_bytes()].concat().into())
        }
        BlockKind::Gap { to: Some(to) } => (GAP, to.0.to_le_bytes().to_vec().into()),
        BlockKind::Gap { to: None } => (GAP, Cow::default()),
        BlockKind::Epoch(epoch) => (EPOCH, epoch.0.to_le_bytes().to_vec().into()),
        BlockKind::Exit(status) => {
            let (tag, value) = match status {
                ExitStatus::Unknown => (STATUS_UNKNOWN, 0),
                ExitStatus::Exited { code } => (STATUS_EXITED, code),
                ExitStatus::Killed { signal } => (STATUS_KILLED, signal),
            };
            (EXIT, vec![tag, value].into())
        }
    }
}

/// What a payload says; nothing if its kind is unknown. What follows the known fields is left alone, so that a kind
/// can be given more of them.
pub(crate) fn decode(kind: u8, payload: Vec<u8>) -> Result<Option<BlockKind>, Malformed> {
    Ok(Some(match kind {
        SNAPSHOT => BlockKind::Snapshot(payload),
        OUTPUT => BlockKind::Output(payload),
        RESIZE => {
            let [c0, c1, r0, r1] = fields(&payload)?;
            BlockKind::Resize(TermSize::clamped(u16::from_le_bytes([c0, c1]), u16::from_le_bytes([r0, r1])))
        }
        GAP if payload.is_empty() => BlockKind::Gap { to: None },
        GAP => BlockKind::Gap { to: Some(Offset(u64::from_le_bytes(fields(&payload)?))) },
        EPOCH => BlockKind::Epoch(Epoch(u32::from_le_bytes(fields(&payload)?))),
        EXIT => BlockKind::Exit(match fields(&payload)? {
            [STATUS_EXITED, code] => ExitStatus::Exited { code },
            [STATUS_KILLED, signal] => ExitStatus::Killed { signal },
            [_, _] => ExitStatus::Unknown,
        }),
        _ => return Ok(None),
    }))
}

fn fields<const N: usize>(payload: &[u8]) -> Result<[u8; N], Malformed> {
    payload.first_chunk().copied().ok_or(Malformed)
}
