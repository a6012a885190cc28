//! Any bytes of a host are read without a panic, and what was understood is understood again when it is written.
//!
//! `cargo +nightly fuzz run host_frames` in `crates/protocol`, with `cargo install cargo-fuzz`.

#![no_main]

#[expect(dead_code, reason = "the other direction has a target of its own")]
#[path = "../../tests/it/fuzz.rs"]
mod fuzz;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::host_frames(bytes));
