//! A recording from a moment on: what happens, one thing after the other, and the screen after each.

use std::iter::Peekable;

use model::{ExitStatus, Offset, TermSize};
use playback::{EventKind, Mark, Moment, Player, Source, marks};
use terminal::{HistoryLimit, Terminal};

use crate::error::ExportError;
use crate::marker::Marker;
use crate::subject::Range;

/// Something that happened.
#[derive(Debug)]
pub(crate) enum Step {
    /// The child printed this.
    Output(Vec<u8>),
    /// The terminal got this size.
    Resize(TermSize),
    /// The screen is another one: something was missing before it.
    Redrawn,
    /// The child ended.
    Exit(ExitStatus),
    /// Something to jump to.
    Marker(Marker),
}

/// Plays a part of a recording.
pub(crate) struct Walk<'a, S: Source> {
    player: Player<&'a S>,
    marks: Peekable<Box<dyn Iterator<Item = Mark> + 'a>>,
    begin: Moment,
    to_us: u64,
}

impl<'a, S: Source> Walk<'a, S> {
    /// Goes to the beginning of the range.
    pub(crate) fn begin(
        source: &'a S,
        range: Range,
        history: HistoryLimit,
    ) -> Result<Walk<'a, S>, ExportError> {
        if source.segments().is_empty() {
            return Err(ExportError::Empty);
        }
        let mut player = Player::new(source, history);
        let mut begin = player.moment();
        if let Some(from_us) = range.from_us.filter(|from_us| *from_us > begin.time_us) {
            begin = Moment { time_us: from_us, ..player.seek_to_time(from_us) };
        }
        let marks: Box<dyn Iterator<Item = Mark> + 'a> = Box::new(marks(source));
        let mut marks = marks.peekable();
        while marks.next_if(|mark| mark.at < begin.at || mark.time_us < begin.time_us).is_some() {}
        Ok(Walk { player, marks, begin, to_us: range.to_us.unwrap_or(u64::MAX) })
    }

    /// When the range begins.
    pub(crate) fn begin_us(&self) -> u64 {
        self.begin.time_us
    }

    /// Whether the worker had printed something before.
    pub(crate) fn begins_later(&self) -> bool {
        self.begin.at > Offset(0)
    }

    /// The terminal as it is after the latest step.
    pub(crate) fn terminal(&self) -> &Terminal {
        self.player.terminal()
    }

    /// When the next thing happens that can change the screen; nothing if none does in this range.
    pub(crate) fn next_time_us(&mut self) -> Option<u64> {
        self.player.next_time_us().filter(|time_us| *time_us <= self.to_us)
    }

    /// What happens next, and when.
    pub(crate) fn next(&mut self) -> Option<(u64, Step)> {
        if let Some(marker) = self.marker() {
            return Some(marker);
        }
        loop {
            self.next_time_us()?;
            let event = self.player.step()?;
            let step = match event.kind {
                EventKind::Output(bytes) => Step::Output(bytes),
                EventKind::Resize(size) => Step::Resize(size),
                EventKind::Screen => Step::Redrawn,
                EventKind::Exit(status) => Step::Exit(status),
                // There is a mark for what is missing, and readers of an export need not know of hosts.
                EventKind::Gap { .. } | EventKind::Epoch(_) => match self.marker() {
                    Some(marker) => return Some(marker),
                    None => continue,
                },
            };
            return Some((event.time_us, step));
        }
    }

    /// The next mark that the player has passed.
    fn marker(&mut self) -> Option<(u64, Step)> {
        loop {
            let at = self.player.at();
            let mark = self.marks.next_if(|mark| mark.at <= at && mark.time_us <= self.player.time_us())?;
            if let Some(marker) = Marker::of(&mark.kind) {
                return Some((mark.time_us, Step::Marker(marker)));
            }
        }
    }
}
