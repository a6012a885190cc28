//! What the child prints: read once, and handed to everyone.

use std::io;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use model::Offset;
use protocol::ViewerId;
use rustix::event::epoll::{self, EventFlags};

use crate::log;
use crate::pty::Read;
use crate::run::{Host, Wake};
use crate::tape::Tape;

/// How much is read before it is handed out. A PTY gives at most 4095 bytes at once.
const CHUNK_BYTES: usize = 64 << 10;

/// A read that gave less has emptied the PTY, most likely; another one would only say so.
const FULL_READ_BYTES: usize = 1024;

/// What stays on the tape for viewers who come back.
const KEPT_BYTES: usize = 128 << 10;

/// A viewer that is further behind gets a snapshot.
const MOST_BEHIND_BYTES: usize = 1 << 20;

/// A viewer that keeps up with a flood is waited for when it is this far behind, and until it is half as far.
const WAITED_FOR_BYTES: usize = 640 << 10;

/// How long a viewer that is waited for has to show that it keeps up.
const VIEWER_PATIENCE: Duration = Duration::from_millis(10);

/// What it has to take in that time. Whoever takes less is slow, and is not waited for.
const KEEPING_UP_BYTES: usize = 128 << 10;

/// For how long a slow viewer is not waited for. So one that stalls costs the child a thousandth of its time.
const SLOW: Duration = Duration::from_secs(10);

/// The model is never further behind: then the child waits for it.
const MODEL_LAG_BYTES: usize = 256 << 10;

/// The recorder is never further behind: a disk that takes this long is left behind.
const RECORDER_LAG_BYTES: usize = 8 << 20;

/// How long a child waits for a recorder that is that far behind. A machine under load gets over it, a broken disk
/// costs the child this once.
const RECORDER_PATIENCE: Duration = Duration::from_millis(250);

/// How long a model may stand still while somebody waits for it.
const MODEL_PATIENCE: Duration = Duration::from_secs(5);

/// The most that is read from a terminal whose child has ended: somebody it left behind may print for ever.
const LAST_BYTES: usize = 4 << 20;

/// How long the model and the recorder are left alone after a key's echo. The echo itself is on its way; whoever would
/// show it next shall not have to share the processor with them.
pub(crate) const LEFT_ALONE: Duration = Duration::from_millis(2);

/// How long they are left alone while one echo follows the other.
const LEFT_ALONE_AT_MOST: Duration = Duration::from_millis(5);

/// What begins every sequence of a terminal: with it a program may have asked something.
const ESCAPE: u8 = 0x1b;

