//! A recording, piece by piece: output, sizes, what is missing.

use std::sync::Arc;
use std::{io, iter, vec};

use home::WorkerDir;
use masking::Rules;
use model::{Epoch, Offset, TermSize};
use playback::{MaskedRecording, Source};
use recording::{Block, BlockKind, Masked, Recording, SegmentReader};
use terminal::{HistoryLimit, Terminal};

use crate::screen::Screen;

/// A piece of a recording, in the order in which things happened.
#[derive(Debug)]
pub enum Piece {
    /// The child printed something.
    Output(Printed),
    /// The terminal got this size.
    Resized(TermSize),
    /// The recording has not got this.
    Missing(Missing),
    /// The terminal as it was: at the beginning, and behind what is missing.
    Screen(Screen),
}

/// What a child printed.
#[derive(Debug)]
pub struct Printed {
    /// The bytes, with their secrets masked as far as the recording goes.
    pub masked: Vec<u8>,
    /// The bytes as they were printed, if the recording still has them so: half a secret that is masked no longer
    /// tells what its other half is.
    pub plain: Option<Vec<u8>>,
}

/// Output that a recording has not got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The offset of the first byte that is missing.
    pub from: Offset,
    /// The offset of the first byte that is not missing, if that is known.
    pub to: Option<Offset>,
}

/// The pieces of a worker's recording from an offset on, each with its time; secrets are masked.
pub struct Pieces {
    recording: Option<MaskedRecording>,
    /// The number of the segment that comes next.
    next: usize,
    present: vec::IntoIter<Block>,
    /// The output of the present segment as it was printed, if the recording still has that.
    plain: Box<dyn Iterator<Item = Block>>,
    /// How large the terminal was at the beginning of the present segment.
    size_at_start: TermSize,
    /// What has been handed out up to now.
    at: Offset,
    /// The epoch of that.
    epoch: Epoch,
    /// The terminal's size there, once it is known.
    size: Option<TermSize>,
    /// What comes before the next block.
    pending: Option<(u64, Piece)>,
}

/// The recording of a worker from an offset of an epoch on. `size` is that of the terminal at that offset, if it is
/// known; then no screen is needed at the beginning.
///
/// A host that was killed may have sent what it had not recorded. The one after it counts on from the end of the
/// recording: where a later epoch begins before `from`, everything from its beginning on is new.
///
/// # Errors
///
/// When it cannot be read at all.
pub fn pieces(
    dir: &WorkerDir,
    rules: &Arc<Rules>,
    from: Offset,
    epoch: Epoch,
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
    let plain = Box::new(iter::empty());
    Ok(Pieces { recording, next, present, plain, size_at_start, at: from, epoch, size, pending: None })
}

impl Pieces {
    /// The offset after everything handed out so far.
    pub fn at(&self) -> Offset {
        self.at
    }

    /// The epoch of that offset.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// How many of the bytes read so far are damaged.
    pub fn damaged_bytes(&self) -> u64 {
        self.recording.as_ref().map_or(0, MaskedRecording::damaged_bytes)
    }

