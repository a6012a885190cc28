//! The terminal model, on a thread of its own.
//!
//! It follows the tape: what is printed reaches viewers first and the model a little later. Whoever asks for a
//! snapshot gets it as of an exact offset, once the model has come there. When the model panics or hangs, it is
//! built anew and the bytes it failed on are left out; the worker does not notice.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::{self, Thread};
use std::time::Duration;

use model::{Offset, TermSize};
use terminal::{SnapshotForm, Terminal};

use crate::answer;
use crate::deep;
use crate::faults::Faults;
use crate::log;
use crate::rebuild::Rebuild;
use crate::tape::Tape;
use crate::told::{Board, Snapshot};
use crate::viewer::Ticket;

/// How much the model takes in between two looks at what is asked of it.
const CHUNK_BYTES: usize = 16 << 10;

/// What a model that failed is fed again comes in such pieces; those it fails on once more are left out.
const PIECE_BYTES: usize = 32;

/// Deep enough for the parser, and no more than needed: every worker has one.
const STACK_BYTES: usize = 256 << 10;

/// Something to do once the model has come to an offset.
#[derive(Clone, Copy, Debug)]
enum Ask {
    Resize {
        at: Offset,
        size: TermSize,
    },
    /// `deep` is whether lines that the model does not have are looked for in the recording.
    Snapshot {
        at: Offset,
        form: SnapshotForm,
        ticket: Ticket,
        deep: bool,
    },
}

impl Ask {
    fn at(&self) -> Offset {
        match self {
            Ask::Resize { at, .. } | Ask::Snapshot { at, .. } => *at,
        }
    }
}

/// What both sides see.
#[derive(Debug)]
struct Common {
    asks: Mutex<VecDeque<Ask>>,
    /// What the model is about to do.
    current: Mutex<Option<Ask>>,
    /// How far the model is.
    at: AtomicU64,
    /// Whether somebody waits for the model to move on.
    awaited: AtomicBool,
    /// Whether another thread has taken over.
    replaced: AtomicBool,
}

/// The door to the model's thread.
#[derive(Debug)]
pub(crate) struct Follower {
    common: Arc<Common>,
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
        let common = Common {
            asks: Mutex::default(),
            current: Mutex::default(),
            at: AtomicU64::new(at.0),
            awaited: AtomicBool::new(false),
            replaced: AtomicBool::new(false),
        };
        let common = Arc::new(common);
        let thread = spawn(Life {
            terminal: Some(terminal),
            has_older: at > Offset(0),
            at,
            common: Arc::clone(&common),
            tape: Arc::clone(&tape),
            board: Arc::clone(&board),
            after: after.clone(),
            rebuild: rebuild.clone(),
            faults,
        })?;
        Ok(Follower { common, thread, tape, board, after, rebuild, faults })
    }

    /// How far the model is.
    pub(crate) fn at(&self) -> Offset {
        Offset(self.common.at.load(Ordering::Acquire))
    }

    /// Says that there is more on the tape.
    pub(crate) fn notify(&self) {
        self.thread.unpark();
    }

    /// Has the board woken when the model moves on.
    pub(crate) fn await_progress(&self, awaited: bool) {
        self.common.awaited.store(awaited, Ordering::Release);
    }

    /// How long it, or the disk, may stand still; less when tests make them hang.
    pub(crate) fn patience(&self, usual: Duration) -> Duration {
        self.faults.patience(usual)
    }

    /// The size changes after the first `at` bytes.
    pub(crate) fn resize(&self, at: Offset, size: TermSize) {
        self.ask(Ask::Resize { at, size });
    }

    /// Asks for the screen after the first `at` bytes. `at` is not before anything asked earlier.
    /// With `deep`, lines that it does not have are looked for in the recording.
    pub(crate) fn snapshot(&self, at: Offset, form: SnapshotForm, ticket: Ticket, deep: bool) {
        self.ask(Ask::Snapshot { at, form, ticket, deep });
    }

    fn ask(&self, ask: Ask) {
        lock(&self.common.asks).push_back(ask);
        self.notify();
    }

    /// Gives up on a model that hangs: another one takes over behind the bytes it hangs in.
    pub(crate) fn replace(&mut self, size: TermSize) -> std::io::Result<()> {
        self.common.replaced.store(true, Ordering::Release);
        let stuck = self.at();
        let skip_to = self.tape.read().unwrap_or_else(PoisonError::into_inner).end().min(stuck + CHUNK_BYTES);
        let asks = std::mem::take(&mut *lock(&self.common.asks));
        // What it hangs in, another one is not asked again.
        if let Some(Ask::Snapshot { at, ticket, .. }) = *lock(&self.common.current) {
            self.board.tell(|told| told.snapshots.push(Arc::new(Snapshot::blank(ticket, at))));
        }
        let common = Arc::new(Common {
            asks: Mutex::new(asks),
            current: Mutex::default(),
            at: AtomicU64::new(skip_to.0),
            awaited: AtomicBool::new(true),
            replaced: AtomicBool::new(false),
        });
        log::line(&format!("the model hangs after {stuck} bytes; building it anew"));
        self.board.tell(|told| told.model_failures += 1);
        let life = Life {
            terminal: None,
            has_older: true,
            at: skip_to,
            common: Arc::clone(&common),
            tape: Arc::clone(&self.tape),
            board: Arc::clone(&self.board),
            after: self.after.clone(),
            rebuild: self.rebuild.clone().at_size(size).before(stuck),
            faults: self.faults,
        };
        self.thread = spawn(life)?;
        self.common = common;
        Ok(())
    }
}

