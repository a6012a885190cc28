//! Searching many recordings, newest first.

mod at_once;
mod newest;
mod one;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use home::WorkerDir;
use model::WorkerId;
use playback::{MaskedRecording, Passage, Query, segment_times};
use recording::Recording;

use crate::held::Held;
use crate::masks::Masks;
use crate::stop::{Stop, Stopped};
use at_once::at_once;
use one::Segment;

/// So many segments for each thread are searched before looking whether that was enough.
const SEGMENTS_EACH: usize = 4;

/// What to search for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// What a line must match.
    pub query: &'a Query,
    /// How many lines before and after each hit.
    pub context: usize,
    /// At most so many hits, the newest.
    pub most: usize,
    /// How many threads search.
    pub threads: usize,
    /// Whether the last instant of a worker that may still print is left out.
    pub holds_back: bool,
}

/// Which hits of one recording are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// None that settled before this time.
    pub since_us: u64,
    /// None that settled after this time.
    pub until_us: u64,
    /// So many of the newest are left out.
    pub seen: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { since_us: 0, until_us: u64::MAX, seen: 0 }
    }
}

/// The hits.
#[derive(Debug)]
pub struct Found {
    /// The passages with the newest hits, newest first. Hits of one time are in the order of their workers' ids.
    pub passages: Vec<FoundPassage>,
    /// Whether there are more hits than were asked for.
    pub has_more: bool,
    /// Whether everything was searched. If not, there may be newer hits than these.
    pub end: Result<(), Stopped>,
    /// The recordings that could not be read, or not as a whole.
    pub unread: BTreeMap<WorkerId, Unread>,
}

/// A passage of a worker's recording. All its text is masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPassage {
    /// Whose it is.
    pub worker: WorkerId,
    /// In which of the recording's segments it is, and its number among the passages found there.
    place: (usize, usize),
    /// The lines.
    pub passage: Passage,
}

/// Why a recording was not searched as a whole.
#[derive(Debug)]
pub enum Unread {
    /// It cannot be opened.
    Closed(io::Error),
    /// A segment cannot be read.
    Segment(io::Error),
    /// Some of it is damaged.
    Damaged,
    /// The search of it panicked.
    Panicked,
}

/// A recording to be searched.
struct Searchable {
    worker: WorkerId,
    recording: MaskedRecording,
    bounds: Bounds,
    held: Held,
}

/// A segment to be searched.
struct Job {
    /// The number of its recording.
    of: usize,
    index: usize,
    /// Nothing in it is younger.
    ends_us: u64,
}

/// Searches the recordings of workers. `bounds` says which hits of a recording are wanted; nothing if none are.
///
/// A recording that cannot be read is no error, and neither is a stop: the result says so.
pub fn search(
    workers: &[WorkerDir],
    masks: &Masks,
    asked: &Asked<'_>,
    bounds: impl Fn(WorkerId, &MaskedRecording) -> Option<Bounds> + Sync,
    stop: &Stop,
) -> Found {
    let mut found = Found { passages: Vec::new(), has_more: false, end: Ok(()), unread: BTreeMap::new() };
    found.end = found.run(workers, masks, asked, bounds, stop);
    found.has_more = found.hits() > asked.most;
    found.keep(asked.most, asked.context);
    found
}

/// Whether a file of a recording cannot be read as a segment. An active one may just be begun; a sealed one is whole or
/// damaged.
pub fn is_damaged(recording: &Recording) -> bool {
    let is_sealed = |path: &Path| path.extension().is_some_and(|kind| kind == "sealed");
    recording.unreadable().iter().any(|file| is_sealed(&file.path))
}

