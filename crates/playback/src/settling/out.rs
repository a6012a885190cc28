//! Lines on their way out.

use std::collections::VecDeque;

use model::Offset;
use recording::{Line, LineKind};

use super::text::without_end;

/// How much text a byte of output may become. A tab becomes eight blanks, and moving the cursor skips more; no program
/// that means well comes near this, while two short sequences that repeat a character and clear the screen could
/// become a million characters, again and again.
const TEXT_BYTES_FOR_ONE: usize = 16;

/// How much text there may be in any case.
const LEAST_TEXT_BYTES: usize = 1 << 20;

/// Settled lines, and the moment up to which output has been taken in.
pub(crate) struct Out {
    /// The offset of that moment.
    pub(crate) at: Offset,
    /// Its time.
    pub(crate) time_us: u64,
    /// The times at which rows changed, one for each stamp from one on. They rise.
    changed_us: Vec<u64>,
    /// The time of the line before, which a line that nothing was ever printed on takes over.
    before_us: u64,
    lines: VecDeque<Line>,
    /// How much text may still come.
    allowed_bytes: usize,
}

impl Out {
    pub(crate) fn new(at: Offset, time_us: u64) -> Out {
        Out {
            at,
            time_us,
            changed_us: Vec::new(),
            before_us: time_us,
            lines: VecDeque::new(),
            allowed_bytes: LEAST_TEXT_BYTES,
        }
    }

    /// The stamp for rows that change now.
    pub(crate) fn stamp(&mut self) -> u32 {
        if self.changed_us.last() != Some(&self.time_us) {
            self.changed_us.push(self.time_us);
        }
        u32::try_from(self.changed_us.len()).unwrap_or(u32::MAX)
    }

    /// So much output has come, which may become text.
    pub(crate) fn allow(&mut self, output_bytes: usize) {
        self.allowed_bytes =
            self.allowed_bytes.saturating_add(output_bytes.saturating_mul(TEXT_BYTES_FOR_ONE));
    }

    /// A line has settled, whose rows bear at most this stamp. Blanks at its end are cut, and what is beyond all measure
    /// is not given out.
    pub(crate) fn give(&mut self, kind: LineKind, text: String, stamp: u32) {
        let text = without_end(text);
        let changed_us = (stamp as usize).checked_sub(1).and_then(|place| self.changed_us.get(place));
        let time_us = changed_us.copied().unwrap_or(self.before_us);
        self.before_us = time_us;
        // A line costs more than its text.
        let Some(left) = self.allowed_bytes.checked_sub(text.len() + 1) else { return };
        self.allowed_bytes = left;
        self.lines.push_back(Line { at: self.at, time_us, kind, text });
    }

    pub(crate) fn next_line(&mut self) -> Option<Line> {
        self.lines.pop_front()
    }

    pub(crate) fn into_lines(self) -> Vec<Line> {
        self.lines.into()
    }
}
