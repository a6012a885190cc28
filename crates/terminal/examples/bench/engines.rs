//! The terminals that are compared, and our other readers of output.

use std::num::NonZero;
use std::sync::Arc;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::term::{Config, Term};
use alacritty_terminal::vte::ansi::Processor;
use filter::{Filter, Passed};
use masking::{Masker, Rules};
use model::TermSize;
use terminal::{HistoryLimit, Terminal};

/// Lines of history that every terminal keeps.
pub(crate) const HISTORY_LINES: usize = 10_000;

/// Bytes at once: what the kernel hands out of a PTY at most.
const CHUNK: usize = 4095;

/// Something that takes a program's output.
pub(crate) trait Engine {
    /// Takes in output.
    fn feed(&mut self, bytes: &[u8]);
}

/// Feeds in chunks as they come from a PTY.
pub(crate) fn feed(engine: &mut dyn Engine, bytes: &[u8]) {
    for chunk in bytes.chunks(CHUNK) {
        engine.feed(chunk);
    }
}

/// Which terminal or other reader.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// This crate.
    Ours,
    /// Only a parser whose results are dropped: a lower bound.
    Vte,
    Alacritty,
    Vt100,
    /// Finds secrets.
    Masking,
    /// Makes output fit for a person's own terminal.
    Filter,
}

impl Kind {
    pub(crate) const TERMINALS: [Kind; 4] = [Kind::Ours, Kind::Vte, Kind::Alacritty, Kind::Vt100];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Ours => "abide",
            Kind::Vte => "vte",
            Kind::Alacritty => "alacritty_terminal",
            Kind::Vt100 => "vt100",
            Kind::Masking => "masking",
            Kind::Filter => "filter",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Kind> {
        let readers = [Kind::Masking, Kind::Filter];
        Kind::TERMINALS.into_iter().chain(readers).find(|kind| kind.name() == name)
    }

    /// A fresh terminal of this kind.
    pub(crate) fn engine(self, size: TermSize, history_lines: usize) -> Box<dyn Engine> {
        match self {
            Kind::Ours => {
                // The lines are the limit here, not the bytes.
                let limit = HistoryLimit { lines: history_lines, bytes: usize::MAX };
                Box::new(Ours(Terminal::new(size, limit)))
            }
            Kind::Vte => Box::new(Vte(vte::Parser::new())),
            Kind::Alacritty => {
                let config = Config { scrolling_history: history_lines, ..Config::default() };
                let term = Term::new(config, &Size(size), VoidListener);
                Box::new(Alacritty { processor: Processor::new(), term })
            }
            Kind::Vt100 => {
                let number = |n: u16| NonZero::new(n).unwrap_or(NonZero::<u16>::MIN);
                Box::new(vt100::Parser::new(number(size.rows()), number(size.cols()), history_lines))
            }
            Kind::Masking => Box::new(Masker::new(Arc::new(Rules::builtin()), size)),
            Kind::Filter => Box::new(Filtered { filter: Filter::default(), scratch: Vec::new() }),
        }
    }
}

struct Ours(Terminal);

impl Engine for Ours {
    fn feed(&mut self, bytes: &[u8]) {
        self.0.feed(bytes);
        drop(self.0.take_replies());
        drop(self.0.take_signals());
    }
}

struct Vte(vte::Parser);

struct Ignored;

impl vte::Perform for Ignored {}

impl Engine for Vte {
    fn feed(&mut self, bytes: &[u8]) {
        self.0.advance(&mut Ignored, bytes);
    }
}

struct Alacritty {
    processor: Processor,
    term: Term<VoidListener>,
}

impl Engine for Alacritty {
    fn feed(&mut self, bytes: &[u8]) {
        self.processor.advance(&mut self.term, bytes);
    }
}

struct Size(TermSize);

impl Dimensions for Size {
    fn total_lines(&self) -> usize {
        self.screen_lines()
    }

    fn screen_lines(&self) -> usize {
        usize::from(self.0.rows())
    }

    fn columns(&self) -> usize {
        usize::from(self.0.cols())
    }
}

impl Engine for vt100::Parser {
    fn feed(&mut self, bytes: &[u8]) {
        self.process(bytes);
    }
}

impl Engine for Masker {
    fn feed(&mut self, bytes: &[u8]) {
        Masker::feed(self, bytes);
        drop(self.take_masks());
    }
}

struct Filtered {
    filter: Filter,
    scratch: Vec<u8>,
}

impl Engine for Filtered {
    fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let used = match self.filter.pass(bytes, &mut self.scratch) {
                Passed::All { .. } => bytes.len(),
                // A viewer would wait for a snapshot here.
                Passed::Until { used, .. } => used,
            };
            bytes = &bytes[used..];
        }
    }
}
