//! The moments at which a text appears.
//!
//! What is searched are settled lines, and a line settles when it leaves the screen or when everything ends. What a
//! person wants to see is when it came, so that is looked for on the screens before.

use model::Offset;
use playback::{Line, MaskedRecording, Moment, Player, Query, Source, Wanted, search_segment};
use terminal::HistoryLimit;

use super::replaying::Way;

/// How exact the offsets of settled lines are, with room to spare.
const SETTLED_WITHIN_BYTES: u64 = 2 << 10;

/// A line that was on the screen for longer than so many segments is shown where the oldest of these begins.
const MOST_SEGMENTS: usize = 32;

/// Only the screen is looked at, but a larger one brings lines back.
const HISTORY: HistoryLimit = HistoryLimit { lines: 1000, bytes: 256 << 10 };

/// The nearest moment, that way from this one, at which a line that matches appears.
pub(super) fn find(recording: MaskedRecording, query: &Query, from: Moment, way: Way) -> Option<Moment> {
    let mut search = Search { player: Player::new(recording, HISTORY), query };
    let first = search.segment_of(from.at);
    let last = search.player.source().segments().len().checked_sub(1)?;
    let on_screen = search.matches_on_screen(from.at);
    match way {
        Way::Forward => (first..=last).find_map(|index| search.first_after(index, from, &on_screen)),
        Way::Back => (0..=last).rev().find_map(|index| search.last_before(index, from, &on_screen)),
    }
}

struct Search<'a> {
    player: Player<MaskedRecording>,
    query: &'a Query,
}

impl Search<'_> {
    fn hits(&self, index: usize) -> Vec<Line> {
        // A segment that cannot be read has nothing to show either.
        let passages =
            search_segment(self.player.source(), index, self.query, &Wanted::default()).unwrap_or_default();
        passages.into_iter().flat_map(|passage| passage.lines).map(|line| line.line).collect()
    }

    /// The first hit of a segment that appears after a moment. Of hits that say the same as what is on the screen then,
    /// the first ones are what is on the screen.
    fn first_after(&mut self, index: usize, from: Moment, on_screen: &[String]) -> Option<Moment> {
        let mut on_screen = on_screen.to_vec();
        let mut before: Vec<Line> = Vec::new();
        for hit in self.hits(index) {
            if hit.at <= from.at {
                continue;
            }
            let is_on_screen = on_screen.iter().position(|text| *text == hit.text);
            match is_on_screen {
                Some(place) => {
                    on_screen.remove(place);
                }
                None => {
                    let moment = self.appearance(index, &hit, &before);
                    if moment.at > from.at {
                        return Some(moment);
                    }
                }
            }
            before.push(hit);
        }
        None
    }

    /// The last hit of a segment that appeared before a moment.
    fn last_before(&mut self, index: usize, from: Moment, on_screen: &[String]) -> Option<Moment> {
        let hits = self.hits(index);
        for (place, hit) in hits.iter().enumerate().rev() {
            if hit.at > from.at && !on_screen.contains(&hit.text) {
                continue;
            }
            let moment = self.appearance(index, hit, &hits[..place]);
            if moment.at < from.at {
                return Some(moment);
            }
        }
        None
    }

    /// When a line that settled in a segment came onto the screen. `before` are the hits that settled before it.
    fn appearance(&mut self, index: usize, hit: &Line, before: &[Line]) -> Moment {
        let same: Vec<Offset> =
            before.iter().filter(|line| line.text == hit.text).map(|line| line.at).collect();
        let begins = self.player.source().segments()[index].head.at;
        let near = Offset(hit.at.0.saturating_sub(SETTLED_WITHIN_BYTES)).max(begins);
        if self.shows(near, hit, &same) {
            return self.first_that_shows(index, near, hit, &same);
        }
        let within = (near.0..=hit.at.0).map(Offset);
        let shown = within.into_iter().find(|at| self.shows(*at, hit, &same));
        self.player.seek_to_offset(shown.unwrap_or(hit.at))
    }

    /// The first moment at which a line is on the screen that is there at an offset: it came once, and stayed.
    fn first_that_shows(&mut self, index: usize, there: Offset, hit: &Line, same: &[Offset]) -> Moment {
        let heads = self.player.source().segments()[..=index].iter().rev().take(MOST_SEGMENTS);
        let heads: Vec<Offset> = heads.map(|segment| segment.head.at).collect();
        let mut shown = there;
        for begins in heads {
            if self.shows(begins, hit, same) {
                shown = begins;
                continue;
            }
            let mut hidden = begins;
            while shown - hidden > 1 {
                let middle = Offset(hidden.0 + (shown.0 - hidden.0) / 2);
                if self.shows(middle, hit, same) {
                    shown = middle;
                } else {
                    hidden = middle;
                }
            }
            break;
        }
        self.player.seek_to_offset(shown)
    }

    /// Whether a line is on the screen at an offset. Others that say the same, and settle earlier than it, are on it
    /// until they do.
    fn shows(&mut self, at: Offset, hit: &Line, same: &[Offset]) -> bool {
        self.player.seek_to_offset(at);
        let text = self.player.terminal().text(0);
        let there = text.lines().filter(|line| line.trim_end() == hit.text.trim_end()).count();
        there > same.iter().filter(|settled| **settled > at).count()
    }

    fn matches_on_screen(&mut self, at: Offset) -> Vec<String> {
        self.player.seek_to_offset(at);
        let text = self.player.terminal().text(0);
        let lines = text.lines().map(str::trim_end).filter(|line| !self.query.matches(line).is_empty());
        lines.map(str::to_owned).collect()
    }

    fn segment_of(&self, at: Offset) -> usize {
        let segments = self.player.source().segments();
        segments.iter().rposition(|segment| segment.head.at <= at).unwrap_or(0)
    }
}
