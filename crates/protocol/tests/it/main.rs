//! The language, byte by byte, and its laws.

mod damage;
mod exact_bytes;
mod frames_fixture;
mod fuzz;
mod laws;
mod messages;
mod skipped;
