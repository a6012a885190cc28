//! The whole host, as one value.

use std::fs::File;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Instant;

use home::{Meta, WorkerDir};
use jiff::Timestamp;
use model::{Epoch, Offset, TermSize};
use protocol::{ProgramReport, RecordingReport, SignalMessage};
use system::{Events, Ready, Timer};

use crate::ending::Life;
use crate::follower::Follower;
use crate::input::Input;
use crate::listener::Listener;
use crate::log::Visits;
use crate::output::Reading;
use crate::pty::{Child, Pty};
use crate::recorder::Recorder;
use crate::requests::Withdrawn;
use crate::run::Signals;
use crate::snapshots::{Awaited, Request};
use crate::tape::Tape;
use crate::told::Board;
use crate::upgrade::Upgrading;
use crate::viewers::Viewers;

/// The whole host. Its one thread owns it; the model and the recorder have threads of their own.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) dir: WorkerDir,
    pub(crate) meta: Meta,
    pub(crate) lock: File,
    pub(crate) epoch: Epoch,
    pub(crate) started_at: Timestamp,
    pub(crate) printed_at: Option<Timestamp>,
    /// Since when the model and the recorder have not been told of what is new.
    pub(crate) left_alone_since: Option<Instant>,

    pub(crate) pty: Pty,
    pub(crate) child: Child,
    /// The log's lines about viewers.
    pub(crate) visits: Visits,
    pub(crate) input: Input,
    /// Principals that may do nothing any more.
    pub(crate) withdrawn: Withdrawn,
    pub(crate) size: TermSize,
    /// The last change of size came after so many bytes.
    pub(crate) resized_at: Offset,
    pub(crate) resizes: u64,
    pub(crate) life: Life,
    pub(crate) reading: Reading,
    /// What of the PTY is waited for.
    pub(crate) pty_awaited: Ready,

    pub(crate) tape: Arc<RwLock<Tape>>,
    pub(crate) board: Arc<Board>,
    pub(crate) follower: Follower,
    pub(crate) recorder: Recorder,
    pub(crate) program: ProgramReport,
    /// The newest mark of its prompt.
    pub(crate) prompt: Option<SignalMessage>,
    pub(crate) recording: RecordingReport,
    /// Whether the disk was too slow, and has not caught up since.
    pub(crate) recorder_left_behind: bool,
    pub(crate) model_failures: u64,

    pub(crate) listener: Listener,
    pub(crate) viewers: Viewers,
    pub(crate) requests: Vec<Request>,
    pub(crate) next_ticket: u64,
    pub(crate) model_awaited: Option<Awaited>,
    pub(crate) upgrading: Option<Upgrading>,
    /// Whether viewers have left, and what follows from that is still to come.
    pub(crate) viewer_left: bool,
    /// Whether something was told in passing that is not sent yet.
    pub(crate) mentioned: bool,
    /// A descriptor kept for the moment when there are no more: with it the host can accept one connection and refuse
    /// it.
    pub(crate) spare: Option<File>,

    pub(crate) events: Events,
    pub(crate) timer: Timer,
    pub(crate) timer_at: Option<Instant>,
    pub(crate) signals: Signals,
    /// Where bytes are read to.
    pub(crate) chunk: Vec<u8>,
}

impl Host {
    /// The tape, for reading.
    pub(crate) fn tape(&self) -> RwLockReadGuard<'_, Tape> {
        self.tape.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// After the newest byte.
    pub(crate) fn end(&self) -> Offset {
        self.tape().end()
    }
}
