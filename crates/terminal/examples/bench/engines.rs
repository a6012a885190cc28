//! The terminals that are compared.

use std::num::NonZero;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::term::{Config, Term};
use alacritty_terminal::vte::ansi::Processor;
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

/// Which terminal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// This crate.
    Ours,
    /// Only a parser, whose findings nobody looks at: a floor.
    Vte,
    Alacritty,
    Vt100,
}

impl Kind {
    pub(crate) const ALL: [Kind; 4] = [Kind::Ours, Kind::Vte, Kind::Alacritty, Kind::Vt100];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Ours => "abide",
            Kind::Vte => "vte",
            Kind::Alacritty => "alacritty_terminal",
            Kind::Vt100 => "vt100",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
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

struct Nobody;

impl vte::Perform for Nobody {}

impl Engine for Vte {
    fn feed(&mut self, bytes: &[u8]) {
        self.0.advance(&mut Nobody, bytes);
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
