//! Searching one segment.

use std::io;

use masking::Rules;
use playback::{MaskedRecording, Passage, PassageLine, Query, Wanted, search_segment};

use super::{Asked, Bounds};
use crate::held::Held;

/// The hits in a segment.
pub(super) struct Segment {
    /// The passages, oldest first.
    pub(super) passages: Vec<Passage>,
    /// Whether some of it could not be searched.
    pub(super) is_damaged: bool,
}

/// Searches a segment for as many hits as may be needed, and masks what leaves.
///
/// # Errors
///
/// As for [`search_segment`].
pub(super) fn search(
    recording: &MaskedRecording,
    index: usize,
    asked: &Asked<'_>,
    bounds: &Bounds,
    held: Held,
) -> io::Result<Segment> {
    // One more than wanted tells that there are more.
    let needed = asked.most.saturating_add(1).saturating_add(bounds.seen);
    let mut wanted =
        Wanted { context: asked.context, since_us: bounds.since_us, until_us: bounds.until_us, most: needed };
    loop {
        let searched = search_segment(recording, index, asked.query, &wanted)?;
        let (is_damaged, before) = (searched.is_damaged, count(&searched.passages));
        let leaving = |passage| leaving(passage, asked.query, recording.rules(), held);
        let passages: Vec<Passage> = searched.into_iter().filter_map(leaving).collect();
        // Hits that may not leave have taken the place of older ones that may.
        if before < wanted.most || count(&passages) >= needed {
            return Ok(Segment { passages, is_damaged });
        }
        wanted.most = wanted.most.saturating_mul(4);
    }
}

fn count(passages: &[Passage]) -> usize {
    passages.iter().map(|passage| passage.hits().count()).sum()
}

/// What may leave of a passage: without held lines, and with lines masked that were sealed before there was a rule for
/// them. A line that matches in nothing but a secret is no hit, so that a secret cannot be found out by searching for
/// it.
fn leaving(mut passage: Passage, query: &Query, rules: &Rules, held: Held) -> Option<Passage> {
    passage.lines.retain(|line| !held.holds(line.line.time_us));
    for PassageLine { line, matches } in &mut passage.lines {
        let masked = rules.mask_text(&line.text);
        if masked != line.text {
            line.text = masked.into_owned();
            if !matches.is_empty() {
                *matches = query.matches(&line.text);
            }
        }
    }
    let has_hit = passage.hits().next().is_some();
    has_hit.then_some(passage)
}
