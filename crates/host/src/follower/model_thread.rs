//! The model's thread: it follows the tape, answers the program's questions and draws screens.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{self, Thread};

use model::{Offset, TermSize};
use terminal::{SnapshotForm, Terminal};

use super::deep;
use super::reports;
use super::{CHUNK_BYTES, ModelOrder, ModelShared, lock};
use crate::faults::Faults;
use crate::follower::Rebuild;
use crate::log;
use crate::snapshots::Depth;
use crate::tape::Tape;
use crate::told::{Board, DrawnRows, Snapshot, Told};

/// What a model that failed is fed again comes in such pieces; those it fails on once more are left out.
const PIECE_BYTES: usize = 32;

/// The thread's own side.
pub(super) struct ModelThread {
    /// Nothing if it has to be built first.
    pub(super) terminal: Option<Terminal>,
    /// Whether there are lines in the recording that the model never saw.
    pub(super) has_older: bool,
    pub(super) at: Offset,
    pub(super) shared: Arc<ModelShared>,
    pub(super) tape: Arc<RwLock<Tape>>,
    pub(super) board: Arc<Board>,
    pub(super) after: Thread,
    pub(super) rebuild: Rebuild,
    pub(super) faults: Faults,
}

impl ModelThread {
    pub(super) fn follow(mut self) {
        let mut terminal = match self.terminal.take() {
            Some(terminal) => terminal,
            None => self.rebuild.terminal(),
        };
        let mut chunk = Vec::new();
        while !self.shared.replaced.load(Ordering::Acquire) {
            let ask = lock(&self.shared.asks).front().map(ModelOrder::at);
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
                let Some(ask) = lock(&self.shared.asks).pop_front() else { continue };
                *lock(&self.shared.current) = Some(ask);
                terminal = self.answer(terminal, ask);
                *lock(&self.shared.current) = None;
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
        if self.shared.replaced.load(Ordering::Acquire) {
            return terminal;
        }
        if fed.is_err() {
            log::line(&format!("the model failed after {} bytes; rebuilding it", self.at));
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
        self.shared.at.store(self.at.0, Ordering::Release);
        let replies = terminal.take_replies();
        let signals = terminal.take_signals();
        let program_changed = !signals.is_empty() || terminal.on_alternate_screen() != was_alternate;
        if !replies.is_empty() || program_changed {
            self.board.tell(|told| {
                told.replies.extend(replies);
                told.signals.extend(signals.into_iter().map(reports::signal));
                told.program = Some(reports::program(&terminal));
            });
        } else if self.shared.awaited.load(Ordering::Acquire) {
            self.board.wake();
        }
        terminal
    }

    /// Whether more lines are asked for than the model has, and the recording may have them.
    fn lacks(&self, terminal: &Terminal, form: SnapshotForm) -> bool {
        let SnapshotForm::Full { history } = form else { return false };
        history > terminal.history_len() && (self.has_older || terminal.history_is_cut())
    }

    fn answer(&mut self, mut terminal: Terminal, ask: ModelOrder) -> Terminal {
        if let ModelOrder::Snapshot {
            form: form @ SnapshotForm::Full { history },
            ticket,
            depth: Depth::Recording,
            ..
        } = ask
            && self.lacks(&terminal, form)
        {
            let rebuild = self.rebuild.clone().at_size(terminal.size()).before(self.at);
            let (shared, own, at) = (Arc::clone(&self.shared), thread::current(), self.at);
            let shallow = move || {
                lock(&shared.asks).push_front(ModelOrder::Snapshot { at, form, ticket, depth: Depth::Model });
                own.unpark();
            };
            if deep::draw(rebuild, at, history, ticket, Arc::clone(&self.board), shallow).is_ok() {
                return terminal;
            }
        }
        let at = self.at;
        let answered = catch_unwind(AssertUnwindSafe(|| match ask {
            ModelOrder::Resize { size, .. } => {
                terminal.resize(size);
                Answer::Nothing
            }
            ask => Answer::of(&terminal, at, ask),
        }));
        match answered {
            Ok(Answer::Nothing) => {
                // A program that asked to be told of its size is told so by the terminal.
                let replies = terminal.take_replies();
                if !replies.is_empty() {
                    self.board.tell(|told| told.replies.extend(replies));
                }
            }
            Ok(answer) => self.board.tell(|told| answer.put(told)),
            Err(_) => {
                log::line(&format!("the model failed at {}; rebuilding it", self.at));
                self.board.tell(|told| told.model_failures += 1);
                let size = terminal.size();
                terminal = self.rebuild.clone().at_size(size).before(self.at).terminal();
                let again = catch_unwind(AssertUnwindSafe(|| Answer::of(&terminal, at, ask)));
                let answer = again.unwrap_or_else(|_| Answer::blank(size, at, ask));
                self.board.tell(|told| answer.put(told));
            }
        }
        terminal
    }
}

/// What the model gives for an order.
enum Answer {
    Nothing,
    Snapshot(Snapshot),
    Rows(DrawnRows),
}

impl Answer {
    fn of(terminal: &Terminal, at: Offset, order: ModelOrder) -> Answer {
        match order {
            ModelOrder::Resize { .. } => Answer::Nothing,
            ModelOrder::Snapshot { form, ticket, .. } => {
                Answer::Snapshot(Snapshot { ticket, at, bytes: terminal.snapshot(form) })
            }
            ModelOrder::Rows { ticket, .. } => Answer::Rows(reports::rows(terminal, at, ticket)),
        }
    }

    /// What stands in for the answer of a model that cannot give it.
    fn blank(size: TermSize, at: Offset, order: ModelOrder) -> Answer {
        match order {
            ModelOrder::Resize { .. } => Answer::Nothing,
            ModelOrder::Snapshot { ticket, .. } => Answer::Snapshot(Snapshot::blank(ticket, at)),
            ModelOrder::Rows { ticket, .. } => Answer::Rows(DrawnRows::blank(ticket, at, size)),
        }
    }

    fn put(self, told: &mut Told) {
        match self {
            Answer::Nothing => {}
            Answer::Snapshot(snapshot) => told.snapshots.push(Arc::new(snapshot)),
            Answer::Rows(rows) => told.rows.push(rows),
        }
    }
}
