//! The newest output, kept in memory once for all its readers.
//!
//! The model, the recorder and every viewer are offsets into the tape; none has a queue of its own. Bytes that no
//! reader may still need are dropped from its front.

use std::collections::VecDeque;
use std::io::IoSlice;

use model::Offset;

/// Large enough that a flood takes few of them, small enough that an idle worker touches one.
const BLOCK_BYTES: usize = 32 << 10;

/// A stretch of a worker's output.
#[derive(Debug)]
pub(crate) struct Tape {
    blocks: VecDeque<Vec<u8>>,
    /// The offset of the first block's first byte.
    first: Offset,
    /// The first byte that may still be read; in the first block.
    start: Offset,
    /// After the last byte.
    end: Offset,
    /// A block that was dropped and can be filled again, so that a flood allocates nothing.
    spare: Option<Vec<u8>>,
}

impl Tape {
    /// An empty tape of a worker that has printed `at` bytes.
    pub(crate) fn new(at: Offset) -> Tape {
        Tape { blocks: VecDeque::new(), first: at, start: at, end: at, spare: None }
    }

    /// The oldest byte that is still there.
    pub(crate) fn start(&self) -> Offset {
        self.start
    }

    /// After the newest byte.
    pub(crate) fn end(&self) -> Offset {
        self.end
    }

    /// Puts output at the end.
    pub(crate) fn append(&mut self, mut bytes: &[u8]) {
        self.end += bytes.len();
        while !bytes.is_empty() {
            if self.blocks.back().is_none_or(|block| block.len() == BLOCK_BYTES) {
                let fresh = self.spare.take().unwrap_or_else(|| Vec::with_capacity(BLOCK_BYTES));
                self.blocks.push_back(fresh);
            }
            let Some(block) = self.blocks.back_mut() else { return };
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK_BYTES - block.len()));
            block.extend_from_slice(now);
            bytes = later;
        }
    }

    /// Forgets what is before this offset. Whole blocks are given back.
    pub(crate) fn forget_before(&mut self, offset: Offset) {
        self.start = self.start.max(offset.min(self.end));
        while self.blocks.len() > 1 && self.start - self.first >= BLOCK_BYTES {
            self.first += BLOCK_BYTES;
            if let Some(mut block) = self.blocks.pop_front() {
                block.clear();
                self.spare = Some(block);
            }
        }
    }

    /// Up to `most` bytes from this offset on, in the pieces they are stored in. Nothing if the offset is not on the
    /// tape.
    pub(crate) fn slices(&self, from: Offset, most: usize) -> impl Iterator<Item = &[u8]> {
        let on_tape = from >= self.start && from <= self.end;
        let mut skip = if on_tape { from - self.first } else { 0 };
        let mut left = if on_tape { most.min(self.end - from) } else { 0 };
        self.blocks.iter().filter_map(move |block| {
            let from = skip.min(block.len());
            skip -= from;
            let piece = &block[from..];
            let piece = &piece[..piece.len().min(left)];
            left -= piece.len();
            (!piece.is_empty()).then_some(piece)
        })
    }

    /// Copies up to `most` bytes from this offset on to the end of `chunk`.
    pub(crate) fn copy(&self, from: Offset, most: usize, chunk: &mut Vec<u8>) {
        for piece in self.slices(from, most) {
            chunk.extend_from_slice(piece);
        }
    }

    /// The same as [`Tape::slices`], for one system call.
    pub(crate) fn io_slices<'a>(&'a self, from: Offset, most: usize, into: &mut Vec<IoSlice<'a>>) {
        into.extend(self.slices(from, most).map(IoSlice::new));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_tape_returns_the_bytes_that_were_appended(
            pieces in prop::collection::vec((0_usize..200_000, 0_usize..300_000), 1..20),
        ) {
            let mut all: Vec<u8> = Vec::new();
            let mut tape = Tape::new(Offset(7));
            for (length, keep) in pieces {
                let bytes: Vec<u8> = (all.len()..all.len() + length).map(|n| (n / 3) as u8).collect();
                tape.append(&bytes);
                all.extend(&bytes);
                tape.forget_before(Offset(tape.end().0.saturating_sub(keep as u64)));
                let mut kept = Vec::new();
                tape.copy(tape.start(), usize::MAX, &mut kept);
                prop_assert_eq!(tape.end() - Offset(7), all.len());
                prop_assert_eq!(&kept[..], &all[all.len() - kept.len()..]);
                prop_assert_eq!(kept.len(), tape.end() - tape.start());
                prop_assert!(tape.blocks.len() * BLOCK_BYTES <= kept.len() + 2 * BLOCK_BYTES);
            }
        }
    }

    #[test]
    fn offsets_outside_the_tape_read_nothing() {
        let mut tape = Tape::new(Offset(0));
        tape.append(&[1; 100_000]);
        tape.forget_before(Offset(90_000));
        assert_eq!(tape.slices(Offset(80_000), 10).count(), 0);
        assert_eq!(tape.slices(Offset(100_001), 10).count(), 0);
        assert_eq!(tape.slices(Offset(90_000), 10).map(<[u8]>::len).sum::<usize>(), 10);
    }
}
