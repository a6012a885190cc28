//! Printing several times in one row.

use super::row::Row;
use super::screen::Cursor;
use super::{Printed, Shadow};

/// Prints from left to right in the cursor's row, as long as that has room. What is between two colours is short, and
/// finding the row would cost more than writing to it.
pub(crate) struct Pen<'s> {
    cursor: &'s mut Cursor,
    row: &'s mut Row,
    cols: usize,
    swept_to: &'s mut (usize, usize),
    last: &'s mut Option<Printed>,
}

impl Shadow {
    /// A pen at the cursor; none where characters are inserted or drawn as lines, or the row has to be looked at first.
    #[inline(always)]
    pub(crate) fn pen(&mut self) -> Option<Pen<'_>> {
        if !self.prints_plainly() {
            return None;
        }
        let (cursor, row) = self.screens[self.active].cursor_and_row();
        if row.would_lose(cursor.col) && self.swept_to != (cursor.row, cursor.col) {
            return None;
        }
        Some(Pen { cursor, row, cols: self.cols, swept_to: &mut self.swept_to, last: &mut self.last })
    }
}

impl Pen<'_> {
    /// Prints characters of one column and `len` bytes each, all or none; says whether it did.
    #[inline(always)]
    pub(crate) fn print(&mut self, text: &[u8], at: u64, len: usize) -> bool {
        let Cursor { row, col } = *self.cursor;
        let end = col + text.len();
        if end > self.cols {
            return false;
        }
        self.row.write_run(col, text, at, len);
        self.cursor.col = end;
        *self.swept_to = (row, end);
        *self.last = text.last().map(|&byte| Printed { byte, cols: 1 });
        true
    }

    /// A sequence that changes no cell came by.
    #[inline(always)]
    pub(crate) fn styled(&mut self) {
        *self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::TermSize;
    use testkit::Random;

    use crate::{Masker, Rules};

    #[test]
    fn printing_at_a_stretch_leaves_what_printing_byte_by_byte_does() {
        let rules = Arc::new(Rules::builtin());
        let pieces = [
            "token=",
            "aB3dE5gH7jK9",
            "mN1pQ3",
            " ",
            "x",
            "\x1b[m",
            "\x1b[1;38:5:9m",
            "\u{301}",
            "\x1b[2b",
            "\r",
            "\r\n",
            "\x1b[3D",
            "\x1b[K",
            "─",
            "密",
            "\x1b[4h",
            "\x1b[4l",
            "\x1b(0",
            "\x1b(B",
            "\x1b[?7l",
            "\x1b[?7h",
        ];
        let mut masked = 0;
        for seed in 0..3000 {
            let mut random = Random::new(seed);
            let size = TermSize::clamped(random.between(4, 40) as u16, random.between(1, 4) as u16);
            let count = random.between(2, 30);
            let stream: String =
                (0..count).map(|_| pieces[random.below(pieces.len()).min(random.below(40))]).collect();
            let masks = |part: usize| {
                let mut masker = Masker::new(rules.clone(), size);
                stream.as_bytes().chunks(part).for_each(|part| masker.feed(part));
                masker.look();
                masker.take_masks()
            };
            let whole = masks(stream.len());
            assert_eq!(whole, masks(1), "seed {seed}: {stream:?}");
            masked += whole.len();
        }
        assert!(masked > 10_000, "only {masked} characters were masked");
    }
}
