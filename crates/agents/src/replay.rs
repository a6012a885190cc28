//! The detector over a recording: output and hooks go in with their times, changes come out.

use std::time::Duration;

use model::TermSize;
use serde_json::Value;
use terminal::{HistoryLimit, Terminal};

use crate::detector::{Detector, State};
use crate::heard::Heard;
use crate::screen::ScreenRows;
use crate::turn::Turn;

/// What a detector said, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The moment.
    pub at: Duration,
    /// What the program is doing from then on.
    pub state: State,
    /// The turn that has ended with it.
    pub turn: Option<Turn>,
}

/// A terminal and a detector that follows it.
pub struct Replay {
    terminal: Terminal,
    detector: Detector,
    said: State,
    changes: Vec<Change>,
}

impl Replay {
    /// Begins with an empty terminal.
    pub fn new(detector: Detector, size: TermSize) -> Replay {
        let terminal = Terminal::new(size, HistoryLimit { lines: 0, bytes: 0 });
        Replay { terminal, detector, said: State::default(), changes: Vec::new() }
    }

    /// The program printed something.
    pub fn output(&mut self, at: Duration, bytes: &[u8]) {
        self.until(at);
        self.terminal.feed(bytes);
        // The terminal that was recorded has answered already.
        self.terminal.take_replies();
        for heard in self.terminal.take_signals().into_iter().filter_map(Heard::of_signal) {
            self.detector.hear(at, &heard);
            self.note(at);
        }
        if self.detector.printed(at) {
            self.look(at);
        }
        self.note(at);
    }

    /// The terminal got another size.
    pub fn resize(&mut self, at: Duration, size: TermSize) {
        self.until(at);
        self.terminal.resize(size);
        self.detector.printed(at);
    }

    /// An agent handed this to its hook.
    pub fn hook(&mut self, at: Duration, event: &Value) {
        self.until(at);
        self.detector.hook(at, event);
        self.note(at);
    }

    /// The program ended.
    pub fn exited(&mut self, at: Duration) {
        self.until(at);
        self.detector.exited(at);
        self.note(at);
    }

    /// Time passes, and nothing happens.
    pub fn until(&mut self, at: Duration) {
        // Each look puts off the next one; a detector that wanted one at once again would be broken.
        while let Some(due) = self.detector.due().filter(|&due| due < at) {
            self.look(due);
            self.note(due);
            if self.detector.due().is_some_and(|next| next <= due) {
                break;
            }
        }
        self.detector.tick(at);
        self.note(at);
    }

    /// Takes what changed since the last call.
    pub fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    /// The detector, as it is now.
    pub fn detector(&self) -> &Detector {
        &self.detector
    }

    fn look(&mut self, at: Duration) {
        self.detector.see(at, &ScreenRows::of(&self.terminal));
    }

    fn note(&mut self, at: Duration) {
        let turn = self.detector.take_turn();
        if *self.detector.state() != self.said || turn.is_some() {
            self.said.clone_from(self.detector.state());
            self.changes.push(Change { at, state: self.said.clone(), turn });
        }
    }
}
