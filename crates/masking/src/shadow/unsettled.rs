//! Text that may still become part of a secret.

use super::Shadow;
use super::line::{Line, Where};
use crate::columns::BLANK;

/// Older output is settled in every case, so that a live reader does not wait longer.
const MAX_BACK: u64 = 4096;

impl Shadow {
    /// The first position, at most a few KiB before `end`, of the word that the cursor touches; of the whole line
    /// if it has a trigger in it.
    pub(crate) fn unsettled_from(&self, end: u64) -> u64 {
        let cursor = self.screens[self.active].cursor;
        let line = self.line_at_cursor();
        let Some(here) = line.parts.iter().find(|part| part.row == Where::Screen(cursor.row)) else {
            return end;
        };
        let at = (here.at + cursor.col).min(line.text.len());
        let word = match self.is_stirred(&line) {
            true => 0..line.text.len(),
            false => {
                let start =
                    line.text[..at].iter().rposition(|byte| *byte == BLANK).map_or(0, |blank| blank + 1);
                let len = line.text[at..].iter().position(|byte| *byte == BLANK);
                start..len.map_or(line.text.len(), |len| at + len)
            }
        };
        let oldest = end.saturating_sub(MAX_BACK);
        let mut from = end;
        for part in &line.parts {
            let row = match part.row {
                Where::Above(row) => &self.above.rows[row],
                Where::Screen(row) => self.row(row),
            };
            for col in 0..part.len {
                let place = row.place(part.col + col);
                if word.contains(&(part.at + col)) && !place.is_nowhere() && place.at() >= oldest {
                    from = from.min(place.at());
                }
            }
        }
        from
    }

    /// Whether the line that the cursor is in has a trigger in it.
    pub(crate) fn is_cursor_near_trigger(&self) -> bool {
        self.is_stirred(&self.line_at_cursor())
    }

    fn line_at_cursor(&self) -> Line {
        let mut line = Line::default();
        self.gather(self.screens[self.active].cursor.row, &mut line);
        line
    }

    fn is_stirred(&self, line: &Line) -> bool {
        let (first, _) = line.rows;
        self.row(first).stirred || self.rules.stirs(&line.text)
    }
}
