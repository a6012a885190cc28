//! The laws of the tests, judged on what a fuzzer finds.
//!
//! `cargo +nightly fuzz run grammar` in `crates/grammar`, with `cargo install cargo-fuzz`.

#![no_main]

#[path = "../../tests/it/check.rs"]
mod check;
#[path = "../../tests/it/tokens.rs"]
mod tokens;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // The first byte says how the rest is split.
    let Some((&longest, bytes)) = bytes.split_first() else { return };
    let pieces: Vec<&[u8]> = bytes.chunks(usize::from(longest).max(1)).collect();
    check::any_split_gives_the_same(bytes, &pieces);
    check::places_tile(bytes);
});
