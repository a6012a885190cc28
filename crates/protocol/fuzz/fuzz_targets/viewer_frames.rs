//! Any bytes of a viewer are read without a panic, and what was understood is understood again when it is written.
//!
//! `cargo +nightly fuzz run viewer_frames` in `crates/protocol`, with `cargo install cargo-fuzz`.

#![no_main]

#[expect(dead_code, reason = "the other direction has a target of its own")]
#[path = "../../tests/it/fuzz.rs"]
mod fuzz;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::viewer_frames(bytes));
