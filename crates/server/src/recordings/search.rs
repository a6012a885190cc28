//! Finding lines in everything that was ever printed, newest first.

mod cursor;
mod hit;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::io;

use home::{Home, WorkerDir};
use jiff::Timestamp;
use model::WorkerId;
pub use playback::Case;
use playback::{Query, Wanted, search_segment, segment_times};

pub use cursor::SearchCursor;
pub use hit::Hit;
use hit::hits;

use super::error::RecordingError;
use super::masks::Masks;
use super::moment::time_us;
use super::open::{Opened, is_damaged, open};
use super::stop::{Stop, Stopped};

/// So many hits are more than anybody reads.
const MOST_HITS: usize = 1_000;

/// And so many lines around each.
const MOST_CONTEXT: usize = 10;

/// More than anybody writes. What it is when compiled is bounded too.
const MOST_PATTERN_BYTES: usize = 4 << 10;

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// A regular expression, or a text.
    pub pattern: &'a str,
    /// Whether it is a text, to be taken as it is.
    pub is_text: bool,
    /// Whether capitals and small letters are different.
    pub case: Case,
    /// In the recordings of these; of all workers without any said.
    pub workers: Option<&'a [WorkerId]>,
    /// Nothing from before.
    pub since: Option<Timestamp>,
    /// Nothing from after.
    pub until: Option<Timestamp>,
    /// So many lines before and after each.
    pub context: usize,
    /// At most so many.
    pub limit: usize,
    /// Older ones than those on an earlier page.
    pub before: Option<SearchCursor>,
}

impl<'a> Asked<'a> {
    /// A search for a pattern in everything.
    pub fn new(pattern: &'a str) -> Asked<'a> {
        Asked {
            pattern,
            is_text: false,
            case: Case::Smart,
            workers: None,
            since: None,
            until: None,
            context: 0,
            limit: MOST_HITS,
            before: None,
        }
    }
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The hits, newest first.
    pub hits: Vec<Hit>,
    /// What to ask for to have older ones, if there are any.
    pub next: Option<SearchCursor>,
    /// Whether everything was searched that had to be. If there was no time for it, there may be newer hits than these,
    /// and there is no next page.
    pub is_complete: bool,
    /// Whose recordings could not be read, or not all of them.
    pub damaged: BTreeSet<WorkerId>,
}

/// Searches the recordings of a home.
///
/// # Errors
///
/// When the pattern makes no sense or is too long, the workers cannot be listed, or nobody waits any more. A recording
/// that cannot be read is no error, and neither is a deadline: then there is what was found until then.
pub fn search(home: &Home, masks: &Masks, asked: &Asked<'_>, stop: &Stop) -> Result<Found, RecordingError> {
    if asked.pattern.len() > MOST_PATTERN_BYTES {
        return Err(RecordingError::LongPattern { most: MOST_PATTERN_BYTES });
    }
    let query = Query::new(asked.pattern, asked.is_text, asked.case)?;
    let mut search = Search {
        query,
        asked: Asked {
            limit: asked.limit.min(MOST_HITS),
            context: asked.context.min(MOST_CONTEXT),
            ..*asked
        },
        found: Found::default(),
    };
    match search.run(home, masks, stop) {
        Ok(()) => Ok(search.page()),
        Err(RecordingError::Stopped(Stopped::Late)) => Ok(search.unfinished()),
        Err(error) => Err(error),
    }
}

/// A recording to be searched.
struct Searchable {
    worker: WorkerId,
    opened: Opened,
    wanted: Wanted,
    /// How many of the newest wanted hits are on an earlier page.
    seen: usize,
}

/// A segment to be searched.
struct Job {
    /// The number of its recording.
    of: usize,
    index: usize,
    /// Nothing in it is younger.
    ends_us: u64,
}

struct Search<'a> {
    query: Query,
    asked: Asked<'a>,
    found: Found,
}

