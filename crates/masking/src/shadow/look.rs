//! Looking at rows, and masking what is found.

use super::Shadow;
use super::line::{Line, Part, Where};
use crate::mask::Mask;
use crate::open::Open;
use crate::private_key;
use crate::rules::{Found, Hit, Source};

impl Shadow {
    /// Looks at every row that was written on since it was last looked at.
    pub(crate) fn look_at_all(&mut self) {
        for row in 0..self.height() {
            self.look_at(row);
        }
    }

    /// Looks at a row, if it was written on since. Rows above it come first: a private key may begin there.
    #[inline]
    pub(super) fn look_at(&mut self, row: usize) {
        if !self.row(row).is_dirty() {
            return;
        }
        let mut first = row;
        while first > 0 && self.row(first - 1).is_dirty() {
            first -= 1;
        }
        for row in first..=row {
            if self.row(row).is_dirty() {
                self.look_at_one(row);
            }
        }
    }

    fn look_at_one(&mut self, at: usize) {
        let before = match at {
            0 => self.above.rows.back(),
            _ => Some(self.row(at - 1)),
        };
        let continues = before.is_some_and(|row| (row.stirred || row.joined) && self.reaches_edge(row));
        let open_before = self.open_before(at);
        self.row_mut(at).joined = false;
        let row = self.row(at);
        let wraps = row.wrapped || at + 1 < self.height() && self.row(at + 1).wrapped;
        let was_open = row.open;
        let alone = !row.stirred && !wraps && open_before == Open::Nothing;
        let stirs = alone && self.stirs_anew(at);
        if alone && !stirs {
            let row = self.row_mut(at);
            row.looked_at();
            row.open = Open::Nothing;
            if was_open != Open::Nothing {
                self.soil_next(at);
            }
        } else {
            self.look_at_line(at, stirs);
        }
        if continues {
            self.look_at_line_before(at);
        }
    }

    /// Whether a trigger stands in what is new in a row, or reaches into it.
    #[inline]
    pub(super) fn stirs_anew(&mut self, at: usize) -> bool {
        let row = self.screens[self.active].row(at);
        let Some((from, to)) = row.dirty() else { return false };
        let reach = self.rules.longest_trigger();
        let window =
            &row.text[from.saturating_sub(reach).min(row.text.len())..row.text.len().min(to + reach)];
        self.looked_at += window.len() as u64;
        self.rules.stirs(window) || self.rules.may_be_dump(&row.text)
    }

    /// Looks at the whole line that a row belongs to. `stirs`: it is known that a trigger stands in it.
    pub(super) fn look_at_line(&mut self, at: usize, stirs: bool) {
        let mut line = std::mem::take(&mut self.line);
        self.gather(at, &mut line);
        let (first, last) = line.rows;
        let stirred =
            stirs || line.open_before != Open::Nothing || self.was_stirred(&line) || self.line_stirs(&line);
        let (mut open, mut ends_key) = (Open::Nothing, false);
        if stirred {
            self.extend(&mut line);
            let found = self.search(&line);
            open = found.open;
            ends_key = found.ends_key;
            (first..=last).for_each(|row| self.row_mut(row).stirred = found.stirred);
        }
        let was_open = self.row(last).open;
        for row in first..=last {
            let row = self.row_mut(row);
            row.looked_at();
            row.open = open;
        }
        if open != was_open {
            self.soil_next(last);
        }
        self.line = line;
        if ends_key {
            self.look_back_from_key_end(first);
        }
    }

    /// Masks the lines above the END of a private key whose BEGIN is not on the screen.
    fn look_back_from_key_end(&mut self, end: usize) {
        let mut line = std::mem::take(&mut self.line);
        let mut row = end;
        while row > 0 {
            self.gather(row - 1, &mut line);
            let Some(columns) = private_key::body_before_end(&line.text, row == end) else { break };
            self.mask(&line, &Hit { columns, source: Source::Key });
            row = line.rows.0;
        }
        self.line = line;
    }

    /// Looks again at the line before a row, which may go on in it.
    fn look_at_line_before(&mut self, at: usize) {
        let root = (0..at).rev().find(|&row| !self.row(row).joined);
        if let Some(root) = root {
            return self.look_at_line(root, false);
        }
        let mut line = std::mem::take(&mut self.line);
        self.gather_above(&mut line);
        self.search(&line);
        self.line = line;
    }

    /// Whether a trigger stands in what is new in a line.
    fn line_stirs(&mut self, line: &Line) -> bool {
        let is_new = |part: &&Part| match part.row {
            Where::Above(_) => false,
            Where::Screen(row) => self.row(row).is_dirty(),
        };
        let Some(from) = line.parts.iter().find(is_new) else { return false };
        let to = line.parts.iter().rfind(is_new).unwrap_or(from);
        let reach = self.rules.longest_trigger();
        let window = &line.text[from.at.saturating_sub(reach)..line.own.min(to.at + to.len + reach)];
        self.looked_at += window.len() as u64;
        self.rules.stirs(window) || self.rules.may_be_dump(&line.text)
    }

    /// Masks what the rules find in a line.
    fn search(&mut self, line: &Line) -> Found {
        let mut hits = std::mem::take(&mut self.hits);
        self.looked_at += line.text.len() as u64;
        let found = self.rules.search(&line.text, line.open_before, &mut hits);
        // What begins in a following row is that row's own.
        for hit in hits.iter().filter(|hit| hit.columns.start < line.own) {
            self.mask(line, hit);
        }
        for part in line.parts.iter().filter(|part| part.at >= line.own) {
            if let Where::Screen(row) = part.row {
                self.row_mut(row).joined |= found.stirred && part.len > 0;
            }
        }
        self.hits = hits;
        found
    }

    fn mask(&mut self, line: &Line, hit: &Hit) {
        let (screen, above, masks) = (&mut self.screens[self.active], &mut self.above, &mut self.masks);
        let after = line.parts.partition_point(|part| part.at + part.len <= hit.columns.start);
        for part in line.parts[after..].iter().take_while(|part| part.at < hit.columns.end) {
            let row = match part.row {
                Where::Above(row) => &mut above.rows[row],
                Where::Screen(row) => screen.row_mut(row),
            };
            let from = hit.columns.start.max(part.at) - part.at + part.col;
            let to = hit.columns.end.min(part.at + part.len) - part.at + part.col;
            row.take_places(from, to, |col, place| {
                let index = col - part.col + part.at - hit.columns.start;
                masks.push(Mask::of_cell(place, index, hit.columns.len(), hit.source));
            });
        }
    }

    /// What goes on in the next row that has text has changed.
    fn soil_next(&mut self, row: usize) {
        if let Some(next) = (row + 1..self.height()).find(|&next| !self.row(next).text.is_empty()) {
            self.row_mut(next).soil();
        }
    }
}
