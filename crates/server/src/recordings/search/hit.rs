//! Lines that match, each with what stands around it.

use std::ops::Range;

use jiff::Timestamp;
use masking::Rules;
use model::{Offset, WorkerId};
use playback::{Passage, PassageLine, Query};

use crate::recordings::moment::timestamp;
use crate::recordings::open::Held;

/// Of a longer line, so much is shown.
const MOST_LINE_BYTES: usize = 4 << 10;

/// Of that, so much from before the first match.
const LEAD_BYTES: usize = 256;

/// A line that matches. All text is masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Whose it is.
    pub worker: WorkerId,
    /// The output after which it was settled.
    pub offset: Offset,
    /// When that was.
    pub at: Timestamp,
    /// The line; of a very long one, what is around the first match.
    pub line: String,
    /// Where in it the matches are, in bytes.
    pub matches: Vec<Range<usize>>,
    /// The lines before it, oldest first.
    pub before: Vec<String>,
    /// The lines after it.
    pub after: Vec<String>,
}

/// The hits of a passage, newest first.
pub(super) fn hits<'a>(
    passage: &'a Passage,
    worker: WorkerId,
    query: &'a Query,
    rules: &'a Rules,
    held: Held,
    context: usize,
) -> impl Iterator<Item = Hit> + 'a {
    let lines = passage.lines.iter().enumerate();
    let wanted = lines.rev().filter(move |(_, line)| line.is_hit() && !held.holds(line.line.time_us));
    wanted.filter_map(move |(number, PassageLine { line, .. })| {
        // What is a secret only on its own line is masked here; nobody shall find out what it is by searching for it.
        let text = rules.mask_text(&line.text);
        let matches = query.matches(&text);
        let (line_shown, matches) = shown(&text, &matches);
        let around = |lines: &[PassageLine]| -> Vec<String> {
            let lines = lines.iter().filter(|line| !held.holds(line.line.time_us));
            lines.map(|line| shown(&rules.mask_text(&line.line.text), &[]).0).collect()
        };
        let is_hit = !matches.is_empty();
        is_hit.then(|| Hit {
            worker,
            offset: line.at,
            at: timestamp(line.time_us),
            line: line_shown,
            matches,
            before: around(&passage.lines[number.saturating_sub(context)..number]),
            after: around(&passage.lines[number + 1..passage.lines.len().min(number + 1 + context)]),
        })
    })
}

/// As much of a line as is shown, with the matches in it.
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
