//! Opens a recording for reading: masked, without its last instant while it grows, until a stop.

use std::io;
use std::sync::Arc;

use home::WorkerDir;
use masking::Rules;
use playback::{MaskedRecording, Source};
use reading::{Held, Stop, is_damaged};
use recording::{Block, Recording, Segment, SegmentKind};

use super::error::RecordingError;

/// A recording that is not empty.
pub(super) struct Opened {
    pub(super) recording: MaskedRecording,
    pub(super) held: Held,
}

/// Opens the recording of a worker.
///
/// # Errors
///
/// When there is no recording, it is empty, or it cannot be read.
pub(super) fn open(dir: &WorkerDir, rules: &Arc<Rules>) -> Result<Opened, RecordingError> {
    // Checked first: if the worker ends after this, its last instant is held back all the same.
    let held = Held::of(dir);
    match MaskedRecording::open(&dir.recording(), Arc::clone(rules)) {
        Ok(recording) if recording.segments().is_empty() => Err(nothing_in(recording.recording())),
        Ok(recording) => Ok(Opened { recording, held }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(RecordingError::Empty),
        Err(error) => Err(RecordingError::Read(error)),
    }
}

/// Why a recording has no segments.
pub(super) fn nothing_in(recording: &Recording) -> RecordingError {
    if is_damaged(recording) {
        let reason = "all its files are damaged";
        return RecordingError::Read(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    RecordingError::Empty
}

impl Opened {
    /// The readable part of the recording, until a stop. After reading it, the caller checks the stop: a stopped source
    /// looks as if it had ended.
    pub(super) fn until<'a>(&'a self, stop: &'a Stop) -> Leaving<'a> {
        Leaving { recording: &self.recording, held: self.held, stop }
    }
}

/// The readable part of a recording, until a stop.
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

    /// The number of readable blocks in each segment, if the time between these two is held back. The segments begin at
    /// 10 and 40.
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
        let opened = Opened { held: Held::between(times_us.0, times_us.1), ..opened };
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
