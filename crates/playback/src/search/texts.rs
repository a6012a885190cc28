//! Searching the texts that stand beside a sealed segment.

use std::io;

use masking::Rules;
use model::Offset;
use recording::{Line, LineKind, Masked, OpenError, SegmentReader, Text, Texts};

use super::passage::{Lines, Passage, passages};
use super::query::Query;
use super::{Searched, Wanted};
use crate::masked::MaskedRecording;
use crate::source::Source;
use crate::time_line::TimeLine;

/// How much is looked at before a text for the beginning of a private key that goes on in it: many times the longest.
const LEAD_BYTES: usize = 64 << 10;

/// Searches the texts of a sealed segment, the newest first, until there are as many hits as are wanted.
pub(super) fn search(
    recording: &MaskedRecording,
    index: usize,
    reader: &SegmentReader,
    query: &Query,
    wanted: &Wanted,
) -> io::Result<Searched> {
    let (texts, lost) = match read(reader) {
        Ok(read) => read,
        Err(OpenError::Io(error)) => return Err(error),
        Err(_) => return Ok(Searched { passages: Vec::new(), is_damaged: true }),
    };
    let segment = SealedSegment { recording, index, masked: reader.masked(), texts };
    let mut is_damaged = lost > 0;
    let mut newest_first: Vec<Vec<Passage>> = Vec::new();
    let mut left = wanted.most;
    for number in (0..segment.texts.len()).rev() {
        if left == 0 {
            break;
        }
        match segment.search(number, query, wanted, left) {
            Some(passages) => {
                left -= passages.iter().map(|passage| passage.hits().count()).sum::<usize>();
                newest_first.push(passages);
            }
            None => is_damaged = true,
        }
    }
    let passages = newest_first.into_iter().rev().flatten().collect();
    Ok(Searched { passages, is_damaged })
}

/// The texts of a segment that are whole, still compressed, and how many are not.
fn read(reader: &SegmentReader) -> Result<(Vec<Text>, usize), OpenError> {
    let Some(mut texts) = Texts::open(reader.path())? else { return Ok((Vec::new(), 0)) };
    let whole = texts.by_ref().collect();
    Ok((whole, texts.lost()))
}

struct SealedSegment<'a> {
    recording: &'a MaskedRecording,
    index: usize,
    masked: Masked,
    texts: Vec<Text>,
}

impl SealedSegment<'_> {
    /// What matches in one of the texts; nothing if that is damaged.
    fn search(&self, number: usize, query: &Query, wanted: &Wanted, most: usize) -> Option<Vec<Passage>> {
        let text = &self.texts[number];
        let may_match = match self.masked {
            Masked::Yes => query.may_match(text),
            Masked::No => query.may_match_masked(text),
        };
        if !may_match {
            return Some(Vec::new());
        }
        let all = decompressed(text)?;
        let all = match self.masked {
            Masked::Yes => all,
            // Its owner keeps it as it was; what leaves is masked.
            Masked::No => masked(self.recording.rules(), &self.lead(number), &all),
        };
        let hits = query.lines_with_matches(&all);
        if hits.is_empty() {
            return Some(Vec::new());
        }
        let lines = TextLines::new(&all, text.places().ok()?, self)?;
        Some(passages(&lines, hits, query, wanted, most))
    }

    /// The last lines before a text.
    fn lead(&self, number: usize) -> String {
        let before = match number.checked_sub(1) {
            Some(before) => decompressed(&self.texts[before]),
            None => self.last_of_segment_before(),
        };
        let before = before.unwrap_or_default();
        let from = before.len().checked_sub(LEAD_BYTES).map_or(0, |from| {
            let ends = memchr::memchr(b'\n', &before.as_bytes()[from..]);
            ends.map_or(before.len(), |end| from + end + 1)
        });
        before[from..].to_owned()
    }

    fn last_of_segment_before(&self) -> Option<String> {
        let before = self.recording.segments().get(self.index.checked_sub(1)?)?;
        decompressed(&Texts::open(&before.path).ok()??.last()?)
    }
}

fn decompressed(text: &Text) -> Option<String> {
    String::from_utf8(text.lines().ok()?).ok()
}

/// A text with its secrets masked, which may begin in the lines before it.
fn masked(rules: &Rules, lead: &str, text: &str) -> String {
    let lines = memchr::memchr_iter(b'\n', lead.as_bytes()).count();
    let all = [lead, text].concat();
    let all = rules.mask_text(&all);
    let ends = lines.checked_sub(1).and_then(|last| memchr::memchr_iter(b'\n', all.as_bytes()).nth(last));
    all[ends.map_or(0, |end| end + 1)..].to_owned()
}

/// The lines of a text, with their places.
struct TextLines<'a> {
    text: &'a str,
    /// Where each line ends.
    ends: Vec<usize>,
    places: Vec<(Offset, u64, LineKind)>,
    times: TimeLine,
    index: usize,
}

impl<'a> TextLines<'a> {
    /// Nothing if not every line has a place.
    fn new(
        text: &'a str,
        places: Vec<(Offset, u64, LineKind)>,
        segment: &SealedSegment<'_>,
    ) -> Option<TextLines<'a>> {
        let ends: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
        let is_whole = ends.len() == places.len() && ends.last().is_none_or(|end| end + 1 == text.len());
        let times = TimeLine::new(segment.recording.segments());
        is_whole.then_some(TextLines { text, ends, places, times, index: segment.index })
    }
}

impl Lines for TextLines<'_> {
    fn count(&self) -> usize {
        self.ends.len()
    }

    fn time_us(&self, number: usize) -> u64 {
        self.times.time(self.index, self.places[number].1)
    }

    fn line(&self, number: usize) -> Line {
        let from = number.checked_sub(1).map_or(0, |before| self.ends[before] + 1);
        let (at, _, kind) = self.places[number];
        let text = self.text[from..self.ends[number]].to_owned();
        Line { at, time_us: self.time_us(number), kind, text }
    }
}
