//! How much memory a history takes.

use model::TermSize;
use testkit::{CountingAllocator, Random, heap_of};

use crate::engines::{self, Engine, Kind};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Histories of so many lines are measured.
const LINES: [usize; 2] = [10_000, 100_000];

/// Prints `ENGINE LINES bytes` for each terminal that has a history.
pub(crate) fn print() {
    for kind in Kind::TERMINALS.into_iter().filter(|kind| *kind != Kind::Vte) {
        for lines in LINES {
            let (terminal, heap) = heap_of(|| full(kind, lines));
            println!("{} {lines} {}", kind.name(), heap.live);
            drop(terminal);
        }
    }
}

/// A terminal whose history is full of full lines.
fn full(kind: Kind, lines: usize) -> Box<dyn Engine> {
    let size = TermSize::clamped(120, 40);
    let mut engine = kind.engine(size, lines);
    let mut random = Random::new(7);
    for _ in 0..lines + usize::from(size.rows()) {
        let line: [u8; 120] = std::array::from_fn(|_| b'!' + random.below(94) as u8);
        engines::feed(&mut *engine, &line);
        engines::feed(&mut *engine, b"\r\n");
    }
    engine
}