impl Search<'_> {
    fn run(&mut self, home: &Home, masks: &Masks, stop: &Stop) -> Result<(), RecordingError> {
        let mut searchables = Vec::new();
        for dir in home.worker_dirs().map_err(RecordingError::Read)? {
            stop.check()?;
            if self.asked.workers.is_none_or(|workers| workers.contains(&dir.id())) {
                searchables.extend(self.searchable(&dir, masks));
            }
        }
        for job in jobs(&searchables) {
            stop.check()?;
            if self.has_all_newer_than(job.ends_us) {
                break;
            }
            let of = &mut searchables[job.of];
            self.search(of, job.index);
        }
        Ok(())
    }

    /// The recording of a worker; nothing if it has none yet.
    fn searchable(&mut self, dir: &WorkerDir, masks: &Masks) -> Option<Searchable> {
        let worker = dir.id();
        let opened = match open(dir, &masks.of(dir)) {
            Ok(opened) => opened,
            Err(RecordingError::Empty) => return None,
            Err(_) => {
                self.found.damaged.insert(worker);
                return None;
            }
        };
        if is_damaged(opened.recording.recording()) {
            self.found.damaged.insert(worker);
        }
        let mut until_us = self.asked.until.map_or(u64::MAX, time_us);
        let mut seen = 0;
        if let Some(before) = self.asked.before {
            until_us = until_us.min(before.latest_us(worker)?);
            seen = before.seen_of(worker);
        }
        let wanted = Wanted {
            context: self.asked.context,
            since_us: self.asked.since.map_or(0, time_us),
            until_us,
            // One more than wanted tells that there are more.
            most: self.asked.limit + 1 + seen,
        };
        Some(Searchable { worker, opened, wanted, seen })
    }

    /// Searches a segment, and keeps the newest hits of all.
    fn search(&mut self, of: &mut Searchable, index: usize) {
        let searched = match search_segment(&of.opened.recording, index, &self.query, &of.wanted) {
            Ok(searched) => searched,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(_) => {
                self.found.damaged.insert(of.worker);
                return;
            }
        };
        if searched.is_damaged {
            self.found.damaged.insert(of.worker);
        }
        let rules = of.opened.recording.rules();
        let newest_first = searched.passages.iter().rev();
        for passage in newest_first {
            for hit in hits(passage, of.worker, &self.query, rules, of.opened.held, self.asked.context) {
                match of.seen {
                    0 => self.found.hits.push(hit),
                    _ => of.seen -= 1,
                }
            }
        }
        // Those of one recording are in order already.
        self.found.hits.sort_by_key(|hit| (Reverse(hit.at), hit.worker));
        self.found.hits.truncate(self.asked.limit + 1);
    }

    /// Whether nothing up to this time can be on this page, or be needed to know that there is another.
    fn has_all_newer_than(&self, latest_us: u64) -> bool {
        self.found.hits.get(self.asked.limit).is_some_and(|hit| time_us(hit.at) > latest_us)
    }

    /// The page, when everything was searched.
    fn page(mut self) -> Found {
        let has_more = self.found.hits.len() > self.asked.limit;
        self.found.hits.truncate(self.asked.limit);
        self.found.is_complete = true;
        if has_more {
            self.found.next = SearchCursor::behind(&self.found.hits, self.asked.before);
        }
        self.found
    }

    /// What there is when there was no time for everything.
    fn unfinished(mut self) -> Found {
        self.found.hits.truncate(self.asked.limit);
        self.found
    }
}

/// The segments that may hold something wanted, the youngest first.
fn jobs(searchables: &[Searchable]) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (of, searchable) in searchables.iter().enumerate() {
        let Wanted { since_us, until_us, .. } = searchable.wanted;
        for (index, (begins_us, ends_us)) in
            segment_times(&searchable.opened.recording).into_iter().enumerate()
        {
            if begins_us <= until_us && ends_us >= since_us {
                jobs.push(Job { of, index, ends_us });
            }
        }
    }
    jobs.sort_by_key(|job| Reverse((job.ends_us, job.index)));
    jobs
}
