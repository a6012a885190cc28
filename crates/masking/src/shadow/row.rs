//! One row of the shadow: what stands in each column, and where in the stream it came from.

use super::places::Places;
use crate::columns::{BLANK, SECOND_HALF};
use crate::open::Open;
use crate::place::Place;

/// Earlier places of characters that were written again, and marks. A half-typed secret is redrawn a few dozen
/// times until it can be recognised.
const MAX_OLDER: usize = 4096;

/// A row. Columns after the last one written are blank.
#[derive(Debug, Default)]
pub(crate) struct Row {
    pub(crate) text: Vec<u8>,
    at: Places,
    /// Places of a column besides the newest one.
    older: Vec<(usize, Place)>,
    /// The columns written on since the row was last looked at.
    dirty: Option<(usize, usize)>,
    /// The row goes on from the one above, by the terminal's own wrap.
    pub(crate) wrapped: bool,
    /// The row goes on from the one above because its program seems to have wrapped a word there.
    pub(crate) joined: bool,
    /// A trigger stood in its line when it was last looked at.
    pub(crate) stirred: bool,
    /// What goes on after it.
    pub(crate) open: Open,
}

impl Row {
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.at.clear();
        self.older.clear();
        self.dirty = None;
        (self.wrapped, self.joined, self.stirred) = (false, false, false);
        self.open = Open::Nothing;
    }

    #[inline]
    pub(crate) fn is_dirty(&self) -> bool {
        self.dirty.is_some()
    }

    /// Whether nothing of the row, nor of what stands before it, has to do with rows after it.
    #[inline]
    pub(crate) fn stands_alone(&self) -> bool {
        !(self.wrapped | self.joined | self.stirred) && self.open == Open::Nothing
    }

    pub(crate) fn dirty(&self) -> Option<(usize, usize)> {
        self.dirty
    }

    pub(crate) fn looked_at(&mut self) {
        self.dirty = None;
    }

    /// Has the row looked at again.
    pub(crate) fn soil(&mut self) {
        if !self.text.is_empty() {
            self.touch(0, self.text.len());
        }
    }

    #[inline]
    fn touch(&mut self, from: usize, to: usize) {
        self.dirty = match self.dirty {
            None => Some((from, to)),
            Some((first, last)) => Some((first.min(from), last.max(to))),
        };
    }

    /// Whether text that the rules have not seen would be lost if something were written at `col` and on.
    #[inline]
    pub(crate) fn would_lose(&self, col: usize) -> bool {
        self.dirty.is_some() && col < self.text.len()
    }

    /// Writes characters of one column and `len` bytes each, by their column bytes.
    #[inline(always)]
    pub(crate) fn write_run(&mut self, col: usize, text: &[u8], at: u64, len: usize) {
        let end = col + text.len();
        if col >= self.text.len() {
            self.pad(col);
            self.text.extend_from_slice(text);
            self.at.push_run(at, len, text.len());
        } else {
            self.write_over(col, text, at, len);
        }
        self.touch(col, end);
    }

    fn write_over(&mut self, col: usize, text: &[u8], at: u64, len: usize) {
        let end = col + text.len();
        self.make_room(col, end);
        self.keep_older(col, text);
        self.text[col..end].copy_from_slice(text);
        let cells = &mut self.at.cells()[col..end];
        cells.iter_mut().zip(Place::run(at, len, text.len())).for_each(|(old, new)| *old = new);
    }

    /// Writes any one character, by its column byte.
    #[inline]
    pub(crate) fn write(&mut self, col: usize, byte: u8, cols: usize, place: Place) {
        let end = col + cols;
        let text = [byte, SECOND_HALF];
        if col >= self.text.len() {
            self.pad(col);
            self.text.extend_from_slice(&text[..cols]);
            self.at.push_same(place, 1);
            self.at.push_same(Place::NOWHERE, cols - 1);
            return self.touch(col, end);
        }
        self.make_room(col, end);
        self.keep_older(col, &text[..cols]);
        self.text[col..end].copy_from_slice(&text[..cols]);
        let cells = self.at.cells();
        cells[col] = place;
        cells[col + 1..end].fill(Place::NOWHERE);
        self.touch(col, end);
    }

    /// Writes a character again and again, which came once and has its place already.
    pub(crate) fn fill(&mut self, col: usize, byte: u8, n: usize) {
        let end = col + n;
        self.make_room(col, end);
        self.text[col..end].fill(byte);
        self.at.cells()[col..end].fill(Place::NOWHERE);
        self.older.retain(|&(at, _)| !(col..end).contains(&at));
        self.touch(col, end);
    }

    /// Adds a mark to the character at a column.
    pub(crate) fn add_mark(&mut self, col: usize, place: Place) {
        if col < self.text.len() && self.older.len() < MAX_OLDER {
            self.older.push((col, place.mark()));
            self.touch(col, col + 1);
        }
    }

    /// Makes the row long enough, and blanks the other halves of wide characters that are about to be cut.
    fn make_room(&mut self, col: usize, end: usize) {
        self.pad(end);
        self.split(col);
        self.split(end);
    }

    /// Makes the row long enough.
    #[inline]
    fn pad(&mut self, len: usize) {
        if len > self.text.len() {
            self.pad_with_blanks(len);
        }
    }

    #[cold]
    fn pad_with_blanks(&mut self, len: usize) {
        let missing = len - self.text.len();
        self.text.resize(len, BLANK);
        self.at.push_same(Place::NOWHERE, missing);
    }

    /// A wide character that has a column on both sides of `col` goes.
    fn split(&mut self, col: usize) {
        if col > 0 && self.text.get(col) == Some(&SECOND_HALF) {
            self.text[col - 1..=col].fill(BLANK);
            self.at.cells()[col - 1] = Place::NOWHERE;
        }
    }

    fn keep_older(&mut self, col: usize, new: &[u8]) {
        if !self.older.is_empty() {
            let (text, end) = (&self.text, col + new.len());
            self.older.retain(|&(at, _)| !(col..end).contains(&at) || text[at] == new[at - col]);
        }
        if !self.stirred {
            return;
        }
        if self.older.len() + new.len() > MAX_OLDER {
            self.older.drain(..self.older.len() / 2);
        }
        for (at, &byte) in (col..).zip(new) {
            let place = self.at.get(at);
            if self.text[at] == byte && !place.is_nowhere() {
                self.older.push((at, place));
            }
        }
    }

    /// Blanks columns.
    pub(crate) fn erase(&mut self, from: usize, to: usize) {
        let to = to.min(self.text.len());
        if from >= to {
            return;
        }
        self.split(from);
        self.split(to);
        self.older.retain(|&(col, _)| !(from..to).contains(&col));
        if to == self.text.len() {
            self.text.truncate(from);
            self.at.truncate(from);
        } else {
            self.text[from..to].fill(BLANK);
            self.at.cells()[from..to].fill(Place::NOWHERE);
        }
    }

    /// Moves what stands from a column on to the right; what leaves the row is lost.
    pub(crate) fn insert(&mut self, col: usize, n: usize, cols: usize) {
        if col >= self.text.len() {
            return;
        }
        let n = n.min(cols - col);
        self.split(col);
        self.text.splice(col..col, std::iter::repeat_n(BLANK, n));
        self.at.insert(col, n);
        self.split(cols);
        self.text.truncate(cols);
        self.at.truncate(cols);
        self.older.iter_mut().filter(|(at, _)| *at >= col).for_each(|(at, _)| *at += n);
        self.older.retain(|&(at, _)| at < cols);
        self.touch(col, self.text.len());
    }

    /// Takes columns out; what stands after them moves to the left.
    pub(crate) fn delete(&mut self, col: usize, n: usize) {
        let end = col.saturating_add(n).min(self.text.len());
        if col >= end {
            return;
        }
        self.split(col);
        self.split(end);
        self.text.drain(col..end);
        self.at.remove(col, end);
        self.older.retain(|&(at, _)| !(col..end).contains(&at));
        self.older.iter_mut().filter(|(at, _)| *at >= end).for_each(|(at, _)| *at -= end - col);
        self.touch(col, self.text.len().max(col + 1));
    }

    /// Cuts the row to a width.
    pub(crate) fn cut(&mut self, cols: usize) {
        self.split(cols);
        self.text.truncate(cols);
        self.at.truncate(cols);
        self.older.retain(|&(at, _)| at < cols);
    }

    /// The place of a column.
    pub(crate) fn place(&self, col: usize) -> Place {
        self.at.get(col)
    }

    /// Hands out all places of a stretch of columns, each once for ever.
    pub(crate) fn take_places(&mut self, from: usize, to: usize, mut taken: impl FnMut(usize, Place)) {
        for col in from..to.min(self.text.len()) {
            let place = self.place(col);
            if !place.is_nowhere() {
                taken(col, place);
                self.at.cells()[col] = Place::NOWHERE;
            }
        }
        if self.older.is_empty() {
            return;
        }
        self.older.retain(|&(col, place)| {
            let inside = (from..to).contains(&col);
            if inside {
                taken(col, place);
            }
            !inside
        });
    }
}
