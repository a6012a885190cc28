//! The rows that the page has already, and that must not come twice.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};

use terminal::StyledRow;

use super::page::Page;

/// How much text a byte of output may become. No program that means well comes near this, while two short sequences
/// that repeat a character and clear the screen could fill a disk.
const COLUMNS_FOR_ONE: u64 = 16;

/// How much text there may be in any case.
const LEAST_COLUMNS: u64 = 1 << 20;

/// A program that cleared the history prints it again at once, if at all.
const AGAIN_US: u64 = 1_000_000;

/// Rows that are remembered in case they are printed again.
const MOST_REMEMBERED: usize = 100_000;

/// Counts the rows that were given out.
#[derive(Default)]
pub(super) struct Given {
    allowed_columns: u64,
    used_columns: u64,
    /// The rows given out, by the checksums of what they say.
    rows: HashSet<u64>,
    /// Up to this time, rows that were given out may be printed again.
    again_until_us: u64,
    /// The latest row had been given out before, and so may the blank ones behind it.
    is_again: bool,
}

impl Given {
    /// So much output has come, which may become text.
    pub(super) fn allow(&mut self, output_bytes: usize) {
        self.allowed_columns += COLUMNS_FOR_ONE * output_bytes as u64;
    }

    /// The history was cleared: a program may print all of it again, with the rest of its page.
    pub(super) fn may_come_again(&mut self, time_us: u64) {
        self.again_until_us = time_us + AGAIN_US;
    }

    /// Gives a row out, unless it was already.
    pub(super) fn give<W: Write>(
        &mut self,
        row: &StyledRow,
        cols: u16,
        time_us: u64,
        page: &mut Page<W>,
    ) -> io::Result<()> {
        let is_again = self.was_given(row);
        if time_us <= self.again_until_us && is_again {
            return Ok(());
        }
        if self.spend(std::slice::from_ref(row)) { page.row(row, cols) } else { Ok(()) }
    }

    fn was_given(&mut self, row: &StyledRow) -> bool {
        let text = row.text();
        let mut sum = DefaultHasher::new();
        text.trim_end().hash(&mut sum);
        if self.rows.len() > MOST_REMEMBERED {
            self.rows.clear();
        }
        if !text.trim_end().is_empty() {
            self.is_again = !self.rows.insert(sum.finish());
        }
        self.is_again
    }

    /// Counts these rows as given out, if they may still be.
    pub(super) fn spend(&mut self, rows: &[StyledRow]) -> bool {
        let columns = rows.iter().flat_map(|row| &row.spans).map(|span| u64::from(span.cols)).sum::<u64>();
        let used_columns = self.used_columns + columns + rows.len() as u64;
        if used_columns > self.allowed_columns + LEAST_COLUMNS {
            return false;
        }
        self.used_columns = used_columns;
        true
    }
}
