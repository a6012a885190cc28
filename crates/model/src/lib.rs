//! Our words as types: data and pure functions that every other crate shares.
//!
//! Nothing here opens a file, reads a clock or knows another crate of ours.

mod term_size;

pub use term_size::{ParseTermSizeError, TermSize};
