//! Keeping the newest hits of all.

use std::cmp::Reverse;

use model::WorkerId;

use super::{Found, FoundPassage};

/// A hit's place in the order: newest first, those of one time by their workers, those of one worker the last printed
/// first.
type Rank = (Reverse<u64>, WorkerId, Reverse<(usize, usize)>, Reverse<usize>);

impl FoundPassage {
    /// The ranks of the passage's hits.
    fn ranks(&self) -> impl Iterator<Item = Rank> {
        let lines = self.passage.lines.iter().enumerate().filter(|(_, line)| line.is_hit());
        lines.map(|(line, hit)| (Reverse(hit.line.time_us), self.worker, Reverse(self.place), Reverse(line)))
    }
}

impl Found {
    pub(super) fn hits(&self) -> usize {
        self.passages.iter().map(|found| found.passage.hits().count()).sum()
    }

    /// Whether nothing up to this time can be among the newest `most` hits, or be needed to know that there are more.
    pub(super) fn has_all_newer_than(&self, time_us: u64, most: usize) -> bool {
        let times = self.passages.iter().flat_map(|found| found.passage.hits()).map(|hit| hit.line.time_us);
        times.filter(|hit_us| *hit_us > time_us).count() > most
    }

    /// Keeps the newest hits, with so many lines around them, and puts their passages in order.
    pub(super) fn keep(&mut self, most: usize, context: usize) {
        let mut ranks: Vec<(Rank, usize)> = Vec::new();
        for (number, found) in self.passages.iter().enumerate() {
            ranks.extend(found.ranks().map(|rank| (rank, number)));
        }
        if ranks.len() > most {
            ranks.select_nth_unstable(most);
            ranks.truncate(most);
        }
        let mut kept: Vec<Vec<usize>> = vec![Vec::new(); self.passages.len()];
        for ((_, _, _, Reverse(place)), number) in ranks {
            kept[number].push(place);
        }
        for (found, kept) in self.passages.iter_mut().zip(kept) {
            let lines: Vec<usize> = found
                .passage
                .lines
                .iter()
                .enumerate()
                .filter(|(_, line)| line.is_hit())
                .map(|(n, _)| n)
                .collect();
            if kept.len() < lines.len() {
                found.passage.keep_hits(|hit| kept.contains(&lines[hit]), context);
            }
        }
        self.passages.retain(|found| !found.passage.lines.is_empty());
        self.passages.sort_by_cached_key(|found| found.ranks().min());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use model::Offset;
    use playback::{Line, LineKind, Passage, PassageLine};

    use super::*;

    /// A passage of hits with these times.
    fn passage(worker: u8, times: &[u64]) -> FoundPassage {
        let line = |&time_us: &u64| PassageLine {
            line: Line { at: Offset(time_us), time_us, kind: LineKind::Printed, text: "x".into() },
            matches: std::iter::once(0..1).collect(),
        };
        let passage = Passage { lines: times.iter().map(line).collect() };
        FoundPassage { worker: WorkerId::from_random([worker; 8]), place: (0, 0), passage }
    }

    fn times(found: &Found) -> Vec<Vec<u64>> {
        let times = |passage: &Passage| passage.lines.iter().map(|line| line.line.time_us).collect();
        found.passages.iter().map(|found| times(&found.passage)).collect()
    }

    fn found(passages: Vec<FoundPassage>) -> Found {
        Found { passages, has_more: false, end: Ok(()), unread: BTreeMap::new() }
    }

    #[test]
    fn the_newest_hits_are_kept_wherever_they_are() {
        let mut found = found(vec![passage(0, &[1, 3, 5, 7, 9]), passage(1, &[2, 4, 8]), passage(1, &[0])]);
        assert!(found.has_all_newer_than(0, 7) && !found.has_all_newer_than(0, 8));
        found.keep(4, 0);
        assert_eq!(times(&found), [vec![5, 7, 9], vec![8]]);
        assert!(found.has_all_newer_than(4, 3) && !found.has_all_newer_than(5, 3), "5 may come once more");
        found.keep(1, 0);
        assert_eq!(times(&found), [[9]]);
    }

    #[test]
    fn of_passages_of_one_time_the_last_printed_comes_first() {
        let numbered =
            |number, hits: usize| FoundPassage { place: (0, number), ..passage(1, &vec![5; hits]) };
        let mut found = found(vec![numbered(0, 3), numbered(1, 1)]);
        found.keep(9, 0);
        assert_eq!(times(&found), [vec![5], vec![5, 5, 5]]);
        found.keep(2, 0);
        assert_eq!(times(&found), [[5], [5]]);
    }

    #[test]
    fn hits_of_one_time_are_in_the_order_of_their_workers() {
        let mut found = found(vec![passage(3, &[5]), passage(1, &[5]), passage(2, &[5, 5])]);
        found.keep(3, 0);
        let workers: Vec<WorkerId> = found.passages.iter().map(|found| found.worker).collect();
        assert_eq!(workers, [1, 2].map(|worker| WorkerId::from_random([worker; 8])));
        found.keep(2, 0);
        assert_eq!(times(&found), [[5], [5]]);
    }
}