    /// Loads the next segment. One that was trimmed away meanwhile, or is damaged, shows as missing output.
    fn load_next(&mut self) -> Option<()> {
        let recording = self.recording.as_ref()?;
        let segment = recording.segments().get(self.next)?;
        self.size_at_start = segment.head.size;
        if segment.head.epoch > self.epoch {
            self.epoch = segment.head.epoch;
            self.at = self.at.min(segment.head.at);
        }
        self.present = recording.blocks(self.next).collect::<Vec<_>>().into_iter();
        let plain = SegmentReader::open(&segment.path).ok().filter(|reader| reader.masked() != Masked::Yes);
        let plain = plain.into_iter().flatten();
        self.plain = Box::new(plain.filter(|block| matches!(block.kind, BlockKind::Output(_))));
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
            BlockKind::Output(mut masked) => {
                let mut plain = self.plain_at(at, masked.len());
                let seen = (self.at - at).min(masked.len());
                masked.drain(..seen);
                plain.iter_mut().for_each(|plain| drop(plain.drain(..seen)));
                self.at += masked.len();
                (!masked.is_empty()).then_some(Piece::Output(Printed { masked, plain }))
            }
            BlockKind::Resize(size) if at >= self.at => self.resized(size),
            BlockKind::Gap { to } if to.is_none_or(|to| to > self.at) && at >= self.at => {
                let from = self.at;
                self.at = to.unwrap_or(from);
                Some(Piece::Missing(Missing { from, to }))
            }
            BlockKind::Epoch(epoch) if epoch > self.epoch => {
                self.epoch = epoch;
                let is_back = at < self.at;
                self.at = self.at.min(at);
                is_back.then_some(Piece::Missing(Missing { from: at, to: None }))
            }
            BlockKind::Snapshot(_) => self.resized(self.size_at_start),
            BlockKind::Resize(_) | BlockKind::Gap { .. } | BlockKind::Epoch(_) | BlockKind::Exit(_) => None,
        }
    }

    /// The next block of output as it was printed, which must be the one that was asked for.
    fn plain_at(&mut self, at: Offset, length: usize) -> Option<Vec<u8>> {
        match self.plain.next()? {
            Block { at: there, kind: BlockKind::Output(bytes), .. }
                if there == at && bytes.len() == length =>
            {
                Some(bytes)
            }
            _ => None,
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
pub fn begins_us(dir: &WorkerDir) -> u64 {
    let recording = Recording::open(&dir.recording());
    recording.map_or(0, |recording| recording.segments().first().map_or(0, |first| first.head.time_us))
}

/// The terminal as a recording left it; nothing if there is no whole segment.
///
/// # Errors
///
/// When the recording cannot be read.
pub fn last_terminal(dir: &WorkerDir, history: HistoryLimit) -> io::Result<Option<Terminal>> {
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

#[cfg(test)]
mod tests {
    use home::Home;
    use recording::{SegmentHead, Writer};

    use super::*;

    /// What is printed from an offset of the first epoch on, if a second one begins after `one\r\n`.
    fn printed_from(from: u64, rules: &Arc<Rules>) -> (String, bool, Pieces) {
        let temporary = tempfile::tempdir().unwrap();
        let worker = model::WorkerId::from_random([1, 2, 3, 4, 5, 6, 7, 8]);
        let dir = Home::at(temporary.path()).worker(worker);
        let head = SegmentHead {
            worker,
            epoch: Epoch(1),
            at: Offset(0),
            time_us: 1,
            size: TermSize::clamped(80, 24),
        };
        std::fs::create_dir_all(dir.recording()).unwrap();
        let mut writer = Writer::create(&dir.recording(), &head, b"").unwrap();
        writer.output(Offset(0), 2, b"one\r\n").unwrap();
        writer.gap(Offset(5), 3, None).unwrap();
        writer.epoch(Offset(5), 3, Epoch(2)).unwrap();
        writer.output(Offset(5), 4, b"two\r\n").unwrap();
        let mut pieces = pieces(&dir, rules, Offset(from), Epoch(1), Some(head.size)).unwrap();
        let (mut printed, mut gaps) = (Vec::new(), 0);
        for (_, piece) in pieces.by_ref() {
            match piece {
                Piece::Output(Printed { masked, plain }) => {
                    assert_eq!(plain.as_ref(), Some(&masked));
                    printed.extend(masked);
                }
                Piece::Missing(Missing { from: Offset(5), to: None }) => gaps += 1,
                other => panic!("{other:?}"),
            }
        }
        (String::from_utf8(printed).unwrap(), gaps == 1, pieces)
    }

    #[test]
    fn all_output_of_a_later_epoch_is_new_to_a_reader_of_an_earlier_one() {
        let rules = Arc::new(Rules::builtin());
        let cases =
            [(0, "one\r\ntwo\r\n"), (3, "\r\ntwo\r\n"), (5, "two\r\n"), (8, "two\r\n"), (99, "two\r\n")];
        for (from, expected) in cases {
            let (printed, is_told, pieces) = printed_from(from, &rules);
            assert_eq!((printed.as_str(), is_told), (expected, true), "from {from}");
            assert_eq!((pieces.at(), pieces.epoch()), (Offset(10), Epoch(2)), "from {from}");
        }
    }
}
