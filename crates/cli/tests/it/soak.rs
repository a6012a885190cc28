//! The long forms, for `cargo xtask soak`: too slow for every test run, so only on request.

mod server;

use crate::{calls, hardships};

#[test]
#[ignore = "takes minutes; `cargo xtask soak host` runs it"]
fn p3_two_hundred_killed_hosts_lose_no_child() {
    hardships::host_kills(200);
}

#[test]
#[ignore = "takes minutes; `cargo xtask soak host` runs it"]
fn p5_a_thousand_upgrades_under_load_keep_child_bytes_and_viewers() {
    hardships::upgrades(1000);
}

#[test]
#[ignore = "takes minutes; `cargo xtask soak host` runs it"]
fn c4_every_byte_of_a_thousand_children_that_exit_at_once_arrives() {
    hardships::short_lives(1000, 8);
}

#[test]
#[ignore = "takes minutes; `cargo xtask soak host` runs it"]
fn o1_a_burst_of_a_gigabyte_is_bounded_in_memory() {
    // All numbers up to this one, a line each, are a gigabyte.
    hardships::burst(102_000_000);
}

#[test]
#[ignore = "takes minutes; `cargo xtask soak host` runs it"]
fn three_hundred_workers_at_once_with_three_viewers_each() {
    hardships::crowd(300, 3);
}

#[test]
#[ignore = "takes minutes; `cargo xtask soak host` runs it"]
fn d12_a_start_in_which_any_call_up_to_the_fortieth_fails_ends_in_an_error_or_in_a_worker() {
    calls::starts(40);
}

#[test]
#[ignore = "takes minutes; `cargo xtask soak host` runs it"]
fn d12_a_host_in_which_any_call_up_to_the_fortieth_fails_goes_on() {
    calls::lives(40);
}
