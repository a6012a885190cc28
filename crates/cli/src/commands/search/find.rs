//! Searching many recordings at once, newest first.

use std::cmp::Reverse;
use std::io;
use std::sync::Arc;
use std::thread;

use anyhow::Context;
use home::{Home, Worker};
use playback::{MaskedRecording, Passage, Query, Source, Wanted, search_segment};

use crate::failure::Failure;
use crate::rules;

/// So many segments for each thread are searched before looking whether that was enough.
const SEGMENTS_EACH: usize = 4;

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

/// A segment to be searched.
struct Job {
    worker: usize,
    index: usize,
    /// Nothing in it is younger.
    ends_us: u64,
}

/// Searches the recordings of workers.
///
/// # Errors
///
/// When the rules on what is masked make no sense. A recording that cannot be read is told among the failures.
pub(super) fn find(
    home: &Home,
    workers: &[Worker],
    query: &Query,
    wanted: &Wanted,
    most: usize,
) -> Result<Found, Failure> {
    let mut found = Found::default();
    let mut recordings = Vec::new();
    for worker in workers {
        let opened = open(home, worker)?;
        recordings.push(opened.unwrap_or_else(|failure| {
            found.failures.push(failure);
            None
        }));
    }
    let jobs = jobs(&recordings, wanted);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut hits = 0;
    for batch in jobs.chunks(threads * SEGMENTS_EACH) {
        let is_enough = hits > most && found.nth_time_us(most) >= batch[0].ends_us;
        if is_enough {
            break;
        }
        for (worker, searched) in search_all(batch, threads, &recordings, query, wanted) {
            let name = &workers[worker].meta.name;
            match searched.with_context(|| format!("cannot search all of worker `{name}`")) {
                Ok(passages) => {
                    hits += passages.iter().map(|passage| passage.hits().count()).sum::<usize>();
                    // Of those that settled at once, the last printed one is the newest.
                    found.passages.extend(passages.into_iter().rev().map(|passage| (worker, passage)));
                }
                Err(error) => found.failures.push(error.into()),
            }
        }
        found.passages.sort_by_key(|(_, passage)| Reverse((passage.time_us(), passage.at())));
    }
    found.keep(most);
    Ok(found)
}

impl Found {
    /// The time of the passage with the hit of this number.
    fn nth_time_us(&self, number: usize) -> u64 {
        let mut hits = 0;
        let nth = self.passages.iter().find(|(_, passage)| {
            hits += passage.hits().count();
            hits >= number
        });
        nth.map_or(0, |(_, passage)| passage.time_us())
    }

    /// Keeps the newest passages, until so many hits are reached.
    fn keep(&mut self, most: usize) {
        let mut hits = 0;
        let kept = self.passages.iter().take_while(|(_, passage)| {
            let fits = hits < most;
            hits += passage.hits().count();
            fits
        });
        let kept = kept.count();
        self.is_cut = kept < self.passages.len();
        self.passages.truncate(kept);
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

/// The segments that may hold something wanted, the youngest first.
fn jobs(recordings: &[Option<MaskedRecording>], wanted: &Wanted) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (worker, recording) in recordings.iter().enumerate() {
        let segments = recording.as_ref().map(Source::segments).unwrap_or_default();
        for (index, segment) in segments.iter().enumerate() {
            let ends_us = segments.get(index + 1).map_or(u64::MAX, |next| next.head.time_us);
            if segment.head.time_us <= wanted.until_us && ends_us >= wanted.since_us {
                jobs.push(Job { worker, index, ends_us });
            }
        }
    }
    jobs.sort_by_key(|job| Reverse((job.ends_us, job.index)));
    jobs
}

type Searched = (usize, io::Result<Vec<Passage>>);

fn search_all(
    jobs: &[Job],
    threads: usize,
    recordings: &[Option<MaskedRecording>],
    query: &Query,
    wanted: &Wanted,
) -> Vec<Searched> {
    let search = |job: &Job| {
        let searched = recordings[job.worker]
            .as_ref()
            .map_or_else(|| Ok(Vec::new()), |recording| search_segment(recording, job.index, query, wanted));
        (job.worker, searched)
    };
    thread::scope(|scope| {
        let parts = jobs.chunks(jobs.len().div_ceil(threads).max(1));
        let running: Vec<_> =
            parts.map(|part| scope.spawn(move || part.iter().map(search).collect::<Vec<_>>())).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    })
}
