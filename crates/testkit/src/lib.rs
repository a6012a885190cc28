//! What tests of several crates share: skipping aloud, programs in a real PTY, and
//! made-up streams of terminal output.

mod program;
mod random;
mod skip;
mod streams;

pub use program::{Program, WAIT};
pub use random::Random;
pub use skip::{SKIP_LOG, skip};
pub use streams::{Profile, StreamGen, damaged};
