//! A terminal model, rebuilt from the recording and the tape.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use model::{Offset, TermSize};
use recording::{BlockKind, Recording, SegmentReader};
use terminal::{HistoryLimit, Terminal};

use crate::tape::Tape;

/// What a model keeps of the lines that scrolled off: enough for a person who scrolls back a little. Older lines are
/// in the recording.
pub(crate) const HISTORY: HistoryLimit = HistoryLimit { lines: 20_000, bytes: 256 << 10 };

/// How to build a model.
#[derive(Clone, Debug)]
pub(crate) struct Rebuild {
    recording: PathBuf,
    tape: Arc<RwLock<Tape>>,
    size: TermSize,
    before: Option<Offset>,
    history: HistoryLimit,
}

impl Rebuild {
    pub(crate) fn new(recording: PathBuf, tape: Arc<RwLock<Tape>>, size: TermSize) -> Rebuild {
        Rebuild { recording, tape, size, before: None, history: HISTORY }
    }

    /// Where the recording is.
    pub(crate) fn recording(&self) -> &Path {
        &self.recording
    }

    /// The size it shall have in the end.
    pub(crate) fn at_size(self, size: TermSize) -> Rebuild {
        Rebuild { size, ..self }
    }

    /// Up to which byte of output it is built.
    pub(crate) fn before(self, offset: Offset) -> Rebuild {
        Rebuild { before: Some(offset), ..self }
    }

    /// What it shall keep of its history.
    pub(crate) fn with_history(self, history: HistoryLimit) -> Rebuild {
        Rebuild { history, ..self }
    }

    /// Builds it from the newest segment. What it fails on is left out; in the worst case it is blank.
    pub(crate) fn terminal(&self) -> Terminal {
        let newest = Recording::open(&self.recording).and_then(|recording| recording.newest());
        self.terminal_from(newest.ok().flatten())
    }

    /// Builds it from a segment on.
    pub(crate) fn terminal_from(&self, segment: Option<SegmentReader>) -> Terminal {
        let end = self.before.unwrap_or(Offset(u64::MAX));
        let mut segment = segment.filter(|segment| segment.head().at <= end);
        let start = segment.as_ref().map_or(Offset(0), |segment| segment.head().at);
        let size = segment.as_ref().map_or(self.size, |segment| segment.head().size);
        let mut terminal = Terminal::new(size, self.history);
        let mut at = start;
        while let Some(reader) = &mut segment {
            let size = reader.head().size;
            for block in &mut *reader {
                match block.kind {
                    // Every segment begins with one, and we have come there ourselves.
                    BlockKind::Snapshot(_) if at > start && block.at <= at => {}
                    BlockKind::Snapshot(bytes) => {
                        terminal.resize(size);
                        feed(&mut terminal, &bytes);
                        at = block.at;
                    }
                    BlockKind::Output(bytes) => {
                        feed(&mut terminal, &bytes[..bytes.len().min(end - block.at)]);
                        at = block.at + bytes.len();
                    }
                    BlockKind::Resize(size) => terminal.resize(size),
                    BlockKind::Gap { .. } | BlockKind::Epoch(_) | BlockKind::Exit(_) => {}
                }
                if at >= end {
                    break;
                }
            }
            segment = if at >= end { None } else { reader.newer().ok().flatten() };
        }
        let mut rest = Vec::new();
        if at < end {
            let tape = self.tape.read().unwrap_or_else(PoisonError::into_inner);
            let from = at.max(tape.start());
            tape.copy(from, end - from, &mut rest);
        }
        feed(&mut terminal, &rest);
        if terminal.size() != self.size {
            terminal.resize(self.size);
        }
        forget_answers(&mut terminal);
        terminal
    }
}

/// Small pieces, so that little is left out when one of them cannot be taken.
fn feed(terminal: &mut Terminal, bytes: &[u8]) {
    for piece in bytes.chunks(4096) {
        let _ = catch_unwind(AssertUnwindSafe(|| terminal.feed(piece)));
        forget_answers(terminal);
    }
}

/// Drops answers: questions of the past were answered then.
fn forget_answers(terminal: &mut Terminal) {
    terminal.take_replies();
    terminal.take_signals();
}
