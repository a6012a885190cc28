//! The places of a row's columns.
//!
//! Most rows are written from left to right and never again. Their places follow each other, and a few *runs* say
//! them all. A row that is written on in its middle gets a place for each column, until it is cleared.

use crate::place::Place;

#[derive(Debug, Default)]
pub(super) struct Places {
    /// In the order of their columns. Empty once there are `cells`.
    runs: Vec<Run>,
    cells: Vec<Place>,
    /// How many columns have a place.
    len: usize,
}

/// Columns whose places follow each other, up to the first column of the next run.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: Place,
    /// Bytes from one place to the next; 0 where all are the same.
    step: u32,
    col: u32,
}

impl Run {
    #[inline]
    fn at(&self, col: usize) -> Place {
        self.first.after((col - self.col as usize) as u64 * u64::from(self.step))
    }
}

impl Places {
    #[inline]
    pub(super) fn clear(&mut self) {
        self.runs.clear();
        self.cells.clear();
        self.len = 0;
    }

    #[inline]
    fn is_runs(&self) -> bool {
        self.cells.is_empty()
    }

    pub(super) fn get(&self, col: usize) -> Place {
        if col >= self.len {
            return Place::NOWHERE;
        }
        if !self.is_runs() {
            return self.cells[col];
        }
        let after = self.runs.partition_point(|run| run.col as usize <= col);
        self.runs[after - 1].at(col)
    }

    /// Adds the places of characters of `bytes` bytes each that follow each other.
    #[inline(always)]
    pub(super) fn push_run(&mut self, at: u64, bytes: usize, count: usize) {
        let first = Place::new(at, bytes);
        if self.is_runs() {
            let col = self.len as u32;
            let goes_on = |run: &Run| run.step == bytes as u32 && run.at(self.len) == first;
            if !self.runs.last().is_some_and(goes_on) {
                self.runs.push(Run { first, step: bytes as u32, col });
            }
        } else {
            self.cells.extend(Place::run(at, bytes, count));
        }
        self.len += count;
    }

    /// Adds one place for each of `count` columns.
    #[inline]
    pub(super) fn push_same(&mut self, place: Place, count: usize) {
        if !self.is_runs() {
            self.cells.resize(self.len + count, place);
        } else if count > 0 {
            self.runs.push(Run { first: place, step: 0, col: self.len as u32 });
        }
        self.len += count;
    }

    #[inline]
    pub(super) fn truncate(&mut self, len: usize) {
        if len >= self.len {
            return;
        }
        if len == 0 {
            return self.clear();
        }
        self.len = len;
        self.cells.truncate(len);
        while self.runs.last().is_some_and(|run| run.col as usize >= len) {
            self.runs.pop();
        }
    }

    /// A place for each column, to be changed but not to be made more or fewer.
    pub(super) fn cells(&mut self) -> &mut [Place] {
        self.spread();
        &mut self.cells
    }

    /// Puts `n` columns that came from nowhere before a column.
    pub(super) fn insert(&mut self, col: usize, n: usize) {
        self.spread();
        self.cells.splice(col..col, std::iter::repeat_n(Place::NOWHERE, n));
        self.len = self.cells.len();
    }

    /// Takes columns out.
    pub(super) fn remove(&mut self, from: usize, to: usize) {
        self.spread();
        self.cells.drain(from..to);
        self.len = self.cells.len();
    }

    fn spread(&mut self) {
        if !self.is_runs() {
            return;
        }
        for (index, run) in self.runs.iter().enumerate() {
            let end = self.runs.get(index + 1).map_or(self.len, |next| next.col as usize);
            if run.step == 0 {
                self.cells.resize(end, run.first);
            } else {
                self.cells.extend(Place::run(run.first.at(), run.step as usize, end - run.col as usize));
            }
        }
        self.runs.clear();
    }
}

#[cfg(test)]
mod tests {
    use testkit::Random;

    use super::*;

    #[test]
    fn no_change_of_a_row_moves_a_column_to_another_place() {
        for seed in 0..500 {
            let mut random = Random::new(seed);
            let (mut places, mut plain) = (Places::default(), Vec::new());
            let mut position = 1;
            for _ in 0..random.between(1, 40) {
                let (len, count) = (plain.len(), random.between(1, 9));
                // Something that is not printed comes between some of the runs.
                position += random.below(2) as u64 * 4;
                match random.below(12) {
                    0..=3 => {
                        let bytes = random.between(1, 3);
                        places.push_run(position, bytes, count);
                        plain.extend(Place::run(position, bytes, count));
                        position += (bytes * count) as u64;
                    }
                    4 => {
                        let place = random.pick(&[Place::NOWHERE, Place::new(position, 4).wide()]);
                        places.push_same(place, count);
                        plain.resize(len + count, place);
                        position += 4;
                    }
                    5 | 6 => {
                        let kept = random.below(len + 2);
                        places.truncate(kept);
                        plain.truncate(kept);
                    }
                    7 if len > 0 => {
                        let col = random.below(len);
                        places.cells()[col] = Place::new(position, 2);
                        plain[col] = Place::new(position, 2);
                        position += 2;
                    }
                    8 => {
                        let col = random.below(len + 1);
                        places.insert(col, count);
                        plain.splice(col..col, std::iter::repeat_n(Place::NOWHERE, count));
                    }
                    9 => {
                        let from = random.below(len + 1);
                        let to = random.between(from, len);
                        places.remove(from, to);
                        plain.drain(from..to);
                    }
                    10 if random.percent(30) => {
                        places.clear();
                        plain.clear();
                    }
                    _ => {}
                }
                let got: Vec<Place> = (0..plain.len() + 2).map(|col| places.get(col)).collect();
                assert_eq!(got[..plain.len()], plain, "seed {seed}");
                assert!(got[plain.len()..].iter().all(|place| place.is_nowhere()));
            }
        }
    }
}