/// Since when somebody has waited for the model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Awaited {
    since: Instant,
    /// How far the model was then.
    at: Offset,
    /// Whether it stood still once already.
    looked: bool,
}

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
    /// Reads what the child has printed, a piece at a time, so that others get their turn.
    pub(crate) fn drain_pty(&mut self) -> io::Result<()> {
        if self.reading != Reading::On {
            return Ok(());
        }
        self.read_and_publish()?;
        self.hold_if_needed()
    }

    /// Reads up to a chunk, and hands it out. False when nothing was there.
    fn read_and_publish(&mut self) -> io::Result<bool> {
        let mut chunk = std::mem::take(&mut self.chunk);
        chunk.resize(CHUNK_BYTES, 0);
        let mut filled = 0;
        while filled < chunk.len() {
            match self.pty.read(&mut chunk[filled..]) {
                Ok(Read::Bytes(length)) => {
                    filled += length;
                    if length < FULL_READ_BYTES {
                        break;
                    }
                }
                Ok(Read::Nothing) => break,
                Err(error) => {
                    log::line(&format!("cannot read the PTY: {error}"));
                    break;
                }
            }
        }
        let published = if filled > 0 { self.publish(&chunk[..filled]) } else { Ok(()) };
        // Room for a flood is kept only while there is one.
        if filled < CHUNK_BYTES / 8 {
            chunk = Vec::new();
        }
        self.chunk = chunk;
        published.map(|()| filled > 0)
    }

    /// Reads everything that a child which has ended has printed.
    pub(crate) fn drain_last(&mut self) -> io::Result<()> {
        let start = self.end();
        while self.end() - start < LAST_BYTES && self.read_and_publish()? {}
        Ok(())
    }

    /// Hands bytes to everyone: viewers first, then the model and the recorder.
    fn publish(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.printed_at = Some(Timestamp::now());
        let model_is_behind = self.follower.at() < self.end() && self.left_alone_since.is_none();
        let keep_from = self.keep_from(bytes.len());
        {
            let mut tape = self.tape.write().unwrap_or_else(PoisonError::into_inner);
            tape.append(bytes);
            tape.forget_before(keep_from);
        }
        self.pump_all()?;
        let is_echo = bytes.len() < FULL_READ_BYTES && !bytes.contains(&ESCAPE);
        let since = *self.left_alone_since.get_or_insert_with(Instant::now);
        if !is_echo || since.elapsed() > LEFT_ALONE_AT_MOST {
            self.tell_threads();
        }
        // The model wakes the recorder when it is done, unless there is so much that both should begin.
        if bytes.len() >= FULL_READ_BYTES || model_is_behind {
            self.recorder.notify();
        }
        Ok(())
    }

    /// Has the model look at what is new on the tape, and after it the recorder.
    pub(crate) fn tell_threads(&mut self) {
        self.left_alone_since = None;
        self.follower.notify();
    }

    /// The first byte that somebody may still want, once `more` bytes are on the tape.
    fn keep_from(&self, more: usize) -> Offset {
        let end = self.end() + more;
        let back = |bytes: usize| Offset(end.0.saturating_sub(bytes as u64));
        let for_viewers = self.viewers.slowest().map_or(end, |slowest| slowest.max(back(MOST_BEHIND_BYTES)));
        let for_recorder = self.recorder.at().max(back(RECORDER_LAG_BYTES));
        back(KEPT_BYTES).min(for_viewers).min(for_recorder).min(self.follower.at())
    }

    /// Stops reading when the model or the recorder is too far behind.
    fn hold_if_needed(&mut self) -> io::Result<()> {
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
        // Whoever we wait for may have moved on before we said so.
        self.go_on_if_possible()
    }

    /// Reads again once nobody has to catch up any more.
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
        let mut flags = EventFlags::empty();
        flags.set(EventFlags::IN, self.reading == Reading::On);
        flags.set(EventFlags::OUT, !self.input.is_empty() && self.reading != Reading::Over);
        if flags != self.pty_awaited {
            self.pty_awaited = flags;
            epoll::modify(&self.events, &self.pty, Wake::Pty.data(), flags)?;
        }
        Ok(())
    }

    /// Gives the child what was typed.
    pub(crate) fn pass_input(&mut self) -> io::Result<()> {
        if let Err(error) = self.input.pass_on(&self.pty) {
            log::line(&format!("cannot write to the PTY: {error}"));
        }
        self.await_pty()
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
        log::line(&format!("the disk is too slow after {}; going on without it", self.recorder.at()));
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

    /// Notes whether anybody waits for the model.
    pub(crate) fn note_awaited(&mut self) {
        // A screen with lines from the recording is not drawn by the model, and may take its time.
        let awaited = self.requests.iter().any(|request| !request.deep || self.follower.at() < request.at)
            || self.reading == Reading::HeldByModel;
        match self.model_awaited {
            Some(_) if !awaited => self.model_awaited = None,
            None if awaited => {
                self.model_awaited =
                    Some(Awaited { since: Instant::now(), at: self.follower.at(), looked: false });
            }
            _ => {}
        }
    }

    /// When a model that is waited for is looked at.
    pub(crate) fn model_due(&self) -> Option<Instant> {
        self.model_awaited.map(|awaited| awaited.since + self.follower.patience(MODEL_PATIENCE))
    }

    /// A model that has not moved while somebody waited for it hangs, and is replaced.
    pub(crate) fn look_at_model(&mut self, now: Instant) -> io::Result<()> {
        let at = self.follower.at();
        let stands_still = self.model_awaited.filter(|awaited| awaited.at == at);
        // A machine that slept, or a host that was stopped, has not seen the model stand still: it is looked at twice.
        let is_stuck = stands_still.is_some_and(|awaited| awaited.looked);
        if is_stuck && let Err(error) = self.follower.replace(self.size) {
            log::line(&format!("the model hangs and cannot be replaced: {error}"));
        }
        let looked = stands_still.is_some() && !is_stuck;
        self.model_awaited = Some(Awaited { since: now, at, looked });
        Ok(())
    }

    /// The tape's last bytes, for the program that we become.
    pub(crate) fn last_of_tape(tape: &Tape) -> Vec<u8> {
        let mut bytes = Vec::new();
        tape.copy(tape.start(), usize::MAX, &mut bytes);
        bytes
    }
}
