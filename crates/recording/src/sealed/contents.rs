//! Where everything in a sealed segment is.

use std::fs::File;
use std::os::unix::fs::FileExt;

use model::Offset;

use crate::segment_head::HEAD_BYTES;

use super::outer::{self, CONTENTS, PACK, TEXT};

/// Bytes of the contents before the list of places.
const FIXED_BYTES: usize = 1 + 8 + 8;

/// Bytes of one place in the list.
const PLACE_BYTES: usize = 1 + 8 + 8 + 8;

/// At the very end of the file: how many bytes the second copy of the contents takes.
const LENGTH_BYTES: usize = 4;

/// Whether the secrets in a segment have been masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Masked {
    /// They have, as far as the rules of that day knew them.
    Yes,
    /// Its owner wanted it as it was.
    No,
}

/// What a sealed segment holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) masked: Masked,
    /// The offset after its last block.
    pub(super) end: Offset,
    /// The latest time in it.
    pub(super) end_time_us: u64,
    pub(super) places: Vec<Place>,
}

/// Where a pack or a text is, and what it begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) kind: u8,
    pub(super) position: u64,
    pub(super) at: Offset,
    pub(super) time_us: u64,
}

impl Contents {
    /// How many bytes the contents of so many places take as a block.
    pub(super) fn bytes(places: usize) -> u64 {
        outer::block_bytes(FIXED_BYTES + places * PLACE_BYTES)
    }

    pub(super) fn append_to(&self, file: &mut Vec<u8>) {
        let mut payload = Vec::with_capacity(FIXED_BYTES + self.places.len() * PLACE_BYTES);
        payload.push(u8::from(self.masked == Masked::Yes));
        payload.extend(self.end.0.to_le_bytes());
        payload.extend(self.end_time_us.to_le_bytes());
        for place in &self.places {
            payload.push(place.kind);
            payload.extend(place.position.to_le_bytes());
            payload.extend(place.at.0.to_le_bytes());
            payload.extend(place.time_us.to_le_bytes());
        }
        outer::append(file, CONTENTS, self.end, self.end_time_us, &payload);
    }

    /// Appends the second copy, which is found from the end of the file.
    pub(super) fn append_copy_to(&self, file: &mut Vec<u8>) {
        let before = file.len();
        self.append_to(file);
        let length = u32::try_from(file.len() - before).expect("a segment has few packs and texts");
        file.extend(length.to_le_bytes());
    }

    /// Reads the contents, from the end of the file if those behind the head are damaged.
    pub(super) fn read(file: &File) -> Option<Contents> {
        Contents::read_at(file, HEAD_BYTES as u64).or_else(|| {
            let end = file.metadata().ok()?.len().checked_sub(LENGTH_BYTES as u64)?;
            let mut length = [0; LENGTH_BYTES];
            file.read_exact_at(&mut length, end).ok()?;
            Contents::read_at(file, end.checked_sub(u64::from(u32::from_le_bytes(length)))?)
        })
    }

    fn read_at(file: &File, position: u64) -> Option<Contents> {
        let payload = outer::read(file, position, CONTENTS)?.payload;
        let (fixed, list) = payload.split_first_chunk::<FIXED_BYTES>()?;
        let (places, _) = list.as_chunks::<PLACE_BYTES>();
        Some(Contents {
            masked: if fixed[0] & 1 == 1 { Masked::Yes } else { Masked::No },
            end: Offset(number(fixed, 1)),
            end_time_us: number(fixed, 9),
            places: places
                .iter()
                .map(|place| Place {
                    kind: place[0],
                    position: number(place, 1),
                    at: Offset(number(place, 9)),
                    time_us: number(place, 17),
                })
                .collect(),
        })
    }

    /// The places of packs alone.
    pub(super) fn packs(&self) -> impl Iterator<Item = Place> {
        self.places.iter().copied().filter(|place| place.kind == PACK)
    }

    /// The places of texts alone.
    pub(super) fn texts(&self) -> impl Iterator<Item = Place> {
        self.places.iter().copied().filter(|place| place.kind == TEXT)
    }
}

fn number(bytes: &[u8], from: usize) -> u64 {
    let (number, _) = bytes[from..].split_first_chunk().expect("the caller knows that there are eight bytes");
    u64::from_le_bytes(*number)
}
