//! The laws of a command as a person sees it, judged on what a fuzzer finds.
//!
//! `cargo +nightly fuzz run as_seen` in `crates/model`, with `cargo install cargo-fuzz`.

#![no_main]

#[path = "../../tests/it/as_seen_laws.rs"]
mod as_seen_laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    as_seen_laws::check(&String::from_utf8_lossy(bytes));
});