fn spawn(life: Life) -> std::io::Result<Thread> {
    let thread = thread::Builder::new().name("model".into()).stack_size(STACK_BYTES);
    Ok(thread.spawn(move || life.follow())?.thread().clone())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread's own side.
struct Life {
    /// Nothing if it has to be built first.
    terminal: Option<Terminal>,
    /// Whether there are lines in the recording that the model never saw.
    has_older: bool,
    at: Offset,
    common: Arc<Common>,
    tape: Arc<RwLock<Tape>>,
    board: Arc<Board>,
    after: Thread,
    rebuild: Rebuild,
    faults: Faults,
}

impl Life {
    fn follow(mut self) {
        let mut terminal = match self.terminal.take() {
            Some(terminal) => terminal,
            None => self.rebuild.terminal(),
        };
        let mut chunk = Vec::new();
        while !self.common.replaced.load(Ordering::Acquire) {
            let ask = lock(&self.common.asks).front().map(Ask::at);
            chunk.clear();
            let most = ask.map_or(CHUNK_BYTES, |at| CHUNK_BYTES.min(at - self.at));
            self.tape.read().unwrap_or_else(PoisonError::into_inner).copy(self.at, most, &mut chunk);
            if !chunk.is_empty() {
                terminal = self.feed(terminal, &chunk);
                // A burst is over when less came than would fit; then its buffer is given back.
                if chunk.len() < CHUNK_BYTES / 4 {
                    chunk.shrink_to(CHUNK_BYTES / 4);
                }
            } else if ask.is_some_and(|at| at <= self.at) {
                let Some(ask) = lock(&self.common.asks).pop_front() else { continue };
                *lock(&self.common.current) = Some(ask);
                terminal = self.answer(terminal, ask);
                *lock(&self.common.current) = None;
            } else {
                self.after.unpark();
                thread::park();
            }
        }
    }

    fn feed(&mut self, mut terminal: Terminal, chunk: &[u8]) -> Terminal {
        let was_alternate = terminal.on_alternate_screen();
        let fed = catch_unwind(AssertUnwindSafe(|| {
            self.faults.on_feed(chunk);
            terminal.feed(chunk);
        }));
        if self.common.replaced.load(Ordering::Acquire) {
            return terminal;
        }
        if fed.is_err() {
            log::line(&format!("the model failed after {} bytes; building it anew", self.at));
            self.board.tell(|told| told.model_failures += 1);
            let size = terminal.size();
            terminal = self.rebuild.clone().at_size(size).before(self.at).terminal();
            for piece in chunk.chunks(PIECE_BYTES) {
                let _ = catch_unwind(AssertUnwindSafe(|| {
                    self.faults.on_feed(piece);
                    terminal.feed(piece);
                }));
            }
        }
        self.at += chunk.len();
        self.common.at.store(self.at.0, Ordering::Release);
        let replies = terminal.take_replies();
        let signals = terminal.take_signals();
        let program_changed = !signals.is_empty() || terminal.on_alternate_screen() != was_alternate;
        if !replies.is_empty() || program_changed {
            self.board.tell(|told| {
                told.replies.extend(replies);
                told.signals.extend(signals.into_iter().map(answer::signal));
                told.program = Some(answer::program(&terminal));
            });
        } else if self.common.awaited.load(Ordering::Acquire) {
            self.board.wake();
        }
        terminal
    }

    /// Whether more lines are asked for than the model has, and the recording may have them.
    fn lacks(&self, terminal: &Terminal, form: SnapshotForm) -> bool {
        let SnapshotForm::Full { history } = form else { return false };
        history > terminal.history_len() && (self.has_older || terminal.history_is_cut())
    }

    fn answer(&mut self, mut terminal: Terminal, ask: Ask) -> Terminal {
        if let Ask::Snapshot { form: form @ SnapshotForm::Full { history }, ticket, deep: true, .. } = ask
            && self.lacks(&terminal, form)
        {
            let rebuild = self.rebuild.clone().at_size(terminal.size()).before(self.at);
            let (common, own, at) = (Arc::clone(&self.common), thread::current(), self.at);
            let shallow = move || {
                lock(&common.asks).push_front(Ask::Snapshot { at, form, ticket, deep: false });
                own.unpark();
            };
            if deep::draw(rebuild, at, history, ticket, Arc::clone(&self.board), shallow).is_ok() {
                return terminal;
            }
        }
        let at = self.at;
        let answered = catch_unwind(AssertUnwindSafe(|| match ask {
            Ask::Resize { size, .. } => {
                terminal.resize(size);
                None
            }
            Ask::Snapshot { form, ticket, .. } => {
                Some(Snapshot { ticket, at, bytes: terminal.snapshot(form) })
            }
        }));
        match answered {
            Ok(None) => {
                // A program that asked to be told of its size is told so by the terminal.
                let replies = terminal.take_replies();
                if !replies.is_empty() {
                    self.board.tell(|told| told.replies.extend(replies));
                }
            }
            Ok(Some(snapshot)) => self.board.tell(|told| told.snapshots.push(Arc::new(snapshot))),
            Err(_) => {
                log::line(&format!("the model failed at {}; building it anew", self.at));
                self.board.tell(|told| told.model_failures += 1);
                let size = terminal.size();
                terminal = self.rebuild.clone().at_size(size).before(self.at).terminal();
                if let Ask::Snapshot { form, ticket, .. } = ask {
                    let drawn = catch_unwind(AssertUnwindSafe(|| terminal.snapshot(form)));
                    let drawn = drawn.map(|bytes| Snapshot { ticket, at, bytes });
                    let snapshot = drawn.unwrap_or_else(|_| Snapshot::blank(ticket, at));
                    self.board.tell(|told| told.snapshots.push(Arc::new(snapshot)));
                }
            }
        }
        terminal
    }
}