impl Found {
    fn run(
        &mut self,
        workers: &[WorkerDir],
        masks: &Masks,
        asked: &Asked<'_>,
        bounds: impl Fn(WorkerId, &MaskedRecording) -> Option<Bounds> + Sync,
        stop: &Stop,
    ) -> Result<(), Stopped> {
        let opened = at_once(workers, asked.threads, |dir| {
            stop.check().map(|()| Searchable::open(dir, masks, asked.holds_back, &bounds))
        });
        let mut searchables = Vec::new();
        for (dir, opened) in workers.iter().zip(opened) {
            match opened {
                Some(opened) => match opened? {
                    Ok(searchable) => searchables.extend(searchable),
                    Err(error) => self.tell(dir.id(), Unread::Closed(error)),
                },
                None => self.tell(dir.id(), Unread::Panicked),
            }
        }
        for of in searchables.iter().filter(|of| is_damaged(of.recording.recording())) {
            self.tell(of.worker, Unread::Damaged);
        }
        let mut seen: Vec<usize> = searchables.iter().map(|of| of.bounds.seen).collect();
        let batch = if asked.threads > 1 { asked.threads * SEGMENTS_EACH } else { 1 };
        for batch in jobs(&searchables).chunks(batch) {
            stop.check()?;
            if self.has_all_newer_than(batch[0].ends_us, asked.most) {
                break;
            }
            let searched = at_once(batch, asked.threads, |job| {
                let of = &searchables[job.of];
                one::search(&of.recording, job.index, asked, &of.bounds, of.held)
            });
            for (job, segment) in batch.iter().zip(searched) {
                self.take_in(searchables[job.of].worker, job.index, segment, &mut seen[job.of]);
            }
            // One more than wanted tells that there are more.
            self.keep(asked.most.saturating_add(1), asked.context);
        }
        Ok(())
    }

    /// Takes in the hits of a segment; nothing if the search of it panicked.
    fn take_in(
        &mut self,
        worker: WorkerId,
        index: usize,
        segment: Option<io::Result<Segment>>,
        seen: &mut usize,
    ) {
        match segment {
            Some(Ok(segment)) => {
                if segment.is_damaged {
                    self.tell(worker, Unread::Damaged);
                }
                for (number, passage) in segment.passages.into_iter().enumerate().rev() {
                    let mut passage = FoundPassage { worker, place: (index, number), passage };
                    let hits = passage.passage.hits().count();
                    let skipped = hits.min(*seen);
                    *seen -= skipped;
                    if skipped > 0 {
                        passage.passage.keep_hits(|place| place < hits - skipped, usize::MAX);
                    }
                    self.passages.push(passage);
                }
            }
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => {}
            Some(Err(error)) => self.tell(worker, Unread::Segment(error)),
            None => self.tell(worker, Unread::Panicked),
        }
    }

    /// Remembers the first trouble with a worker's recording.
    fn tell(&mut self, worker: WorkerId, unread: Unread) {
        self.unread.entry(worker).or_insert(unread);
    }
}

impl Searchable {
    /// Opens a worker's recording; nothing if it has none yet, or nothing of it is wanted.
    fn open(
        dir: &WorkerDir,
        masks: &Masks,
        holds_back: bool,
        bounds: impl Fn(WorkerId, &MaskedRecording) -> Option<Bounds>,
    ) -> io::Result<Option<Searchable>> {
        // A worker that ends meanwhile is looked at as if it had not.
        let held = if holds_back { Held::of(dir) } else { Held::default() };
        let worker = dir.id();
        match MaskedRecording::open(&dir.recording(), masks.of(dir)) {
            Ok(recording) => {
                let bounds = bounds(worker, &recording);
                Ok(bounds.map(|bounds| Searchable { worker, recording, bounds, held }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The segments that may hold something wanted, the youngest first.
fn jobs(searchables: &[Searchable]) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (of, searchable) in searchables.iter().enumerate() {
        let Bounds { since_us, until_us, .. } = searchable.bounds;
        for (index, (begins_us, ends_us)) in segment_times(&searchable.recording).into_iter().enumerate() {
            if begins_us <= until_us && ends_us >= since_us {
                jobs.push(Job { of, index, ends_us });
            }
        }
    }
    jobs.sort_by_key(|job| Reverse((job.ends_us, job.index)));
    jobs
}
