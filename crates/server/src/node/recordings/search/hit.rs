//! Lines that match, each with the lines around it.

use std::ops::Range;

use jiff::Timestamp;
use model::{Offset, WorkerId};
use playback::PassageLine;
use reading::FoundPassage;

use crate::node::recordings::moment::timestamp;

/// This much of a longer line is shown.
const MOST_LINE_BYTES: usize = 4 << 10;

/// This much of it from before the first match.
const LEAD_BYTES: usize = 256;

/// A line that matches. All text is masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its worker.
    pub worker: WorkerId,
    /// The offset at which it settled.
    pub offset: Offset,
    /// The time at which it settled.
    pub at: Timestamp,
    /// The line; of a very long line, the part around the first match.
    pub line: String,
    /// The ranges of the matches in it, in bytes.
    pub matches: Vec<Range<usize>>,
    /// The lines before it, oldest first.
    pub before: Vec<String>,
    /// The lines after it.
    pub after: Vec<String>,
}

/// The hits of a passage, newest first.
pub(super) fn hits(found: &FoundPassage, context: usize) -> impl Iterator<Item = Hit> + '_ {
    let lines = &found.passage.lines;
    let wanted = lines.iter().enumerate().rev().filter(|(_, line)| line.is_hit());
    wanted.map(move |(number, PassageLine { line, matches })| {
        let (line_shown, matches) = shown(&line.text, matches);
        let around = |lines: &[PassageLine]| lines.iter().map(|line| shown(&line.line.text, &[]).0).collect();
        Hit {
            worker: found.worker,
            offset: line.at,
            at: timestamp(line.time_us),
            line: line_shown,
            matches,
            before: around(&lines[number.saturating_sub(context)..number]),
            after: around(&lines[number + 1..lines.len().min(number + 1 + context)]),
        }
    })
}

/// The part of a line that is shown, with the matches in it.
fn shown(text: &str, matches: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    if text.len() <= MOST_LINE_BYTES {
        return (text.to_owned(), matches.to_vec());
    }
    let first = matches.first().map_or(0, |first| first.start);
    let from = text.floor_char_boundary(first.saturating_sub(LEAD_BYTES));
    let to = text.floor_char_boundary(from + MOST_LINE_BYTES);
    let within = |found: &Range<usize>| {
        let (start, end) = (found.start.max(from), found.end.min(to));
        (start < end).then(|| start - from..end - from)
    };
    (text[from..to].to_owned(), matches.iter().filter_map(within).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_line_what_is_around_the_first_match_is_shown() {
        let text = format!("{}needle{} needle", "ä".repeat(9_000), "x".repeat(9_000));
        let first = text.find("needle").expect("it is there");
        let last = text.rfind("needle").expect("it is there");
        let (line, matches) = shown(&text, &[first..first + 6, last..last + 6]);
        assert!(line.len() <= MOST_LINE_BYTES);
        assert_eq!(matches.len(), 1);
        assert_eq!(&line[matches[0].clone()], "needle");
        let (line, matches) = shown(&text, std::slice::from_ref(&(first..text.len())));
        assert_eq!((matches[0].end, line.len() <= MOST_LINE_BYTES), (line.len(), true));
        assert_eq!(shown("short", &[]), ("short".to_owned(), Vec::new()));
    }
}
