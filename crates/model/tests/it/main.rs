//! The pure functions of this crate on any input.

mod as_seen;
mod as_seen_laws;
