//! The laws of the random tests, judged on what a fuzzer finds.
//!
//! `cargo +nightly fuzz run terminal` in `crates/terminal`, with `cargo install cargo-fuzz`.

#![no_main]

#[path = "../../tests/random/fuzz.rs"]
mod fuzz;
#[path = "../../tests/random/laws.rs"]
mod laws;
#[path = "../../tests/random/life.rs"]
mod life;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::check(bytes));
