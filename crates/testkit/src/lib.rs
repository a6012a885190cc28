//! What tests of several crates share: skipping aloud, running a test again elsewhere,
//! programs in a real PTY, measured memory, and made-up streams of terminal output.

pub mod again;
mod heap;
mod program;
mod random;
mod skip;
mod streams;

pub use heap::{CountingAllocator, Heap, heap_of};
pub use program::{Program, WAIT};
pub use random::Random;
pub use skip::{SKIP_LOG, skip};
pub use streams::{Profile, StreamGen, damaged};
