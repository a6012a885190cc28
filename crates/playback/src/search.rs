//! Searching everything that was ever printed.
//!
//! What is searched are settled lines. Sealed segments have theirs beside them, with filters that tell which stretches
//! cannot match, so that most of a recording is never decompressed; of active ones they are made on the way.

mod needles;
mod query;

use std::io;
use std::ops::Range;

use model::Offset;
use recording::{Line, Masked, Segment, SegmentKind, SegmentReader, Text, Texts};

use crate::lines::lines_of_segment;
use crate::masked::MaskedRecording;
use crate::source::Source;
pub use query::{Case, Query, QueryError};

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
        self.lines.iter().filter(|line| !line.matches.is_empty())
    }

    /// The output after which the last line that matches was settled.
    pub fn at(&self) -> Offset {
        self.hits().next_back().map_or(Offset(0), |hit| hit.line.at)
    }

    /// When the last line that matches was settled.
    pub fn time_us(&self) -> u64 {
        self.hits().next_back().map_or(0, |hit| hit.line.time_us)
    }
}

/// What is wanted of what matches.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// How many lines before and after each.
    pub context: usize,
    /// None that settled before this time.
    pub since_us: u64,
    /// None that settled after this time.
    pub until_us: u64,
}

impl Default for Wanted {
    fn default() -> Wanted {
        Wanted { context: 0, since_us: 0, until_us: u64::MAX }
    }
}

/// What matches in one segment of a recording, oldest first.
///
/// # Errors
///
/// When its file cannot be read. Damage costs what is damaged.
pub fn search_segment(
    recording: &MaskedRecording,
    index: usize,
    query: &Query,
    wanted: &Wanted,
) -> io::Result<Vec<Passage>> {
    let Some(segment) = recording.segments().get(index) else { return Ok(Vec::new()) };
    let texts = match segment.kind {
        SegmentKind::Sealed => Texts::open(&segment.path).ok().flatten(),
        SegmentKind::Active => None,
    };
    let Some(texts) = texts else {
        let lines = lines_of(recording, index, segment);
        let hits = (0..lines.len()).filter(|&place| !query.matches(&lines[place].text).is_empty());
        return Ok(passages(hits.collect(), wanted, lines.len(), query, |place| lines.get(place).cloned()));
    };
    let masked = SegmentReader::open(&segment.path).map_or(Masked::No, |reader| reader.masked());
    let mut found = Vec::new();
    for text in texts {
        found.extend(search_text(recording, &text, masked, query, wanted)?);
    }
    Ok(found)
}

/// The lines of a segment that has no text beside it.
fn lines_of(recording: &MaskedRecording, index: usize, segment: &Segment) -> Vec<Line> {
    let blocks: Vec<_> = recording.blocks(index).collect();
    let end = blocks.last().and_then(recording::Block::end);
    let next = recording.segments().get(index + 1);
    let is_last = next.is_none_or(|next| Some(next.head.at) != end);
    lines_of_segment(&segment.head, blocks.into_iter(), is_last)
}

fn search_text(
    recording: &MaskedRecording,
    text: &Text,
    masked: Masked,
    query: &Query,
    wanted: &Wanted,
) -> io::Result<Vec<Passage>> {
    if !query.may_match(text) {
        return Ok(Vec::new());
    }
    let Ok(all) = String::from_utf8(text.lines()?) else { return Ok(Vec::new()) };
    let all = match masked {
        Masked::Yes => all,
        // Its owner keeps it as it was; what leaves is masked.
        Masked::No => all.lines().map(|line| recording.rules().mask_text(line) + "\n").collect(),
    };
    let hits = query.lines_with_matches(&all);
    if hits.is_empty() {
        return Ok(Vec::new());
    }
    let lines: Vec<&str> = all.lines().collect();
    let places = text.places()?;
    Ok(passages(hits, wanted, lines.len(), query, |place| {
        let (at, time_us, kind) = *places.get(place)?;
        Some(Line { at, time_us, kind, text: (*lines.get(place)?).to_owned() })
    }))
}

/// Hits, by the numbers of their lines, as passages of neighbours.
fn passages(
    hits: Vec<usize>,
    wanted: &Wanted,
    lines: usize,
    query: &Query,
    line: impl Fn(usize) -> Option<Line>,
) -> Vec<Passage> {
    let is_wanted = |place: &usize| {
        line(*place).is_some_and(|line| (wanted.since_us..=wanted.until_us).contains(&line.time_us))
    };
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for place in hits.into_iter().filter(is_wanted) {
        let from = place.saturating_sub(wanted.context);
        let to = (place + 1 + wanted.context).min(lines);
        match ranges.last_mut() {
            Some(last) if wanted.context > 0 && from <= last.end => last.end = to,
            _ => ranges.push(from..to),
        }
    }
    let passage = |range: Range<usize>| {
        let lines =
            range.filter_map(&line).map(|line| PassageLine { matches: query.matches(&line.text), line });
        Passage { lines: lines.collect() }
    };
    ranges.into_iter().map(passage).collect()
}
