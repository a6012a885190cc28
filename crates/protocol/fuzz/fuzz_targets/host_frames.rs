//! We read any bytes of a host without a panic, and every message that we understand comes back when we write it.
//!
//! `cargo +nightly fuzz run host_frames` in `crates/protocol`, with `cargo install cargo-fuzz`.

#![no_main]

#[expect(dead_code, reason = "the other direction has a target of its own")]
#[path = "../../tests/it/fuzz.rs"]
mod fuzz;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::host_frames(bytes));
