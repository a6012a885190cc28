//! The blocks of a sealed segment.

use std::fs::File;
use std::vec;

use model::Offset;

use crate::block::{Block, BlockKind};
use crate::segment_reader::OpenError;

use super::contents::{Contents, Masked, Place};
use super::outer::{self, PACK};
use super::pack::Pack;

/// Reads every block of every pack that is whole; what lies in others is handed out as a gap.
#[derive(Debug)]
pub(crate) struct SealedBlocks {
    file: File,
    contents: Contents,
    later: vec::IntoIter<Place>,
    present: Option<Pack>,
    /// What a present pack begins with, behind output that is missing.
    gap: Option<Block>,
    at: Offset,
    lost_bytes: u64,
}

impl SealedBlocks {
    pub(crate) fn open(file: File, at: Offset) -> Result<SealedBlocks, OpenError> {
        let contents = Contents::read(&file).ok_or(OpenError::Damaged)?;
        let later = packs(&contents);
        Ok(SealedBlocks { file, contents, later, present: None, gap: None, at, lost_bytes: 0 })
    }

    pub(crate) fn restart(&mut self, at: Offset) {
        self.later = packs(&self.contents);
        (self.present, self.gap, self.at, self.lost_bytes) = (None, None, at, 0);
    }

    /// Whether secrets in it have been masked.
    pub(crate) fn masked(&self) -> Masked {
        self.contents.masked
    }

    /// Bytes of packs that turned out not to be whole.
    pub(crate) fn lost_bytes(&self) -> u64 {
        self.lost_bytes
    }

    pub(crate) fn next(&mut self) -> Option<Block> {
        loop {
            if let Some(gap) = self.gap.take() {
                return Some(gap);
            }
            if let Some(pack) = &mut self.present {
                if let Some(block) = pack.next(self.at) {
                    self.at = block.kind.end(block.at).unwrap_or(block.at);
                    return Some(block);
                }
                self.present = None;
            }
            match self.later.next() {
                Some(place) => self.load(place),
                None => return self.missing_end(),
            }
        }
    }

    fn load(&mut self, place: Place) {
        let pack = outer::read(&self.file, place.position, PACK).and_then(|outer| {
            let pack = Pack::new(&outer.payload)?;
            // Places are told twice, so that neither a pack in another's place nor one of another time is taken.
            (outer.head.at == place.at && place.at >= self.at).then_some(pack)
        });
        if pack.is_none() {
            let end = self.later.as_slice().first().map_or_else(
                || self.file.metadata().map_or(place.position, |file| file.len()),
                |next| next.position,
            );
            self.lost_bytes += end.saturating_sub(place.position);
            return;
        }
        self.gap = self.gap_to(place.at, place.time_us);
        self.present = pack;
    }

    /// Output that was in the last packs, if those are damaged.
    fn missing_end(&mut self) -> Option<Block> {
        let (end, time_us) = (self.contents.end, self.contents.end_time_us);
        self.gap_to(end, time_us)
    }

    fn gap_to(&mut self, to: Offset, time_us: u64) -> Option<Block> {
        if to <= self.at {
            return None;
        }
        let gap = Block { at: self.at, time_us, kind: BlockKind::Gap { to: Some(to) } };
        self.at = to;
        Some(gap)
    }
}

fn packs(contents: &Contents) -> vec::IntoIter<Place> {
    contents.packs().collect::<Vec<_>>().into_iter()
}
