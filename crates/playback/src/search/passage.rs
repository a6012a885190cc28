//! Passages: hits close to each other, with the lines around them.

use std::ops::Range;

use model::Offset;
use recording::Line;

use super::Wanted;
use super::query::Query;

/// Lines that match, close to each other, with those around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The lines, in the order in which they were printed.
    pub lines: Vec<PassageLine>,
}

/// A line of a passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassageLine {
    /// The line.
    pub line: Line,
    /// Where in its text the matches are; none if it is only a neighbour.
    pub matches: Vec<Range<usize>>,
}

impl Passage {
    /// The lines that match.
    pub fn hits(&self) -> impl DoubleEndedIterator<Item = &PassageLine> {
        self.lines.iter().filter(|line| line.is_hit())
    }

    /// The output after which the last line that matches was settled.
    pub fn at(&self) -> Offset {
        self.hits().next_back().map_or(Offset(0), |hit| hit.line.at)
    }

    /// When the last line that matches was settled.
    pub fn time_us(&self) -> u64 {
        self.hits().next_back().map_or(0, |hit| hit.line.time_us)
    }

    /// Keeps some hits, by their numbers, with so many lines before the first and after the last of them.
    pub fn keep_hits(&mut self, is_kept: impl Fn(usize) -> bool, context: usize) {
        let mut kept: Option<(usize, usize)> = None;
        let hits = self.lines.iter_mut().enumerate().filter(|(_, line)| line.is_hit());
        for (number, (place, line)) in hits.enumerate() {
            if is_kept(number) {
                kept = Some((kept.map_or(place, |(first, _)| first), place));
            } else {
                line.matches.clear();
            }
        }
        let Some((first, last)) = kept else { return self.lines.clear() };
        self.lines.truncate(last.saturating_add(1).saturating_add(context));
        self.lines.drain(..first.saturating_sub(context));
    }
}

impl PassageLine {
    /// Whether it is more than a neighbour.
    pub fn is_hit(&self) -> bool {
        !self.matches.is_empty()
    }
}

/// Lines that were settled one after the other, by their numbers.
pub(super) trait Lines {
    /// How many there are.
    fn count(&self) -> usize;

    /// When one was settled, on the time line of the recording.
    fn time_us(&self, number: usize) -> u64;

    /// One of them.
    fn line(&self, number: usize) -> Line;
}

/// The newest `most` of the hits, given by the numbers of their lines, that are wanted: as passages, the oldest first.
pub(super) fn passages(
    lines: &impl Lines,
    mut hits: Vec<usize>,
    query: &Query,
    wanted: &Wanted,
    most: usize,
) -> Vec<Passage> {
    hits.retain(|number| (wanted.since_us..=wanted.until_us).contains(&lines.time_us(*number)));
    hits.drain(..hits.len().saturating_sub(most));
    let mut passages: Vec<Passage> = Vec::new();
    // Behind the last line of the last passage.
    let mut end = 0;
    for (place, &hit) in hits.iter().enumerate() {
        let from = hit.saturating_sub(wanted.context);
        let is_near = wanted.context > 0 && from <= end;
        if !is_near || passages.is_empty() {
            passages.push(Passage { lines: Vec::new() });
            end = from;
        }
        // The neighbours behind it are those up to the next hit, which brings its own.
        let next = hits.get(place + 1).copied().unwrap_or(lines.count());
        let to = hit.saturating_add(1).saturating_add(wanted.context).min(next);
        let passage = passages.last_mut().expect("one was just begun if there was none");
        passage.lines.extend((end..to).map(|number| {
            let line = lines.line(number);
            let matches = if number == hit { query.matches(&line.text) } else { Vec::new() };
            PassageLine { line, matches }
        }));
        end = to;
    }
    passages
}

#[cfg(test)]
mod tests {
    use recording::LineKind;

    use super::super::query::Case;
    use super::*;

    /// Lines that say their numbers, and settled at those times.
    struct Numbered(usize);

    impl Lines for Numbered {
        fn count(&self) -> usize {
            self.0
        }

        fn time_us(&self, number: usize) -> u64 {
            number as u64
        }

        fn line(&self, number: usize) -> Line {
            let (at, time_us) = (Offset(number as u64), number as u64);
            Line { at, time_us, kind: LineKind::Printed, text: format!("n{number}") }
        }
    }

    /// Passages of these hits: `*` and `.` for hits and neighbours.
    fn shown(passages: &[Passage]) -> Vec<String> {
        let line =
            |line: &PassageLine| format!("{}{}", if line.is_hit() { '*' } else { '.' }, line.line.at.0);
        passages.iter().map(|passage| passage.lines.iter().map(line).collect()).collect()
    }

    fn found(hits: &[usize], wanted: Wanted, most: usize) -> Vec<String> {
        let query = Query::new("n", false, Case::Smart).unwrap();
        shown(&passages(&Numbered(20), hits.to_vec(), &query, &wanted, most))
    }

    #[test]
    fn hits_are_put_together_if_nothing_is_between_their_neighbours() {
        let with = |context| Wanted { context, ..Wanted::default() };
        assert_eq!(found(&[0, 1, 5, 19], with(0), 9), ["*0", "*1", "*5", "*19"]);
        assert_eq!(found(&[0, 1, 4, 8], with(1), 9), ["*0*1.2.3*4.5", ".7*8.9"]);
        assert_eq!(found(&[18, 19], with(1), 9), [".17*18*19"]);
        assert_eq!(found(&[3], with(usize::MAX), 9), [".0.1.2*3.4.5.6.7.8.9.10.11.12.13.14.15.16.17.18.19"]);
        assert_eq!(found(&[], with(1), 9), [""; 0]);
    }

    #[test]
    fn neighbours_from_outside_the_time_are_no_hits() {
        let wanted = Wanted { context: 1, since_us: 5, until_us: 6, ..Wanted::default() };
        assert_eq!(found(&[3, 4, 5, 6, 7, 8], wanted, 9), [".4*5*6.7"]);
    }

    #[test]
    fn of_many_hits_the_newest_are_kept_with_their_neighbours() {
        let wanted = Wanted { context: 1, ..Wanted::default() };
        let all: Vec<usize> = (0..20).collect();
        assert_eq!(found(&all, wanted, 2), [".17*18*19"]);
        let query = Query::new("n", false, Case::Smart).unwrap();
        let passage = passages(&Numbered(20), all, &query, &wanted, 20).remove(0);
        for (most, left) in [(0, ""), (1, ".18*19"), (2, ".17*18*19")] {
            let mut passage = passage.clone();
            passage.keep_hits(|number| number >= 20 - most, 1);
            assert_eq!(shown(&[passage]), [left]);
        }
        let mut middle = passage.clone();
        middle.keep_hits(|number| number == 3 || number == 5, 1);
        assert_eq!(shown(&[middle]), [".2*3.4*5.6"]);
        let mut whole = passage.clone();
        whole.keep_hits(|_| true, 1);
        assert_eq!(whole, passage);
    }
}
