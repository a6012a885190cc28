//! The child's output alone, from an offset on.

use model::Offset;

use crate::block::{Block, BlockKind};
use crate::recording::Blocks;

/// A stretch of output, present or missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stretch {
    /// The child printed this.
    Output {
        /// The offset of the first byte.
        at: Offset,
        /// At least one byte.
        bytes: Vec<u8>,
    },
    /// The recording has not got this: it was trimmed away, never written, or is damaged.
    Gap {
        /// The offset of the first byte that is missing.
        from: Offset,
        /// The offset of the first byte that is not, if anybody knows how many are missing.
        to: Option<Offset>,
    },
}

/// Iterator over a worker's output: every offset from the first on comes once, in order, as output or in a gap.
#[derive(Debug)]
pub struct OutputFrom {
    blocks: Blocks,
    /// The offset that comes next.
    at: Offset,
}

impl OutputFrom {
    pub(crate) fn new(blocks: Blocks, from: Offset) -> OutputFrom {
        OutputFrom { blocks, at: from }
    }

    fn stretch(&mut self, block: Block) -> Option<Stretch> {
        match block.kind {
            BlockKind::Output(bytes) => self.output(block.at, bytes),
            BlockKind::Snapshot(_) => self.gap_to(block.at),
            BlockKind::Gap { to: Some(to) } => self.gap_to(to),
            BlockKind::Gap { to: None } => {
                (block.at >= self.at).then_some(Stretch::Gap { from: block.at, to: None })
            }
            BlockKind::Resize(_) | BlockKind::Epoch(_) | BlockKind::Exit(_) => None,
        }
    }

    fn output(&mut self, at: Offset, mut bytes: Vec<u8>) -> Option<Stretch> {
        bytes.drain(..(self.at - at).min(bytes.len()));
        if bytes.is_empty() {
            return None;
        }
        let at = self.at;
        self.at += bytes.len();
        Some(Stretch::Output { at, bytes })
    }

    fn gap_to(&mut self, to: Offset) -> Option<Stretch> {
        let from = self.at;
        self.at = to.max(from);
        (to > from).then_some(Stretch::Gap { from, to: Some(to) })
    }
}

impl Iterator for OutputFrom {
    type Item = Stretch;

    fn next(&mut self) -> Option<Stretch> {
        loop {
            let block = self.blocks.next()?;
            if let Some(stretch) = self.stretch(block) {
                return Some(stretch);
            }
        }
    }
}
