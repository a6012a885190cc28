//! A screen that was cleared, by a person or by a program that draws it anew.

use std::collections::HashSet;

use terminal::StyledRow;

use super::rows::{texts, used};

/// Drawing anew is over when nothing came for so long.
const DRAWN_US: u64 = 50_000;

/// Programs do not redraw more rows than this.
const MOST_ROWS: usize = 5_000;

/// What a clear took off, and what scrolled off since.
pub(super) struct Redraw {
    cleared: Vec<StyledRow>,
    scrolled: Vec<StyledRow>,
    since_us: u64,
}

impl Redraw {
    pub(super) fn begin(cleared: Vec<StyledRow>, since_us: u64) -> Redraw {
        Redraw { cleared, scrolled: Vec::new(), since_us }
    }

    pub(super) fn scrolled(&mut self, row: StyledRow) {
        self.scrolled.push(row);
    }

    /// Whether so much scrolled off that nothing is drawn anew.
    pub(super) fn is_long(&self) -> bool {
        self.scrolled.len() > MOST_ROWS
    }

    /// Whether what comes at this time belongs to something else.
    pub(super) fn is_over(&self, time_us: u64) -> bool {
        time_us.saturating_sub(self.since_us) > DRAWN_US
    }

    /// What is to be given out, given what is on the screen now. Cleared rows are not, if most of them are there again.
    pub(super) fn rows_to_give(self, screen: &[StyledRow]) -> impl Iterator<Item = StyledRow> {
        let now: HashSet<String> = texts(screen).chain(texts(&self.scrolled)).collect();
        let lines: Vec<String> = texts(&self.cleared).collect();
        let again = lines.iter().filter(|line| now.contains(*line)).count();
        let kept = if again * 2 > lines.len() { 0 } else { used(&self.cleared) };
        self.cleared.into_iter().take(kept).chain(self.scrolled)
    }
}
