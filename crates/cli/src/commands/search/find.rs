//! Searching many recordings at once, newest first.

use std::cmp::Reverse;
use std::io;
use std::sync::Arc;
use std::thread;

use home::{Home, Worker};
use playback::{MaskedRecording, Passage, Query, Searched, Source, Wanted, search_segment, segment_times};

use super::at_once::at_once;
use crate::failure::Failure;
use crate::moment::Moment;
use crate::rules;

/// So many segments for each thread are searched before looking whether that was enough.
const SEGMENTS_EACH: usize = 4;

/// What is looked for.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) query: Query,
    /// How many lines before and after each hit.
    pub(super) context: usize,
    pub(super) since: Option<Moment>,
    pub(super) until: Option<Moment>,
    /// At most so many hits, the newest.
    pub(super) most: usize,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The passages, each with the number of its worker, newest first.
    pub(super) passages: Vec<(usize, Passage)>,
    /// Whether there are more hits than were asked for.
    pub(super) is_cut: bool,
    /// What could not be searched.
    pub(super) failures: Vec<Failure>,
}

/// A recording to be searched.
struct Searchable {
    /// The number of its worker.
    worker: usize,
    recording: MaskedRecording,
    wanted: Wanted,
}

/// A segment to be searched.
struct Job<'a> {
    of: &'a Searchable,
    index: usize,
    /// Nothing in it is younger.
    ends_us: u64,
}

/// Searches the recordings of workers.
///
/// # Errors
///
/// When the rules on what is masked make no sense. A recording that cannot be read is told among the failures.
pub(super) fn find(home: &Home, workers: &[Worker], asked: &Asked) -> Result<Found, Failure> {
    let mut found = Found::default();
    let mut searchables = Vec::new();
    for (number, worker) in workers.iter().enumerate() {
        match open(home, worker)? {
            Ok(Some(recording)) => {
                if has_unreadable(&recording) {
                    found.tell(damaged(worker));
                }
                searchables.push(Searchable::new(number, recording, asked));
            }
            Ok(None) => {}
            Err(failure) => found.tell(failure),
        }
    }
    let jobs = jobs(&searchables);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    for batch in jobs.chunks(threads * SEGMENTS_EACH) {
        if found.has_all_newer_than(batch[0].ends_us, asked.most) {
            break;
        }
        let searched = at_once(batch, threads, |job| {
            search_segment(&job.of.recording, job.index, &asked.query, &job.of.wanted)
        });
        for (job, searched) in batch.iter().zip(searched) {
            found.take_in(job.of.worker, &workers[job.of.worker], searched);
        }
        // One more than wanted tells that there are more.
        found.keep(asked.most.saturating_add(1), asked.context);
    }
    found.is_cut = found.hits() > asked.most;
    found.keep(asked.most, asked.context);
    Ok(found)
}

impl Found {
    /// Takes in what was found in a segment; nothing if the search of it came to a stop.
    fn take_in(&mut self, number: usize, worker: &Worker, searched: Option<io::Result<Searched>>) {
        let name = &worker.meta.name;
        match searched {
            Some(Ok(searched)) => {
                if searched.is_damaged {
                    self.tell(damaged(worker));
                }
                // Of those that settled at once, the last printed one is the newest.
                self.passages.extend(searched.into_iter().map(|passage| (number, passage)).rev());
            }
            Some(Err(error)) => {
                let error = anyhow::Error::from(error);
                self.tell(error.context(format!("cannot search all of worker `{name}`")).into());
            }
            None => self.tell(Failure::ours(format!("the search of worker `{name}` came to a stop"))),
        }
    }

    /// Tells a failure once, however many segments it is true of.
    fn tell(&mut self, failure: Failure) {
        if self.failures.iter().all(|told| told.sentence() != failure.sentence()) {
            self.failures.push(failure);
        }
    }

    fn hits(&self) -> usize {
        self.passages.iter().map(|(_, passage)| passage.hits().count()).sum()
    }

    /// Whether nothing up to this time can be among the newest `most` hits, or be needed to know that there are more.
    fn has_all_newer_than(&self, time_us: u64, most: usize) -> bool {
        let times = self.passages.iter().flat_map(|(_, passage)| passage.hits()).map(|hit| hit.line.time_us);
        self.hits() > most && times.min().is_some_and(|oldest| oldest >= time_us)
    }

