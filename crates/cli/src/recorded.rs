//! What a recording says, as those need it who show output.

use std::io;

use home::WorkerDir;
use model::{Offset, TermSize};
use recording::{BlockKind, Recording, Segment, SegmentReader};
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

/// The pieces of a worker's recording from an offset on.
pub(crate) struct Pieces {
    segments: std::vec::IntoIter<Segment>,
    present: Option<SegmentReader>,
    /// What has been handed out up to now.
    at: Offset,
    /// The terminal's size there, once it is known.
    size: Option<TermSize>,
    /// What comes before the next block.
    pending: Option<Piece>,
}

/// The recording of a worker from an offset on. `size` is that of the terminal at that offset, if it is known; then
/// no screen is needed at the beginning.
///
/// # Errors
///
/// When it cannot be read at all.
pub(crate) fn pieces(dir: &WorkerDir, from: Offset, size: Option<TermSize>) -> io::Result<Pieces> {
    let recording = open(dir)?;
    let segments = recording.as_ref().map(Recording::segments).unwrap_or_default();
    let last = segments.iter().rposition(|segment| segment.head.at <= from).unwrap_or(0);
    // The segment before one that is not whole may go on beyond its beginning.
    let segments: Vec<Segment> = segments[last.saturating_sub(1)..].to_vec();
    Ok(Pieces { segments: segments.into_iter(), present: None, at: from, size, pending: None })
}

/// A worker's recording; nothing if its host has not begun one yet.
fn open(dir: &WorkerDir) -> io::Result<Option<Recording>> {
    match Recording::open(&dir.recording()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        recording => recording.map(Some),
    }
}

impl Pieces {
    /// The offset after everything handed out so far.
    pub(crate) fn at(&self) -> Offset {
        self.at
    }

    fn piece(&mut self, at: Offset, kind: BlockKind, size: TermSize) -> Option<Piece> {
        match kind {
            BlockKind::Snapshot(snapshot) if at > self.at || self.size.is_none() => {
                let missing = Missing { from: self.at, to: Some(at) };
                (self.at, self.size) = (at.max(self.at), Some(size));
                let screen = Piece::Screen(Screen { size, at, snapshot });
                if at <= missing.from {
                    return Some(screen);
                }
                self.pending = Some(screen);
                Some(Piece::Missing(missing))
            }
            BlockKind::Snapshot(_) => self.resized(size),
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
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        loop {
            if let Some(piece) = self.pending.take() {
                return Some(piece);
            }
            let Some(reader) = &mut self.present else {
                // One that was trimmed away meanwhile, or is damaged, shows as missing output.
                self.present = SegmentReader::open(&self.segments.next()?.path).ok();
                continue;
            };
            match reader.next() {
                Some(block) => {
                    let size = reader.size();
                    if let Some(piece) = self.piece(block.at, block.kind, size) {
                        return Some(piece);
                    }
                }
                None => self.present = None,
            }
        }
    }
}

/// The terminal as a recording left it; nothing if there is no whole segment.
///
/// # Errors
///
/// When the recording cannot be read.
pub(crate) fn last_terminal(dir: &WorkerDir, history: HistoryLimit) -> io::Result<Option<Terminal>> {
    let Some(recording) = open(dir)? else { return Ok(None) };
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
