//! Output: the child prints it, and the host reads it once and puts it on the tape for all readers.

use std::io;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use model::Offset;

use crate::host::Host;
use crate::log;
use crate::pty::Read;
use crate::tape::Tape;

mod hold;
mod send;

use hold::RECORDER_LAG_BYTES;
pub(crate) use hold::Reading;

/// How much is read before it is handed out. A PTY gives at most 4095 bytes at once.
const CHUNK_BYTES: usize = 64 << 10;

/// A read that gave less has emptied the PTY, most likely; another one would only say so.
const FULL_READ_BYTES: usize = 1024;

/// What stays on the tape for viewers who come back.
const KEPT_BYTES: usize = 128 << 10;

/// A viewer that is further behind gets a snapshot.
const MOST_BEHIND_BYTES: usize = 1 << 20;

/// The most that is read from a terminal whose child has ended: a process that it left behind may print for ever.
const LAST_BYTES: usize = 4 << 20;

/// How long the model and the recorder are left alone after a key's echo. The echo itself is on its way; the program
/// that shows it next shall not have to share the processor with them.
pub(crate) const LEFT_ALONE: Duration = Duration::from_millis(2);

/// How long they are left alone while one echo follows the other.
const LEFT_ALONE_AT_MOST: Duration = Duration::from_millis(5);

/// What begins every sequence of a terminal: with it a program may have asked something.
const ESCAPE: u8 = 0x1b;

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
    pub(crate) fn read_and_publish(&mut self) -> io::Result<bool> {
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

    /// Hands bytes to all readers: viewers first, then the model and the recorder.
    pub(crate) fn publish(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.printed_at = Some(Timestamp::now());
        let model_is_behind = self.follower.at() < self.end() && self.left_alone_since.is_none();
        let keep_from = self.keep_from(bytes.len());
        {
            let mut tape = self.tape.write().unwrap_or_else(PoisonError::into_inner);
            tape.append(bytes);
            tape.forget_before(keep_from);
        }
        self.pump_viewers()?;
        let is_echo = bytes.len() < FULL_READ_BYTES && !bytes.contains(&ESCAPE);
        let since = *self.left_alone_since.get_or_insert_with(Instant::now);
        if !is_echo || since.elapsed() > LEFT_ALONE_AT_MOST {
            self.wake_model();
        }
        // The model wakes the recorder when it is done, unless there is so much that both should begin.
        if bytes.len() >= FULL_READ_BYTES || model_is_behind {
            self.recorder.notify();
        }
        Ok(())
    }

    /// Has the model look at what is new on the tape, and viewers that look at the screen now and then. The model wakes
    /// the recorder when it is done.
    pub(crate) fn wake_model(&mut self) {
        self.left_alone_since = None;
        self.follower.notify();
        self.mention_print();
    }

    /// The first byte that a reader of the tape may still need, once `more` bytes are on it.
    pub(crate) fn keep_from(&self, more: usize) -> Offset {
        let end = self.end() + more;
        let back = |bytes: usize| Offset(end.0.saturating_sub(bytes as u64));
        let for_viewers = self.viewers.slowest().map_or(end, |slowest| slowest.max(back(MOST_BEHIND_BYTES)));
        let for_recorder = self.recorder.at().max(back(RECORDER_LAG_BYTES));
        back(KEPT_BYTES).min(for_viewers).min(for_recorder).min(self.follower.at())
    }

    /// The tape's last bytes, for the program that we become.
    pub(crate) fn last_of_tape(tape: &Tape) -> Vec<u8> {
        let mut bytes = Vec::new();
        tape.copy(tape.start(), usize::MAX, &mut bytes);
        bytes
    }
}
