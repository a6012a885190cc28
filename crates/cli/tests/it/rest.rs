//! Recordings come to rest: sealed, masked, within bounds.

mod planted;
mod sealing;
