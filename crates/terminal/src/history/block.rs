//! A few hundred lines with a style table of their own.

use std::sync::Arc;

use super::line::{self, StoredLine};
use crate::row::Row;
use crate::style::{LinkId, Style, StyleId};
use crate::tables::{Link, Tables};

/// A block is closed when its lines take so many bytes; their offsets then fit in 16 bits.
const BLOCK_BYTES: usize = 16 << 10;

/// See the module above.
#[derive(Default)]
pub(crate) struct Block {
    data: Vec<u8>,
    /// Where each line starts in `data`.
    offsets: Vec<u16>,
    /// Number 0 is the default style and not stored; links are numbers in `links`.
    styles: Vec<Style>,
    links: Vec<Arc<Link>>,
    /// What the links say, in bytes.
    link_bytes: usize,
    widest: usize,
    wrapped: bool,
    /// Some line ends in colour.
    filled: bool,
}

impl Block {
    pub(crate) fn len(&self) -> usize {
        self.offsets.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.data.len() >= BLOCK_BYTES
    }

    /// Memory that the block takes, roughly.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Block>()
            + self.data.len()
            + self.offsets.len() * size_of::<u16>()
            + self.styles.len() * size_of::<Style>()
            + self.link_bytes
    }

    /// Gives back memory that was reserved for more lines.
    pub(crate) fn seal(&mut self) {
        self.data.shrink_to_fit();
        self.offsets.shrink_to_fit();
        self.styles.shrink_to_fit();
        self.links.shrink_to_fit();
    }

    pub(crate) fn push(
        &mut self,
        row: &Row,
        mut style_number: impl FnMut(&mut Block, StyleId) -> u32,
        tables: &Tables,
    ) {
        self.offsets.push(self.data.len() as u16);
        let mut data = std::mem::take(&mut self.data);
        let cols = line::encode(row, tables, &mut data, |id| match id {
            StyleId::DEFAULT => 0,
            id => style_number(self, id),
        });
        self.data = data;
        self.widest = self.widest.max(cols);
        self.wrapped |= row.wrapped;
        self.filled |= row.fill != StyleId::DEFAULT;
    }

    /// The number of a style that the block did not have yet.
    pub(crate) fn add_style(&mut self, id: StyleId, tables: &Tables) -> u32 {
        let mut style = tables.styles.get(id);
        if let Some(link) = tables.link(style.link) {
            let known = self.links.iter().rposition(|known| known == link);
            let index = known.unwrap_or_else(|| {
                self.links.push(link.clone());
                self.link_bytes += link.bytes();
                self.links.len() - 1
            });
            style.link = LinkId(index as u32 + 1);
        }
        self.styles.push(style);
        self.styles.len() as u32
    }

    pub(crate) fn pop(&mut self) {
        if let Some(offset) = self.offsets.pop() {
            self.data.truncate(usize::from(offset));
        }
    }

    pub(crate) fn line(&self, index: usize) -> StoredLine<'_> {
        let start = usize::from(self.offsets[index]);
        let end = self.offsets.get(index + 1).map_or(self.data.len(), |&end| usize::from(end));
        line::decode(&self.data[start..end], &self.styles, &self.links)
    }

    /// True when no line changes with the width: none is wrapped, too wide, or has a coloured end that would be
    /// longer.
    pub(crate) fn fits(&self, old_cols: usize, cols: usize) -> bool {
        !self.wrapped && self.widest <= cols && (cols <= old_cols || !self.filled)
    }
}
