//! The head of a segment, before its first block.

use model::{Epoch, Offset, TermSize, WorkerId};

use crate::checksum::{CHECKSUM_BYTES, checksum};
use crate::segment_reader::OpenError;

/// How every segment begins. The first byte is not text, so that no program takes the file for text.
const MAGIC: &[u8; 8] = b"\x89abide\r\n";

/// The one layout there is.
pub(crate) const FORMAT_VERSION: u16 = 1;

/// What a segment is: the eleventh byte of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentKind {
    /// Raw, and perhaps still growing.
    Active = 1,
    /// Finished and compressed, with its text beside it for searches.
    Sealed = 2,
}

/// Magic, format version and kind: what a segment of any version begins with.
const FIXED_BYTES: usize = MAGIC.len() + 2 + 1;

/// How many bytes a head takes.
pub(crate) const HEAD_BYTES: usize = FIXED_BYTES + 8 + 4 + 8 + 8 + 2 + 2 + CHECKSUM_BYTES;

/// Whose output a segment holds, and where and when it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentHead {
    /// The worker.
    pub worker: WorkerId,
    /// The epoch of its host at the beginning.
    pub epoch: Epoch,
    /// How much output came before: the offset of the snapshot.
    pub at: Offset,
    /// When it began, in microseconds since the Unix epoch.
    pub time_us: u64,
    /// The terminal's size at the beginning.
    pub size: TermSize,
}

impl SegmentHead {
    pub(crate) fn encode(&self, kind: SegmentKind) -> [u8; HEAD_BYTES] {
        let mut bytes = Vec::with_capacity(HEAD_BYTES);
        bytes.extend(MAGIC);
        bytes.extend(FORMAT_VERSION.to_le_bytes());
        bytes.push(kind as u8);
        bytes.extend(self.worker.as_str().as_bytes());
        bytes.extend(self.epoch.0.to_le_bytes());
        bytes.extend(self.at.0.to_le_bytes());
        bytes.extend(self.time_us.to_le_bytes());
        bytes.extend(self.size.cols().to_le_bytes());
        bytes.extend(self.size.rows().to_le_bytes());
        bytes.extend(checksum(&[&bytes]));
        bytes.try_into().expect("the fields add up to HEAD_BYTES")
    }

    /// Reads a head from the beginning of a file, of which `bytes` is at most the first [`HEAD_BYTES`].
    pub(crate) fn decode(bytes: &[u8]) -> Result<(SegmentKind, SegmentHead), OpenError> {
        if !bytes.starts_with(MAGIC) {
            let torn = MAGIC.starts_with(bytes);
            return Err(if torn { OpenError::Damaged } else { OpenError::NotASegment });
        }
        let mut fields = Fields(&bytes[MAGIC.len()..]);
        match fields.take().map(u16::from_le_bytes) {
            Some(FORMAT_VERSION) => (),
            Some(version) => return Err(OpenError::Version(version)),
            None => return Err(OpenError::Damaged),
        }
        let kind = match fields.take() {
            Some([1]) => SegmentKind::Active,
            Some([2]) => SegmentKind::Sealed,
            Some([kind]) => return Err(OpenError::Kind(kind)),
            None => return Err(OpenError::Damaged),
        };
        let head = SegmentHead::decode_fields(bytes, fields).ok_or(OpenError::Damaged)?;
        Ok((kind, head))
    }

    /// Reads what a head says whose checksum is wrong: any of it may be untrue.
    pub(crate) fn decode_damaged(bytes: &[u8]) -> Option<SegmentHead> {
        let (head, sum) = bytes.split_last_chunk::<CHECKSUM_BYTES>()?;
        let is_damaged = bytes.len() == HEAD_BYTES && *sum != checksum(&[head]);
        SegmentHead::fields(Fields(bytes.get(FIXED_BYTES..)?)).filter(|_| is_damaged)
    }

    fn decode_fields(bytes: &[u8], fields: Fields<'_>) -> Option<SegmentHead> {
        let (head, sum) = bytes.split_last_chunk::<CHECKSUM_BYTES>()?;
        if bytes.len() != HEAD_BYTES || *sum != checksum(&[head]) {
            return None;
        }
        SegmentHead::fields(fields)
    }

    fn fields(mut fields: Fields<'_>) -> Option<SegmentHead> {
        Some(SegmentHead {
            worker: str::from_utf8(&fields.take::<8>()?).ok()?.parse().ok()?,
            epoch: Epoch(u32::from_le_bytes(fields.take()?)),
            at: Offset(u64::from_le_bytes(fields.take()?)),
            time_us: u64::from_le_bytes(fields.take()?),
            size: {
                let cols = u16::from_le_bytes(fields.take()?);
                TermSize::clamped(cols, u16::from_le_bytes(fields.take()?))
            },
        })
    }
}

/// Bytes that are taken field by field from the front.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*field)
    }
}
