//! The terminal model, on a thread of its own.
//!
//! It follows the tape: what is printed reaches viewers first and the model a little later. A viewer that asks for a
//! snapshot gets it as of an exact offset, once the model has come there. When the model panics or hangs, it is
//! built anew and the bytes it failed on are left out; the worker does not notice.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::{self, Thread};
use std::time::Duration;

use model::{Offset, TermSize};
use terminal::{SnapshotForm, Terminal};

use crate::faults::Faults;
use crate::log;
use crate::snapshots::{Depth, Ticket};
use crate::tape::Tape;
use crate::told::{Board, DrawnRows, Snapshot};

mod deep;
mod model_thread;
mod rebuild;
pub(crate) mod reports;

use model_thread::ModelThread;
pub(crate) use rebuild::{HISTORY, Rebuild};

/// How much the model takes in between two looks at what is asked of it.
const CHUNK_BYTES: usize = 16 << 10;

/// Deep enough for the parser, and no more than needed: every worker has one.
const STACK_BYTES: usize = 256 << 10;

/// Something to do once the model has come to an offset.
#[derive(Clone, Copy, Debug)]
enum ModelOrder {
    Resize { at: Offset, size: TermSize },
    Snapshot { at: Offset, form: SnapshotForm, ticket: Ticket, depth: Depth },
    Rows { at: Offset, ticket: Ticket },
}

impl ModelOrder {
    fn at(&self) -> Offset {
        match self {
            ModelOrder::Resize { at, .. } | ModelOrder::Snapshot { at, .. } | ModelOrder::Rows { at, .. } => {
                *at
            }
        }
    }
}

/// What both sides see.
#[derive(Debug)]
struct ModelShared {
    asks: Mutex<VecDeque<ModelOrder>>,
    /// What the model is about to do.
    current: Mutex<Option<ModelOrder>>,
    /// How far the model is.
    at: AtomicU64,
    /// Whether a reader waits for the model to move on.
    awaited: AtomicBool,
    /// Whether another thread has taken over.
    replaced: AtomicBool,
}

/// The door to the model's thread.
#[derive(Debug)]
pub(crate) struct Follower {
    shared: Arc<ModelShared>,
    thread: Thread,
    tape: Arc<RwLock<Tape>>,
    board: Arc<Board>,
    /// Woken when the model has taken in what there was: a key's echo wakes one thread after the other, and none of
    /// them while the echo is on its way.
    after: Thread,
    rebuild: Rebuild,
    faults: Faults,
}

impl Follower {
    /// Starts the thread with a model that has taken in everything up to `at`.
    pub(crate) fn start(
        terminal: Terminal,
        at: Offset,
        tape: Arc<RwLock<Tape>>,
        board: Arc<Board>,
        after: Thread,
        rebuild: Rebuild,
    ) -> std::io::Result<Follower> {
        let faults = Faults::from_environment();
        let shared = ModelShared {
            asks: Mutex::default(),
            current: Mutex::default(),
            at: AtomicU64::new(at.0),
            awaited: AtomicBool::new(false),
            replaced: AtomicBool::new(false),
        };
        let shared = Arc::new(shared);
        let thread = spawn(ModelThread {
            terminal: Some(terminal),
            has_older: at > Offset(0),
            at,
            shared: Arc::clone(&shared),
            tape: Arc::clone(&tape),
            board: Arc::clone(&board),
            after: after.clone(),
            rebuild: rebuild.clone(),
            faults,
        })?;
        Ok(Follower { shared, thread, tape, board, after, rebuild, faults })
    }

    /// How far the model is.
    pub(crate) fn at(&self) -> Offset {
        Offset(self.shared.at.load(Ordering::Acquire))
    }

    /// Says that there is more on the tape.
    pub(crate) fn notify(&self) {
        self.thread.unpark();
    }

    /// Has the board woken when the model moves on.
    pub(crate) fn await_progress(&self, awaited: bool) {
        self.shared.awaited.store(awaited, Ordering::Release);
    }

    /// How long it, or the disk, may stand still; less when tests make them hang.
    pub(crate) fn patience(&self, usual: Duration) -> Duration {
        self.faults.patience(usual)
    }

    /// The size changes after the first `at` bytes.
    pub(crate) fn resize(&self, at: Offset, size: TermSize) {
        self.ask(ModelOrder::Resize { at, size });
    }

    /// Asks for the screen after the first `at` bytes. `at` is not before anything asked earlier.
    pub(crate) fn snapshot(&self, at: Offset, form: SnapshotForm, ticket: Ticket, depth: Depth) {
        self.ask(ModelOrder::Snapshot { at, form, ticket, depth });
    }

    /// Asks for the text of the screen after the first `at` bytes. `at` is not before anything asked earlier.
    pub(crate) fn rows(&self, at: Offset, ticket: Ticket) {
        self.ask(ModelOrder::Rows { at, ticket });
    }

    fn ask(&self, ask: ModelOrder) {
        lock(&self.shared.asks).push_back(ask);
        self.notify();
    }

    /// Gives up on a model that hangs: another one takes over behind the bytes it hangs in.
    pub(crate) fn replace(&mut self, size: TermSize) -> std::io::Result<()> {
        self.shared.replaced.store(true, Ordering::Release);
        let stuck = self.at();
        let skip_to = self.tape.read().unwrap_or_else(PoisonError::into_inner).end().min(stuck + CHUNK_BYTES);
        let asks = std::mem::take(&mut *lock(&self.shared.asks));
        // What it hangs in, another one is not asked again.
        match *lock(&self.shared.current) {
            Some(ModelOrder::Snapshot { at, ticket, .. }) => {
                self.board.tell(|told| told.snapshots.push(Arc::new(Snapshot::blank(ticket, at))));
            }
            Some(ModelOrder::Rows { at, ticket }) => {
                self.board.tell(|told| told.rows.push(DrawnRows::blank(ticket, at, size)));
            }
            Some(ModelOrder::Resize { .. }) | None => {}
        }
        let shared = Arc::new(ModelShared {
            asks: Mutex::new(asks),
            current: Mutex::default(),
            at: AtomicU64::new(skip_to.0),
            awaited: AtomicBool::new(true),
            replaced: AtomicBool::new(false),
        });
        log::line(&format!("the model hangs after {stuck} bytes; rebuilding it"));
        self.board.tell(|told| told.model_failures += 1);
        let life = ModelThread {
            terminal: None,
            has_older: true,
            at: skip_to,
            shared: Arc::clone(&shared),
            tape: Arc::clone(&self.tape),
            board: Arc::clone(&self.board),
            after: self.after.clone(),
            rebuild: self.rebuild.clone().at_size(size).before(stuck),
            faults: self.faults,
        };
        self.thread = spawn(life)?;
        self.shared = shared;
        Ok(())
    }
}

fn spawn(life: ModelThread) -> std::io::Result<Thread> {
    let thread = thread::Builder::new().name("model".into()).stack_size(STACK_BYTES);
    Ok(thread.spawn(move || life.follow())?.thread().clone())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
