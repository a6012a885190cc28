//! Masks and search, over the recordings of made-up workers.

mod house;
mod log;
mod masks;
mod search;
