//! Random output from fixed seeds: the laws hold, and nothing grows beyond its bounds.
//!
//! `crates/terminal/fuzz` judges a fuzzer's output by the same laws, and `cargo xtask soak` millions of sequences.

mod fuzz;
mod laws;
mod life;
mod shrink;
mod sources;

use laws::{Failure, Law};
use life::ScriptedTerminal;
use sources::Sources;
use testkit::Random;

/// So many lives are tried for each law: about ten seconds of a development build.
const LIVES: u64 = 20_000;

/// The longest output of a life.
const LENGTH: usize = 1500;

/// At most one life in so many may end in a state that no snapshot reaches.
const VOID_ONE_IN: u64 = 100;

/// Tries a law on many lives. A life that breaks it is shown at its shortest.
#[track_caller]
fn check(law: Law) {
    let sources = Sources::read();
    let mut void = 0;
    for seed in 0..LIVES {
        let life = ScriptedTerminal::new(seed, sources.output(seed, LENGTH));
        match shrink::judge(law, &life) {
            Ok(()) => {}
            Err(Failure::Void) => void += 1,
            Err(Failure::Broken(_)) => {
                let life = shrink::shortest(law, &life);
                let broken = shrink::broken(law, &life).unwrap_or_default();
                panic!("seed {seed}, at its shortest {life}\n{broken}");
            }
        }
    }
    assert!(void <= LIVES / VOID_ONE_IN, "{void} of {LIVES} lives are void");
}

#[test]
fn o2_any_split_gives_the_same_screen() {
    check(laws::any_split_gives_the_same_terminal);
}

#[test]
fn o3_a_snapshot_then_the_rest_equals_the_whole() {
    check(laws::a_snapshot_rebuilds_the_terminal);
}

#[test]
fn o3_a_screen_snapshot_redraws_what_a_viewer_showed_before() {
    check(laws::a_screen_snapshot_redraws_the_screen);
}

#[test]
fn s21_snapshots_draw_no_reply() {
    check(laws::snapshots_are_silent);
}

#[test]
fn s25_any_input_is_parsed_in_bounds() {
    check(laws::everything_stays_bounded);
}

#[test]
fn any_bytes_are_input_for_the_fuzz_target() {
    let mut random = Random::new(0);
    for length in 0..300 {
        let bytes: Vec<u8> = (0..length).map(|_| random.number() as u8).collect();
        fuzz::check(&bytes);
    }
}