    /// Keeps the newest hits, with so many lines around them.
    fn keep(&mut self, most: usize, context: usize) {
        let hits = self.passages.iter().enumerate().flat_map(|(number, (_, passage))| {
            passage.hits().enumerate().map(move |(place, hit)| (hit.line.time_us, hit.line.at, place, number))
        });
        let mut hits: Vec<_> = hits.collect();
        if hits.len() > most {
            hits.select_nth_unstable_by_key(most, |hit| Reverse(*hit));
            let mut kept = vec![0; self.passages.len()];
            hits[..most].iter().for_each(|(.., number)| kept[*number] += 1);
            for ((_, passage), kept) in self.passages.iter_mut().zip(kept) {
                passage.keep_newest(kept, context);
            }
            self.passages.retain(|(_, passage)| !passage.lines.is_empty());
        }
        self.passages.sort_by_key(|(_, passage)| Reverse((passage.time_us(), passage.at())));
    }
}

impl Searchable {
    fn new(worker: usize, recording: MaskedRecording, asked: &Asked) -> Searchable {
        let begins_us = recording.segments().first().map_or(0, |first| first.head.time_us);
        let wanted = Wanted {
            context: asked.context,
            since_us: asked.since.map_or(0, |since| since.time_us(begins_us)),
            until_us: asked.until.map_or(u64::MAX, |until| until.time_us(begins_us)),
            // One more than wanted tells that there are more.
            most: asked.most.saturating_add(1),
        };
        Searchable { worker, recording, wanted }
    }
}

/// A worker's recording; nothing if it has none yet.
fn open(home: &Home, worker: &Worker) -> Result<Result<Option<MaskedRecording>, Failure>, Failure> {
    let rules = rules::rules_for(home, &worker.dir)?;
    let name = &worker.meta.name;
    Ok(match MaskedRecording::open(&worker.dir.recording(), Arc::clone(&rules)) {
        Ok(recording) => Ok(Some(recording)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(anyhow::Error::from(error).context(format!("cannot search worker `{name}`")).into())
        }
    })
}

/// Whether a segment cannot be read at all. An active one may just be begun.
fn has_unreadable(recording: &MaskedRecording) -> bool {
    let mut unreadable = recording.recording().unreadable().iter();
    unreadable.any(|file| file.path.extension().is_some_and(|kind| kind == "sealed"))
}

fn damaged(worker: &Worker) -> Failure {
    Failure::ours(format!("some of the recording of worker `{}` is damaged", worker.meta.name))
}

/// The segments that may hold something wanted, the youngest first.
fn jobs(searchables: &[Searchable]) -> Vec<Job<'_>> {
    let mut jobs = Vec::new();
    for of in searchables {
        for (index, (begins_us, ends_us)) in segment_times(&of.recording).into_iter().enumerate() {
            if begins_us <= of.wanted.until_us && ends_us >= of.wanted.since_us {
                jobs.push(Job { of, index, ends_us });
            }
        }
    }
    jobs.sort_by_key(|job| Reverse((job.ends_us, job.index)));
    jobs
}

#[cfg(test)]
mod tests {
    use model::Offset;
    use playback::{Line, LineKind, PassageLine};

    use super::*;

    /// A passage of hits with these times.
    fn passage(times: &[u64]) -> Passage {
        let line = |&time_us: &u64| PassageLine {
            line: Line { at: Offset(time_us), time_us, kind: LineKind::Printed, text: "x".into() },
            matches: std::iter::once(0..1).collect(),
        };
        Passage { lines: times.iter().map(line).collect() }
    }

    fn times(found: &Found) -> Vec<Vec<u64>> {
        let times = |passage: &Passage| passage.lines.iter().map(|line| line.line.time_us).collect();
        found.passages.iter().map(|(_, passage)| times(passage)).collect()
    }

    #[test]
    fn the_newest_hits_are_kept_wherever_they_are() {
        let passages = vec![(0, passage(&[1, 3, 5, 7, 9])), (1, passage(&[2, 4, 8])), (1, passage(&[0]))];
        let mut found = Found { passages, ..Found::default() };
        assert!(found.has_all_newer_than(0, 8) && !found.has_all_newer_than(0, 9));
        found.keep(4, 0);
        assert_eq!(times(&found), [vec![5, 7, 9], vec![8]]);
        assert!(found.has_all_newer_than(5, 3) && !found.has_all_newer_than(6, 3));
        found.keep(1, 0);
        assert_eq!(times(&found), [[9]]);
    }
}
