//! The laws of the tests, judged on what a fuzzer finds.
//!
//! `cargo +nightly fuzz run proof` in `crates/proof`, with `cargo install cargo-fuzz`.

#![no_main]

#[path = "../check.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::foreign_bytes_are_judged(bytes));
