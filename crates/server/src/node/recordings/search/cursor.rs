//! Where the next page of a search begins.

use std::fmt;
use std::str::FromStr;

use model::WorkerId;

use super::hit::Hit;
use crate::node::recordings::cursor::ParseCursorError;
use crate::node::recordings::moment::time_us;

/// A place in a list of hits. Hits are sorted by time, newest first, and hits of one time by worker.
///
/// As text it is a time, a worker and a number with dots between them. Clients send it back unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchCursor {
    /// The time of the last hit before it.
    time_us: u64,
    /// The worker of that hit.
    worker: WorkerId,
    /// The number of hits of that time and worker before it.
    seen: usize,
}

impl SearchCursor {
    /// The place behind a page that began at another place.
    pub(super) fn behind(page: &[Hit], began: Option<SearchCursor>) -> Option<SearchCursor> {
        let last = page.last()?;
        let on_page =
            page.iter().rev().take_while(|hit| (hit.at, hit.worker) == (last.at, last.worker)).count();
        let mut cursor = SearchCursor { time_us: time_us(last.at), worker: last.worker, seen: on_page };
        if let Some(began) = began
            && (began.time_us, began.worker) == (cursor.time_us, cursor.worker)
        {
            cursor.seen += began.seen;
        }
        Some(cursor)
    }

    /// The latest time of a worker's hits behind this place; `None` if there can be none.
    pub(super) fn latest_us(&self, worker: WorkerId) -> Option<u64> {
        if worker < self.worker { self.time_us.checked_sub(1) } else { Some(self.time_us) }
    }

    /// The number of a worker's hits before this place that are not newer than that time.
    pub(super) fn seen_of(&self, worker: WorkerId) -> usize {
        if worker == self.worker { self.seen } else { 0 }
    }
}

impl fmt::Display for SearchCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.time_us, self.worker, self.seen)
    }
}

/// One instant has fewer hits than this.
const MOST_SEEN: usize = 100_000_000;

impl FromStr for SearchCursor {
    type Err = ParseCursorError;

    fn from_str(text: &str) -> Result<SearchCursor, ParseCursorError> {
        let mut parts = text.split('.');
        let mut part = || parts.next().ok_or(ParseCursorError);
        let cursor = SearchCursor {
            time_us: part()?.parse().map_err(|_| ParseCursorError)?,
            worker: part()?.parse().map_err(|_| ParseCursorError)?,
            seen: part()?.parse().map_err(|_| ParseCursorError)?,
        };
        match parts.next() {
            None if cursor.seen <= MOST_SEEN => Ok(cursor),
            _ => Err(ParseCursorError),
        }
    }
}
