//! Searches all recordings for lines, newest first.

mod cursor;
mod hit;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use home::{Home, WorkerDir};
use jiff::Timestamp;
use model::WorkerId;
pub use playback::Case;
use playback::Query;
use reading::{Bounds, Masks, Stop, Stopped};

pub use cursor::SearchCursor;
pub use hit::Hit;
use hit::hits;

use super::error::RecordingError;
use super::moment::time_us;

/// One answer has at most this many hits. No reader needs more.
const MOST_HITS: usize = 1_000;

/// At most this many lines around each hit.
const MOST_CONTEXT: usize = 10;

/// A pattern has at most this many bytes. The size of the compiled pattern is bounded too.
const MOST_PATTERN_BYTES: usize = 4 << 10;

/// A search request.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// A regular expression, or a text.
    pub pattern: &'a str,
    /// Whether it is a text to be found literally.
    pub is_text: bool,
    /// Whether upper and lower case differ.
    pub case: Case,
    /// The workers whose recordings are searched; `None` for all.
    pub workers: Option<&'a [WorkerId]>,
    /// No hits before this time.
    pub since: Option<Timestamp>,
    /// No hits after this time.
    pub until: Option<Timestamp>,
    /// The number of lines before and after each hit.
    pub context: usize,
    /// The largest number of hits.
    pub limit: usize,
    /// The cursor of the page before: only older hits.
    pub before: Option<SearchCursor>,
}

impl<'a> Asked<'a> {
    /// A search for a pattern in all recordings.
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

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The hits, newest first.
    pub hits: Vec<Hit>,
    /// The cursor of the next page, if there are older hits.
    pub next: Option<SearchCursor>,
    /// Whether the search was complete. If the time was over before, there may be newer hits than these, and there is
    /// no next page.
    pub is_complete: bool,
    /// The workers whose recordings could not be read, or only in part.
    pub damaged: BTreeSet<WorkerId>,
}

/// Searches the recordings in a data directory.
///
/// # Errors
///
/// When the pattern is invalid or too long, the workers cannot be listed, or the search was stopped. An unreadable
/// recording is no error. A deadline is no error either: the hits found until then are returned.
pub fn search(home: &Home, masks: &Masks, asked: &Asked<'_>, stop: &Stop) -> Result<Found, RecordingError> {
    if asked.pattern.len() > MOST_PATTERN_BYTES {
        return Err(RecordingError::LongPattern { most: MOST_PATTERN_BYTES });
    }
    let query = Query::new(asked.pattern, asked.is_text, asked.case)?;
    let (limit, context) = (asked.limit.min(MOST_HITS), asked.context.min(MOST_CONTEXT));
    let mut dirs = home.worker_dirs().map_err(RecordingError::Read)?;
    dirs.retain(|dir: &WorkerDir| asked.workers.is_none_or(|workers| workers.contains(&dir.id())));
    // One thread for each request, because the server has other requests to answer.
    let wanted = reading::Asked { query: &query, context, most: limit, threads: 1, holds_back: true };
    let found = reading::search(&dirs, masks, &wanted, |worker, _| bounds(asked, worker), stop);
    let is_complete = match found.end {
        Ok(()) => true,
        Err(Stopped::Late) => false,
        Err(stopped) => return Err(stopped.into()),
    };
    let mut page: Vec<Hit> = found.passages.iter().flat_map(|found| hits(found, context)).collect();
    // Hits of one recording are in order already.
    page.sort_by_key(|hit| (Reverse(hit.at), hit.worker));
    let next = if is_complete && found.has_more { SearchCursor::behind(&page, asked.before) } else { None };
    Ok(Found { hits: page, next, is_complete, damaged: found.unread.into_keys().collect() })
}

/// The bounds of the hits of one worker that belong on the page; `None` if no hit does.
fn bounds(asked: &Asked<'_>, worker: WorkerId) -> Option<Bounds> {
    let mut bounds = Bounds {
        since_us: asked.since.map_or(0, time_us),
        until_us: asked.until.map_or(u64::MAX, time_us),
        seen: 0,
    };
    if let Some(before) = asked.before {
        bounds.until_us = bounds.until_us.min(before.latest_us(worker)?);
        bounds.seen = before.seen_of(worker);
    }
    Some(bounds)
}
