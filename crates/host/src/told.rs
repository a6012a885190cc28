//! Messages of the other threads to the main loop.

use std::sync::Arc;
use std::sync::Mutex;

use model::{Offset, TermSize};
use protocol::{CursorReport, ProgramReport, RecordingReport, SignalMessage};
use system::Waker;

use crate::snapshots::Ticket;

mod hear;

/// Signals that wait to be passed on; a program that rings without end is not remembered without end.
const MOST_SIGNALS: usize = 256;

/// Bytes of answers that wait for the child.
const MOST_REPLIES: usize = 64 << 10;

/// A drawn screen, for all viewers that asked for it.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// Which one it is, among those asked for.
    pub(crate) ticket: Ticket,
    /// The output it stands for.
    pub(crate) at: Offset,
    /// The bytes.
    pub(crate) bytes: Vec<u8>,
}

impl Snapshot {
    /// What a model that cannot draw leaves to show: an empty screen, onto which output goes on.
    pub(crate) fn blank(ticket: Ticket, at: Offset) -> Snapshot {
        Snapshot { ticket, at, bytes: b"\x18\x1bc".to_vec() }
    }
}

/// The text of a screen, for all viewers that asked for it.
#[derive(Debug)]
pub(crate) struct DrawnRows {
    /// Which one it is, among those asked for.
    pub(crate) ticket: Ticket,
    /// The output it stands for.
    pub(crate) at: Offset,
    pub(crate) size: TermSize,
    pub(crate) rows: Vec<String>,
    pub(crate) cursor: CursorReport,
    pub(crate) alternate_screen: bool,
}

impl DrawnRows {
    /// What a model that cannot draw leaves to read.
    pub(crate) fn blank(ticket: Ticket, at: Offset, size: TermSize) -> DrawnRows {
        let cursor = CursorReport::default();
        DrawnRows { ticket, at, size, rows: Vec::new(), cursor, alternate_screen: false }
    }
}

/// Everything told since the last look.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Answers to the program's questions.
    pub(crate) replies: Vec<u8>,
    /// What the program said.
    pub(crate) signals: Vec<SignalMessage>,
    /// Screens that were asked for.
    pub(crate) snapshots: Vec<Arc<Snapshot>>,
    /// Texts of screens that were asked for.
    pub(crate) rows: Vec<DrawnRows>,
    /// What the program said about itself, if that changed.
    pub(crate) program: Option<ProgramReport>,
    /// The model failed so often.
    pub(crate) model_failures: u64,
    /// How the recording is doing, if that changed.
    pub(crate) recording: Option<RecordingReport>,
    /// The recorder has written everything up to here.
    pub(crate) written: Option<Offset>,
    /// The result of the probe of a new program.
    pub(crate) probed: Option<Result<(), String>>,
}

/// A place for telling, shared by all threads.
#[derive(Debug)]
pub(crate) struct Board {
    told: Mutex<Told>,
    waker: Waker,
}

impl Board {
    pub(crate) fn new() -> std::io::Result<Board> {
        Ok(Board { told: Mutex::default(), waker: Waker::new()? })
    }

    /// Tells something, and wakes the thread that waits.
    pub(crate) fn tell(&self, tell: impl FnOnce(&mut Told)) {
        let mut told = self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        tell(&mut told);
        let signals = told.signals.len();
        if signals > MOST_SIGNALS {
            told.signals.drain(..signals - MOST_SIGNALS);
        }
        told.replies.truncate(MOST_REPLIES);
        drop(told);
        self.waker.wake();
    }

    /// Takes everything told since the last look.
    pub(crate) fn take(&self) -> Told {
        self.waker.clear();
        std::mem::take(&mut *self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Wakes the thread that waits.
    pub(crate) fn wake(&self) {
        self.waker.wake();
    }

    /// Readable when something was told.
    pub(crate) fn waker(&self) -> &Waker {
        &self.waker
    }
}
