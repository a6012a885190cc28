//! What happens to a terminal, so that it can happen again.

use std::fmt;

use model::TermSize;
use terminal::{HistoryLimit, Terminal};
use testkit::Random;

/// A terminal's life: what it is fed and when it is resized.
#[derive(Clone, Debug)]
pub(crate) struct ScriptedTerminal {
    /// The size at first.
    pub(crate) size: TermSize,
    /// How much history is kept.
    pub(crate) limit: HistoryLimit,
    /// What the program prints.
    pub(crate) output: Vec<u8>,
    /// Sizes, each with the number of output bytes that come before it.
    pub(crate) resizes: Vec<(usize, TermSize)>,
    /// After so many bytes of output a snapshot is taken.
    pub(crate) cut: usize,
    /// Decides how the output is split.
    pub(crate) seed: u64,
}

/// Something that happens to a terminal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event<'a> {
    /// The program prints.
    Output(&'a [u8]),
    /// The window changes.
    Resize(TermSize),
}

impl ScriptedTerminal {
    /// A life for this output, with sizes, resizes and a cut that the seed decides.
    pub(crate) fn new(seed: u64, output: Vec<u8>) -> ScriptedTerminal {
        let mut random = Random::new(seed);
        let size = any_size(&mut random);
        let lines = random.weighted(&[(1, 0), (2, 1), (4, 7), (4, 60), (2, 1000)]);
        let bytes = random.weighted(&[(1, 0), (1, 2000), (6, 1 << 20)]);
        let resizes = random.weighted(&[(4, 0), (2, 1), (1, 3)]);
        let mut resizes: Vec<_> =
            (0..resizes).map(|_| (random.below(output.len() + 1), any_size(&mut random))).collect();
        resizes.sort_by_key(|(at, _)| *at);
        let cut = random.below(output.len() + 1);
        let seed = random.number();
        ScriptedTerminal { size, limit: HistoryLimit { lines, bytes }, output, resizes, cut, seed }
    }

    /// The terminal before anything happens.
    pub(crate) fn terminal(&self) -> Terminal {
        Terminal::new(self.size, self.limit)
    }

    /// What happens from byte `from` to byte `to`; a resize belongs to the byte after it.
    pub(crate) fn events(&self, from: usize, to: usize) -> Vec<Event<'_>> {
        let mut events = Vec::new();
        let mut at = from;
        for &(after, size) in &self.resizes {
            let last = after == to && to == self.output.len();
            if last || (from..to).contains(&after) {
                events.push(Event::Output(&self.output[at..after]));
                events.push(Event::Resize(size));
                at = after;
            }
        }
        events.push(Event::Output(&self.output[at..to]));
        events
    }

    /// Lives from byte `from` to byte `to`.
    pub(crate) fn live(&self, terminal: &mut Terminal, from: usize, to: usize) {
        for event in self.events(from, to) {
            match event {
                Event::Output(bytes) => terminal.feed(bytes),
                Event::Resize(size) => terminal.resize(size),
            }
        }
    }

    /// The same life without the bytes `from..to` of its output.
    pub(crate) fn without(&self, from: usize, to: usize) -> ScriptedTerminal {
        let mut life = self.clone();
        life.output.drain(from..to);
        let moved = |at: usize| at - (at.min(to) - at.min(from));
        life.cut = moved(life.cut);
        life.resizes.iter_mut().for_each(|(at, _)| *at = moved(*at));
        life
    }
}

impl fmt::Display for ScriptedTerminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HistoryLimit { lines, bytes } = self.limit;
        write!(f, "{} with {lines} lines or {bytes} bytes of history", self.size)?;
        for (at, size) in &self.resizes {
            write!(f, ", {size} after byte {at}")?;
        }
        let (before, rest) = self.output.split_at(self.cut);
        write!(
            f,
            ", splits {}\n  fed      {}\n  the rest {}",
            self.seed,
            before.escape_ascii(),
            rest.escape_ascii()
        )
    }
}

/// Mostly small sizes, where edges are everywhere; seldom the largest.
fn any_size(random: &mut Random) -> TermSize {
    let (cols, rows) = match random.below(300) {
        0 => (1000, 1000),
        1..=25 => (0, 0),
        26..=50 => (1, 9),
        51..=75 => (80, 24),
        76..=100 => (random.between(1, 300), random.between(1, 60)),
        _ => (random.between(2, 30), random.between(1, 9)),
    };
    TermSize::clamped(cols as u16, rows as u16)
}
