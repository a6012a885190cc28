//! A recording that is read for others: masked, without its last instant while it grows, until somebody says stop.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use home::WorkerDir;
use jiff::Timestamp;
use masking::Rules;
use playback::{MaskedRecording, Source};
use recording::{Block, Recording, Segment, SegmentKind};

use super::error::RecordingError;
use super::moment::time_us;
use super::stop::Stop;

/// A program that prints on does so sooner than this; the second half of a secret comes right behind the first.
const HELD_BACK: Duration = Duration::from_millis(250);

/// A recording with something in it.
pub(super) struct Opened {
    pub(super) recording: MaskedRecording,
    pub(super) held: Held,
}

/// Opens the recording of a worker.
///
/// # Errors
///
/// When there is none, nothing is in it, or it cannot be read.
pub(super) fn open(dir: &WorkerDir, rules: &Arc<Rules>) -> Result<Opened, RecordingError> {
    // A worker that has ended meanwhile is looked at as if it had not.
    let held = Held::of(dir);
    match MaskedRecording::open(&dir.recording(), Arc::clone(rules)) {
        Ok(recording) if recording.segments().is_empty() => Err(nothing_in(recording.recording())),
        Ok(recording) => Ok(Opened { recording, held }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(RecordingError::Empty),
        Err(error) => Err(RecordingError::Read(error)),
    }
}

/// Why there is nothing in a recording without segments.
pub(super) fn nothing_in(recording: &Recording) -> RecordingError {
    if is_damaged(recording) {
        let reason = "all its files are damaged";
        return RecordingError::Read(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    RecordingError::Empty
}

/// Whether a file of a recording cannot be read as a segment. An active one may just be begun; a sealed one is whole or
/// damaged.
pub(super) fn is_damaged(recording: &Recording) -> bool {
    let is_sealed = |path: &Path| path.extension().is_some_and(|kind| kind == "sealed");
    recording.unreadable().iter().any(|file| is_sealed(&file.path))
}

impl Opened {
    /// What may leave of it, until somebody says stop. Whoever has read it asks whether they did: nothing else tells
    /// that there was more.
    pub(super) fn until<'a>(&'a self, stop: &'a Stop) -> Leaving<'a> {
        Leaving { recording: &self.recording, held: self.held, stop }
    }
}

/// What is held back of a recording: what was printed in the instant before somebody asked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    /// From behind this time up to and including the other. A clock that was set back may have given later ones, which
    /// say nothing about how old a block is.
    times_us: (u64, u64),
}

impl Held {
    /// Nothing is held back of a worker that has ended: all its halves are whole.
    pub(super) fn of(dir: &WorkerDir) -> Held {
        if dir.exit_note().is_some() {
            return Held::default();
        }
        let now_us = time_us(Timestamp::now());
        Held { times_us: (now_us.saturating_sub(HELD_BACK.as_micros() as u64), now_us) }
    }

    /// Whether something of this time is held back.
    pub(super) fn holds(self, time_us: u64) -> bool {
        let (from_us, to_us) = self.times_us;
        time_us > from_us && time_us <= to_us
    }
}

/// What may leave of a recording, until somebody says stop.
#[derive(Clone, Copy)]
pub(super) struct Leaving<'a> {
    recording: &'a MaskedRecording,
    held: Held,
    stop: &'a Stop,
}

impl Source for Leaving<'_> {
    fn segments(&self) -> &[Segment] {
        self.recording.segments()
    }

    fn blocks(&self, index: usize) -> Box<dyn Iterator<Item = Block> + '_> {
        if self.stop.check().is_err() {
            return Box::new(std::iter::empty());
        }
        let may_grow = self.segments().get(index).is_some_and(|segment| segment.kind == SegmentKind::Active);
        let is_held = move |block: &Block| may_grow && self.held.holds(block.time_us);
        let blocks = self.recording.blocks(index);
        Box::new(blocks.take_while(move |block| self.stop.check().is_ok() && !is_held(block)))
    }
}

#[cfg(test)]
mod tests {
    use home::Home;
    use model::{Epoch, Offset, TermSize, WorkerId};
    use recording::{SegmentHead, Writer};

    use super::*;

    /// How many blocks of each segment may leave, if this is held back of one that was begun at 10 and one at 40.
    fn leaving(times_us: (u64, u64)) -> [usize; 2] {
        let root = tempfile::tempdir().expect("a directory");
        let dir = Home::at(root.path()).worker(WorkerId::from_random([1; 8]));
        std::fs::create_dir_all(dir.recording()).expect("made");
        let (worker, epoch, size) = (dir.id(), Epoch(0), TermSize::clamped(80, 24));
        let head = SegmentHead { worker, epoch, at: Offset(0), time_us: 10, size };
        let mut writer = Writer::create(&dir.recording(), &head, b"").expect("begun");
        writer.output(Offset(0), 20, b"a").expect("written");
        writer.output(Offset(1), 30, b"b").expect("written");
        let head = SegmentHead { at: Offset(2), time_us: 40, ..head };
        writer.begin_segment(&head, b"ab").expect("begun");
        writer.output(Offset(2), 50, b"c").expect("written");
        let opened = open(&dir, &Arc::new(Rules::builtin())).expect("a recording");
        let opened = Opened { held: Held { times_us }, ..opened };
        let stop = Stop::default();
        let counts = [0, 1].map(|index| opened.until(&stop).blocks(index).count());
        stop.set();
        assert_eq!(opened.until(&stop).blocks(0).count(), 0);
        counts
    }

    #[test]
    fn s38_the_last_instant_of_a_recording_that_grows_is_held_back() {
        assert_eq!(leaving((0, 0)), [3, 2]);
        assert_eq!(leaving((45, 50)), [3, 1]);
        assert_eq!(leaving((35, 50)), [3, 0]);
        assert_eq!(leaving((20, 50)), [2, 0]);
        assert_eq!(leaving((50, 60)), [3, 2], "nothing is that young any more");
        assert_eq!(leaving((0, 9)), [3, 2], "the clock was set back, and these are not young");
    }
}
