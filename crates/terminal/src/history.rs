//! Lines that scrolled off the main screen, kept small.
//!
//! A line is its text in UTF-8 and runs of styles, not a row of cells: a full line of 120 columns costs about 125
//! bytes. Lines are gathered in blocks with a style table of their own, so that a program which prints in a million
//! colours cannot make one table grow without end.

mod block;
mod line;
mod numbers;

use std::collections::VecDeque;

use block::Block;
use numbers::StyleNumbers;

pub(crate) use line::{StoredGlyph, StoredLine};

use crate::row::Row;
use crate::tables::Tables;

/// How much history is kept, whichever is reached first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryLimit {
    /// Rows.
    pub lines: usize,
    /// Bytes of memory.
    pub bytes: usize,
}

impl Default for HistoryLimit {
    fn default() -> HistoryLimit {
        HistoryLimit { lines: 10_000, bytes: 16 << 20 }
    }
}

/// The lines, oldest first.
pub(crate) struct History {
    blocks: VecDeque<Block>,
    /// Lines of the first block that are no longer wanted.
    dropped: usize,
    len: usize,
    bytes: usize,
    limit: HistoryLimit,
    /// Whether lines were dropped for want of room.
    cut: bool,
    /// Whether the newest block takes more lines. One that was left does not: its styles would enter its table again.
    open: bool,
    /// Where styles of the live screens are in the newest block's table.
    known_styles: StyleNumbers,
}

impl History {
    pub(crate) fn new(limit: HistoryLimit) -> History {
        History {
            blocks: VecDeque::new(),
            dropped: 0,
            len: 0,
            bytes: 0,
            limit,
            cut: false,
            open: false,
            known_styles: StyleNumbers::default(),
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn clear(&mut self) {
        *self = History::new(self.limit);
    }

    /// Style numbers of the live screens have changed their meaning: what is known of the newest block is no longer.
    pub(crate) fn close_block(&mut self) {
        self.open = false;
    }

    pub(crate) fn push(&mut self, row: &Row, tables: &Tables) {
        if self.limit.lines == 0 {
            return;
        }
        if !self.open || self.blocks.back().is_none_or(Block::is_full) {
            self.open_block();
        }
        let Some(block) = self.blocks.back_mut() else { return };
        let before = block.bytes();
        let known = &mut self.known_styles;
        block.push(row, |block, id| known.get_or_add(id, || block.add_style(id, tables)), tables);
        self.bytes += block.bytes() - before;
        self.len += 1;
        self.enforce_limit();
    }

    fn open_block(&mut self) {
        if let Some(full) = self.blocks.back_mut() {
            full.seal();
        }
        self.known_styles.clear();
        self.open = true;
        let block = Block::default();
        self.bytes += block.bytes();
        self.blocks.push_back(block);
    }

    fn enforce_limit(&mut self) {
        while self.len > self.limit.lines || (self.bytes > self.limit.bytes && self.blocks.len() > 1) {
            let Some(first) = self.blocks.front() else { return };
            self.cut = true;
            if self.len > self.limit.lines && self.dropped + 1 < first.len() {
                self.dropped += 1;
                self.len -= 1;
            } else {
                self.len -= first.len() - self.dropped;
                self.bytes -= first.bytes();
                self.dropped = 0;
                self.blocks.pop_front();
            }
        }
    }

    /// Drops all but the newest `n` lines.
    pub(crate) fn keep_last(&mut self, n: usize) {
        while self.len > n {
            let Some(first) = self.blocks.front() else { return };
            let left = first.len() - self.dropped;
            if self.len - n < left {
                self.dropped += self.len - n;
                self.len = n;
            } else {
                self.len -= left;
                self.bytes -= first.bytes();
                self.dropped = 0;
                self.blocks.pop_front();
            }
        }
        if self.blocks.is_empty() {
            self.open = false;
        }
    }

    /// A line, counted from the oldest.
    pub(crate) fn line(&self, index: usize) -> Option<StoredLine<'_>> {
        let mut index = index + self.dropped;
        for block in &self.blocks {
            if index < block.len() {
                return Some(block.line(index));
            }
            index -= block.len();
        }
        None
    }

    /// The newest `n` lines, oldest of them first.
    pub(crate) fn last(&self, n: usize) -> impl Iterator<Item = StoredLine<'_>> {
        let skip = self.dropped + self.len - n.min(self.len);
        let mut before = 0;
        self.blocks.iter().flat_map(move |block| {
            let start = skip.saturating_sub(before).min(block.len());
            before += block.len();
            (start..block.len()).map(|index| block.line(index))
        })
    }

    /// Takes the newest line back.
    pub(crate) fn pop(&mut self, tables: &mut Tables) -> Option<Row> {
        if self.len == 0 {
            return None;
        }
        let block = self.blocks.back_mut()?;
        let before = block.bytes();
        let row = block.line(block.len() - 1).to_row(tables);
        block.pop();
        self.bytes -= before - block.bytes();
        self.len -= 1;
        if block.len() == 0 {
            self.bytes -= block.bytes();
            self.blocks.pop_back();
            self.open = false;
        }
        if self.len == 0 {
            self.clear();
        }
        Some(row)
    }

    /// Takes everything out, in blocks that say whether they would look the same in another width. `continues` says
    /// whether the last line goes on after the history.
    pub(crate) fn take_blocks(&mut self, continues: bool) -> TakenBlocks {
        let blocks = std::mem::take(&mut self.blocks);
        let taken = TakenBlocks { blocks, dropped: self.dropped, continues };
        *self = History { cut: self.cut, ..History::new(self.limit) };
        taken
    }

    /// Puts a block back unchanged.
    pub(crate) fn push_block(&mut self, block: TakenBlock) {
        let TakenBlock { block, dropped } = block;
        if self.blocks.is_empty() {
            // Only the oldest block has lines that are no longer wanted.
            self.dropped = dropped;
        }
        self.open = false;
        self.len += block.len() - dropped;
        self.bytes += block.bytes();
        self.blocks.push_back(block);
        self.enforce_limit();
    }

    /// How many of the newest rows are the last logical line.
    pub(crate) fn rows_of_last_line(&self) -> usize {
        let wrapped =
            (0..self.len).rev().take_while(|&row| self.line(row).is_some_and(|line| line.wrapped)).count();
        (wrapped + 1).min(self.len)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }
}

/// History taken out for a resize.
pub(crate) struct TakenBlocks {
    blocks: VecDeque<Block>,
    dropped: usize,
    continues: bool,
}

/// One block of it.
pub(crate) struct TakenBlock {
    block: Block,
    dropped: usize,
}

impl TakenBlocks {
    pub(crate) fn next(&mut self) -> Option<TakenBlock> {
        let block = self.blocks.pop_front()?;
        Some(TakenBlock { block, dropped: std::mem::take(&mut self.dropped) })
    }

    /// True when there is a next block and it begins a line.
    pub(crate) fn next_begins(&self) -> bool {
        !self.blocks.is_empty() && !self.next_continues()
    }

    /// True when what comes next begins in the middle of a line.
    pub(crate) fn next_continues(&self) -> bool {
        match self.blocks.front() {
            Some(block) => block.line(0).wrapped,
            None => self.continues,
        }
    }
}

impl TakenBlock {
    pub(crate) fn len(&self) -> usize {
        self.block.len() - self.dropped
    }

    /// True when its lines look the same in another width.
    pub(crate) fn fits(&self, old_cols: usize, cols: usize) -> bool {
        self.block.fits(old_cols, cols)
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = StoredLine<'_>> {
        (self.dropped..self.block.len()).map(|index| self.block.line(index))
    }
}
