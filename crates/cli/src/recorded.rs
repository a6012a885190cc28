//! What a recording says, as those need it who show output.

use std::io;
use std::sync::Arc;
use std::vec;

use home::WorkerDir;
use masking::Rules;
use model::{Offset, TermSize};
use playback::{MaskedRecording, Source};
use recording::{Block, BlockKind, Recording};
use terminal::{HistoryLimit, Terminal};

use crate::watch::Screen;

/// A piece of a recording, in the order in which things happened.
#[derive(Debug)]
pub(crate) enum Piece {
    /// The child printed this.
    Output(Vec<u8>),
    /// The terminal got this size.
    Resized(TermSize),
    /// The recording has not got this.
    Missing(Missing),
    /// The terminal as it was: at the beginning, and behind what is missing.
    Screen(Screen),
}

/// Output that a recording has not got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    /// The offset of the first byte that is missing.
    pub(crate) from: Offset,
    /// The offset of the first byte that is not, if anybody knows.
    pub(crate) to: Option<Offset>,
}

/// The pieces of a worker's recording from an offset on, each with its time; secrets are masked.
pub(crate) struct Pieces {
    recording: Option<MaskedRecording>,
    /// The number of the segment that comes next.
    next: usize,
    present: vec::IntoIter<Block>,
    /// How large the terminal was at the beginning of the present segment.
    size_at_start: TermSize,
    /// What has been handed out up to now.
    at: Offset,
    /// The terminal's size there, once it is known.
    size: Option<TermSize>,
    /// What comes before the next block.
    pending: Option<(u64, Piece)>,
}

/// The recording of a worker from an offset on. `size` is that of the terminal at that offset, if it is known; then
/// no screen is needed at the beginning.
///
/// # Errors
///
/// When it cannot be read at all.
pub(crate) fn pieces(
    dir: &WorkerDir,
    rules: &Arc<Rules>,
    from: Offset,
    size: Option<TermSize>,
) -> io::Result<Pieces> {
    let recording = match MaskedRecording::open(&dir.recording(), Arc::clone(rules)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        recording => Some(recording?),
    };
    let segments = recording.as_ref().map(Source::segments).unwrap_or_default();
    let last = segments.iter().rposition(|segment| segment.head.at <= from).unwrap_or(0);
    // The segment before one that is not whole may go on beyond its beginning.
    let next = last.saturating_sub(1);
    let size_at_start = segments.first().map_or(TermSize::clamped(80, 24), |first| first.head.size);
    let present = vec::IntoIter::default();
    Ok(Pieces { recording, next, present, size_at_start, at: from, size, pending: None })
}

impl Pieces {
    /// The offset after everything handed out so far.
    pub(crate) fn at(&self) -> Offset {
        self.at
    }

    /// Loads the next segment. One that was trimmed away meanwhile, or is damaged, shows as missing output.
    fn load_next(&mut self) -> Option<()> {
        let recording = self.recording.as_ref()?;
        self.size_at_start = recording.segments().get(self.next)?.head.size;
        self.present = recording.blocks(self.next).collect::<Vec<_>>().into_iter();
        self.next += 1;
        Some(())
    }

    fn piece(&mut self, block: Block) -> Option<Piece> {
        let at = block.at;
        match block.kind {
            BlockKind::Snapshot(snapshot) if at > self.at || self.size.is_none() => {
                let size = self.size_at_start;
                let missing = Missing { from: self.at, to: Some(at) };
                (self.at, self.size) = (at.max(self.at), Some(size));
                let screen = Piece::Screen(Screen { size, at, snapshot });
                if at <= missing.from {
                    return Some(screen);
                }
                self.pending = Some((block.time_us, screen));
                Some(Piece::Missing(missing))
            }
            BlockKind::Output(mut bytes) => {
                bytes.drain(..(self.at - at).min(bytes.len()));
                self.at += bytes.len();
                (!bytes.is_empty()).then_some(Piece::Output(bytes))
            }
            BlockKind::Resize(size) if at >= self.at => self.resized(size),
            BlockKind::Gap { to } if to.is_none_or(|to| to > self.at) && at >= self.at => {
                let from = self.at;
                self.at = to.unwrap_or(from);
                Some(Piece::Missing(Missing { from, to }))
            }
            BlockKind::Snapshot(_) => self.resized(self.size_at_start),
            BlockKind::Resize(_) | BlockKind::Gap { .. } | BlockKind::Epoch(_) | BlockKind::Exit(_) => None,
        }
    }

    fn resized(&mut self, size: TermSize) -> Option<Piece> {
        let is_new = self.size != Some(size);
        self.size = Some(size);
        is_new.then_some(Piece::Resized(size))
    }
}

impl Iterator for Pieces {
    type Item = (u64, Piece);

    fn next(&mut self) -> Option<(u64, Piece)> {
        loop {
            if let Some(piece) = self.pending.take() {
                return Some(piece);
            }
            let Some(block) = self.present.next() else {
                self.load_next()?;
                continue;
            };
            let time_us = block.time_us;
            if let Some(piece) = self.piece(block) {
                return Some((time_us, piece));
            }
        }
    }
}

/// When a worker's recording begins, in microseconds since the Unix epoch; zero if there is none.
pub(crate) fn begins_us(dir: &WorkerDir) -> u64 {
    let recording = Recording::open(&dir.recording());
    recording.map_or(0, |recording| recording.segments().first().map_or(0, |first| first.head.time_us))
}

/// The terminal as a recording left it; nothing if there is no whole segment.
///
/// # Errors
///
/// When the recording cannot be read.
pub(crate) fn last_terminal(dir: &WorkerDir, history: HistoryLimit) -> io::Result<Option<Terminal>> {
    let recording = match Recording::open(&dir.recording()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        recording => recording?,
    };
    let Some(reader) = recording.newest()? else { return Ok(None) };
    let mut terminal = Terminal::new(reader.head().size, history);
    for block in reader {
        match block.kind {
            BlockKind::Snapshot(bytes) | BlockKind::Output(bytes) => terminal.feed(&bytes),
            BlockKind::Resize(size) => terminal.resize(size),
            BlockKind::Gap { .. } | BlockKind::Epoch(_) | BlockKind::Exit(_) => {}
        }
        terminal.take_replies();
        terminal.take_signals();
    }
    Ok(Some(terminal))
}
