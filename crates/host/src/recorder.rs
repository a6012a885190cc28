//! The recording, on a thread of its own: disks may be slow, full or gone, and the terminal goes on.
//!
//! This file is the door that the host uses. The thread is in `recorder/recorder_thread.rs`.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::{self, Thread};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use home::ExitNote;
use model::{Offset, TermSize};

use crate::faults::Faults;
use crate::sealing::Sealing;
use crate::snapshots::Ticket;
use crate::tape::Tape;
use crate::told::{Board, Snapshot};

mod disk;
mod recorder_thread;
mod subject;

use disk::Disk;
pub(crate) use recorder_thread::Opening;
use recorder_thread::{LAST_TRIES, RecorderThread};
pub(crate) use subject::Subject;

/// Deep enough for writing, and no more than needed: every worker has one.
const STACK_BYTES: usize = 128 << 10;

/// Something to write once everything before it is written.
#[derive(Debug)]
enum RecorderOrder {
    Resize {
        at: Offset,
        size: TermSize,
    },
    /// A new segment begins with this screen.
    Segment {
        at: Offset,
        ticket: Ticket,
        snapshot: Option<Arc<Snapshot>>,
    },
    Exit {
        at: Offset,
        note: ExitNote,
    },
    /// The main loop wants to know when everything before this is written.
    Written {
        at: Offset,
    },
}

impl RecorderOrder {
    fn at(&self) -> Offset {
        match self {
            RecorderOrder::Resize { at, .. }
            | RecorderOrder::Segment { at, .. }
            | RecorderOrder::Exit { at, .. }
            | RecorderOrder::Written { at } => *at,
        }
    }
}

#[derive(Debug)]
struct RecorderShared {
    orders: Mutex<VecDeque<RecorderOrder>>,
    /// How far the recording is.
    at: AtomicU64,
    /// Whether a new segment is due.
    full: AtomicBool,
    /// Whether the main loop waits for the recording to move on.
    awaited: AtomicBool,
    /// Whether a viewer came or went, which needed memory.
    visited: AtomicBool,
    /// Whether nothing will be recorded any more.
    is_over: AtomicBool,
}

/// The door to the recorder's thread.
#[derive(Debug)]
pub(crate) struct Recorder {
    shared: Arc<RecorderShared>,
    thread: Thread,
}

impl Recorder {
    /// Starts the thread at an offset.
    pub(crate) fn start(
        subject: Subject,
        sealing: Sealing,
        opening: Opening,
        gaps: u64,
        at: Offset,
        tape: Arc<RwLock<Tape>>,
        board: Arc<Board>,
    ) -> io::Result<Recorder> {
        let shared = RecorderShared {
            orders: Mutex::default(),
            at: AtomicU64::new(at.0),
            full: AtomicBool::new(false),
            awaited: AtomicBool::new(false),
            visited: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        };
        let shared = Arc::new(shared);
        let this = RecorderThread {
            faults: Faults::from_environment(),
            sealing,
            subject,
            disk: Disk::Lost { why: None },
            at,
            accounted_to: at,
            gaps,
            tries_left: LAST_TRIES,
            looked: Instant::now(),
            shared: Arc::clone(&shared),
            tape,
            board,
        };
        let thread = thread::Builder::new().name("recorder".into()).stack_size(STACK_BYTES);
        let thread = thread.spawn(move || this.record(opening))?.thread().clone();
        Ok(Recorder { shared, thread })
    }

    /// How far the recording is.
    pub(crate) fn at(&self) -> Offset {
        Offset(self.shared.at.load(Ordering::Acquire))
    }

    /// Its thread, for waking it.
    pub(crate) fn thread(&self) -> Thread {
        self.thread.clone()
    }

    /// Says that a viewer came or went: when the host is at rest again, its thread gives memory back.
    pub(crate) fn note_visit(&self) {
        self.shared.visited.store(true, Ordering::Release);
        self.notify();
    }

    /// Says that there is more on the tape.
    pub(crate) fn notify(&self) {
        self.thread.unpark();
    }

    /// Has the board woken when the recording moves on.
    pub(crate) fn await_progress(&self, awaited: bool) {
        self.shared.awaited.store(awaited, Ordering::Release);
    }

    /// Whether the recorder wants a new segment; says so once.
    pub(crate) fn take_full(&self) -> bool {
        self.shared.full.load(Ordering::Relaxed) && self.shared.full.swap(false, Ordering::AcqRel)
    }

    /// The size changes after the first `at` bytes.
    pub(crate) fn resize(&self, at: Offset, size: TermSize) {
        self.order(RecorderOrder::Resize { at, size });
    }

    /// A new segment shall begin after the first `at` bytes, with a screen that comes later.
    pub(crate) fn begin_segment(&self, at: Offset, ticket: Ticket) {
        self.order(RecorderOrder::Segment { at, ticket, snapshot: None });
    }

    /// The screen that a new segment waits for. False if none does.
    pub(crate) fn deliver(&self, screen: &Arc<Snapshot>) -> bool {
        let mut orders = lock(&self.shared.orders);
        let waiting = orders.iter_mut().find_map(|order| match order {
            RecorderOrder::Segment { ticket, snapshot, .. } if *ticket == screen.ticket => Some(snapshot),
            _ => None,
        });
        let Some(waiting) = waiting else { return false };
        *waiting = Some(Arc::clone(screen));
        drop(orders);
        self.notify();
        true
    }

    /// The child has ended after the first `at` bytes: the last that is recorded. When it is on disk, the recording is
    /// over.
    pub(crate) fn exit(&self, at: Offset, note: ExitNote) {
        self.order(RecorderOrder::Exit { at, note });
    }

    /// Whether nothing will be recorded any more: the exit is on disk, or could not be brought there. The board is woken
    /// when that comes.
    pub(crate) fn is_over(&self) -> bool {
        self.shared.is_over.load(Ordering::Acquire)
    }

    /// Segments whose screen has not come are not begun: what comes behind them has waited long enough.
    pub(crate) fn give_up_segments(&self) {
        lock(&self.shared.orders)
            .retain(|order| !matches!(order, RecorderOrder::Segment { snapshot: None, .. }));
        self.notify();
    }

    /// The board is told when the first `at` bytes are written. They are not forced to the disk: a host that becomes
    /// another program must not wait for that, and loses nothing without.
    pub(crate) fn tell_when_written(&self, at: Offset) {
        self.order(RecorderOrder::Written { at });
    }

    fn order(&self, order: RecorderOrder) {
        lock(&self.shared.orders).push_back(order);
        self.notify();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Microseconds since 1970; a clock before that counts as 1970.
pub(crate) fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
