//! When the PTY is not read: the model, the recorder or a viewer that keeps up gets its turn first.

use std::io;
use std::time::{Duration, Instant};

use protocol::ViewerId;
use system::Ready;

use super::CHUNK_BYTES;
use crate::host::Host;
use crate::log;
use crate::run::Wake;

/// A viewer that keeps up with a flood is waited for when it is this far behind, and until it is half as far.
const WAITED_FOR_BYTES: usize = 640 << 10;

/// How long a viewer that is waited for has to show that it keeps up.
const VIEWER_PATIENCE: Duration = Duration::from_millis(10);

/// How many bytes it has to take in that time. The host does not wait for a viewer that takes less.
const KEEPING_UP_BYTES: usize = 128 << 10;

/// For how long a slow viewer is not waited for. So one that stalls costs the child a thousandth of its time.
const SLOW: Duration = Duration::from_secs(10);

/// The model is never further behind: then the child waits for it.
const MODEL_LAG_BYTES: usize = 256 << 10;

/// The recorder is never further behind: a disk that takes this long is left behind.
pub(super) const RECORDER_LAG_BYTES: usize = 8 << 20;

/// How long a child waits for a recorder that is that far behind. A machine under load gets over it, a broken disk
/// costs the child this once.
const RECORDER_PATIENCE: Duration = Duration::from_millis(250);

/// Whether the PTY is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// It is.
    On,
    /// The model has to catch up first.
    HeldByModel,
    /// The recorder has to catch up first, or be given up.
    HeldByRecorder { since: Instant },
    /// A viewer that keeps up gets its turn. It was so far behind then.
    HeldByViewer { viewer: ViewerId, since: Instant, behind: usize },
    /// We are about to become another program.
    HeldByUpgrade,
    /// The child has ended and everything is read.
    Over,
}

impl Host {
    /// Stops reading when the model or the recorder is too far behind.
    pub(crate) fn hold_if_needed(&mut self) -> io::Result<()> {
        let end = self.end();
        if end - self.recorder.at() <= RECORDER_LAG_BYTES / 2 {
            self.recorder_left_behind = false;
        }
        if end - self.follower.at() > MODEL_LAG_BYTES {
            self.follower.await_progress(true);
            self.hold(Reading::HeldByModel)?;
        } else if end - self.recorder.at() > RECORDER_LAG_BYTES - CHUNK_BYTES
            && self.recording.trouble.is_none()
            && !self.recorder_left_behind
        {
            self.recorder.await_progress(true);
            self.hold(Reading::HeldByRecorder { since: Instant::now() })?;
        } else if let Some((viewer, behind)) = self.viewers.to_be_waited_for(end, WAITED_FOR_BYTES) {
            self.hold(Reading::HeldByViewer { viewer, since: Instant::now(), behind })?;
        }
        // The thread or viewer that we wait for may have caught up before we began to wait.
        self.go_on_if_possible()
    }

    /// Reads again once no reader has to catch up any more.
    pub(crate) fn go_on_if_possible(&mut self) -> io::Result<()> {
        let end = self.end();
        let caught_up = match self.reading {
            Reading::HeldByModel => end - self.follower.at() <= MODEL_LAG_BYTES / 2,
            Reading::HeldByRecorder { .. } => {
                end - self.recorder.at() <= RECORDER_LAG_BYTES / 2
                    || self.recording.trouble.is_some()
                    || self.recorder_left_behind
            }
            Reading::HeldByViewer { viewer, .. } => {
                self.viewers.get(viewer).is_none_or(|viewer| viewer.behind(end) <= WAITED_FOR_BYTES / 2)
            }
            Reading::On | Reading::HeldByUpgrade | Reading::Over => false,
        };
        if caught_up {
            self.follower.await_progress(false);
            self.recorder.await_progress(false);
            self.hold(Reading::On)?;
        }
        Ok(())
    }

    /// Changes whether the PTY is read.
    pub(crate) fn hold(&mut self, reading: Reading) -> io::Result<()> {
        self.reading = reading;
        self.note_awaited();
        self.await_pty()
    }

    /// Waits for what is wanted of the PTY.
    pub(crate) fn await_pty(&mut self) -> io::Result<()> {
        if self.reading == Reading::Over {
            return Ok(());
        }
        let wanted = Ready { read: self.reading == Reading::On, write: !self.input.is_empty() };
        if wanted != self.pty_awaited {
            self.pty_awaited = wanted;
            self.events.modify(&self.pty, Wake::Pty.number(), wanted)?;
        }
        Ok(())
    }

    /// When a recorder that is waited for is given up.
    pub(crate) fn recorder_due(&self) -> Option<Instant> {
        match self.reading {
            Reading::HeldByRecorder { since } => Some(since + RECORDER_PATIENCE),
            _ => None,
        }
    }

    /// The disk takes too long: the child goes on, and the recording gets a gap.
    pub(crate) fn give_up_on_recorder(&mut self) -> io::Result<()> {
        log::line(&format!("the disk is too slow; not recording from {} on", self.recorder.at()));
        self.recorder_left_behind = true;
        self.go_on_if_possible()
    }

    /// When a viewer that is waited for has to have shown that it keeps up.
    pub(crate) fn viewer_due(&self) -> Option<Instant> {
        match self.reading {
            Reading::HeldByViewer { since, .. } => Some(since + VIEWER_PATIENCE),
            _ => None,
        }
    }

    /// Looks whether a viewer that is waited for keeps up. If not, the child goes on without it.
    pub(crate) fn look_at_viewer(&mut self, now: Instant) -> io::Result<()> {
        let Reading::HeldByViewer { viewer: id, behind, .. } = self.reading else { return Ok(()) };
        let end = self.end();
        if let Some(viewer) = self.viewers.get_mut(id) {
            let still = viewer.behind(end);
            if still + KEEPING_UP_BYTES <= behind {
                self.reading = Reading::HeldByViewer { viewer: id, since: now, behind: still };
                return Ok(());
            }
            viewer.slow_until = Some(now + SLOW);
        }
        self.hold(Reading::On)
    }
}
