//! Where rows lie on the sheet that a picture shows through a window, and when each is visible.
//!
//! A screen is a window onto the sheet: so many lines from an offset on. For every screen the offset is chosen that costs
//! the least in the file. Output that scrolls is where it was, one line further down; a screen that comes back, as after an
//! editor, is still there. Lines outside of the window are not seen, so they stay as they are.

use std::collections::{BTreeMap, HashMap};

use super::film::{BLANK, Film, RowId};
use super::row::Row;
use crate::error::ExportError;

/// Roughly, what it takes in the file to write an element.
const ELEMENT_BYTES: usize = 30;
/// What it takes to make it visible at a time.
const APPEARING_BYTES: usize = 40;
/// What it takes to make it invisible at a time.
const VANISHING_BYTES: usize = 25;
/// What it takes to move the sheet.
const MOVING_BYTES: usize = 35;

/// How many lines, and times at which something appears on one, are too many: more would not fit into a picture anyway.
const MOST_PARTS: usize = 200_000;

/// How many places are remembered where a row lies.
const REMEMBERED_PLACES: usize = 4;
/// How many offsets are tried for a screen, of those at which some of its rows lie already.
const TRIED_OFFSETS: usize = 4;

/// The sheet.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    /// For each frame, the line that is at the top of the window.
    pub(super) offsets: Vec<i64>,
    /// The lines by their numbers.
    pub(super) lines: BTreeMap<i64, Line>,
    /// Lines at which a row was put lately.
    places: HashMap<RowId, Vec<i64>>,
    /// How often something appeared.
    appeared: usize,
}

/// A line of the sheet.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// What is or was to be seen there, in the order in which it came.
    pub(super) versions: Vec<Version>,
    /// What is there now.
    live: RowId,
}

/// A row on a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) row: RowId,
    /// In which frames it is visible.
    pub(super) shown: Vec<Shown>,
}

/// Frames from one on, up to another that is not part of it; up to the end without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shown {
    pub(super) from: usize,
    pub(super) to: Option<usize>,
}

impl Canvas {
    /// Lays out all screens of a film.
    pub(super) fn lay_out(film: &Film) -> Result<Canvas, ExportError> {
        let mut canvas = Canvas::default();
        let mut screen = Vec::new();
        for (number, frame) in film.frames.iter().enumerate() {
            screen.clone_from(&frame.rows);
            screen.resize(film.height.into(), BLANK);
            let offset = canvas.offset_for(&screen, &film.rows);
            canvas.offsets.push(offset);
            for (index, row) in screen.iter().enumerate() {
                canvas.put(number, offset + index as i64, *row);
            }
            if canvas.lines.len() + canvas.appeared > MOST_PARTS {
                return Err(ExportError::TooLarge);
            }
        }
        Ok(canvas)
    }

    /// The offset at which a screen costs the least.
    fn offset_for(&self, screen: &[RowId], rows: &[Row]) -> i64 {
        let Some(present) = self.offsets.last().copied() else { return 0 };
        let fresh = self.lines.last_key_value().map_or(0, |(last, _)| last + 1);
        let mut offsets = vec![present];
        offsets.extend(self.matching(screen, present));
        offsets.push(fresh);
        let cost = |offset: &i64| {
            let moving = if *offset == present { 0 } else { MOVING_BYTES };
            moving + self.cost(*offset, screen, rows)
        };
        offsets.into_iter().min_by_key(cost).unwrap_or(present)
    }

    /// Offsets at which rows of a screen lie already, those with the most rows first.
    fn matching(&self, screen: &[RowId], present: i64) -> Vec<i64> {
        let mut votes: HashMap<i64, u32> = HashMap::new();
        for (index, row) in screen.iter().enumerate().filter(|(_, row)| **row != BLANK) {
            for place in self.places.get(row).into_iter().flatten() {
                if self.lines.get(place).is_some_and(|line| line.live == *row) {
                    *votes.entry(place - index as i64).or_default() += 1;
                }
            }
        }
        let mut offsets: Vec<(i64, u32)> = votes.into_iter().collect();
        offsets.sort_unstable_by_key(|(offset, votes)| (u32::MAX - votes, offset.abs_diff(present), *offset));
        offsets.into_iter().take(TRIED_OFFSETS).map(|(offset, _)| offset).collect()
    }

    fn cost(&self, offset: i64, screen: &[RowId], rows: &[Row]) -> usize {
        let cost = screen.iter().zip(offset..).map(|(row, number)| {
            let written = if *row == BLANK { 0 } else { rows[*row].bytes() + ELEMENT_BYTES };
            match self.lines.get(&number) {
                None => written,
                Some(line) if line.live == *row => 0,
                Some(line) => {
                    let vanishing = if line.live == BLANK { 0 } else { VANISHING_BYTES };
                    let appearing = if *row == BLANK { 0 } else { APPEARING_BYTES };
                    let is_known = line.versions.iter().any(|version| version.row == *row);
                    vanishing + appearing + if is_known { 0 } else { written }
                }
            }
        });
        cost.sum()
    }

    /// Puts a row on a line, from a frame on.
    fn put(&mut self, frame: usize, number: i64, row: RowId) {
        // A row that was never in the window before may be there from the beginning: nothing has to happen in this
        // frame.
        let from = if self.lines.contains_key(&number) { frame } else { 0 };
        let line = self.lines.entry(number).or_default();
        if line.live == row {
            return;
        }
        let present = line.live;
        if let Some(shown) = line.version(present).and_then(|version| version.shown.last_mut()) {
            shown.to = Some(frame);
        }
        line.live = row;
        if row == BLANK {
            return;
        }
        self.appeared += 1;
        let shown = Shown { from, to: None };
        match line.version(row) {
            Some(version) => version.shown.push(shown),
            None => line.versions.push(Version { row, shown: vec![shown] }),
        }
        let places = self.places.entry(row).or_default();
        places.retain(|place| *place != number);
        if places.len() == REMEMBERED_PLACES {
            places.remove(0);
        }
        places.push(number);
    }
}

impl Line {
    fn version(&mut self, row: RowId) -> Option<&mut Version> {
        self.versions.iter_mut().find(|version| version.row == row)
    }
}
