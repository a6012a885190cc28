//! Faults that the server must survive, for `cargo xtask soak server`.

use crate::server;

#[test]
#[ignore = "takes minutes; `cargo xtask soak server` runs it"]
fn p1_p11_a_thousand_killed_servers_lose_nothing_and_leave_nothing() {
    server::kills(1000);
}

#[test]
#[ignore = "takes minutes; `cargo xtask soak server` runs it"]
fn v4_a_hundred_workers_with_five_viewers_each_are_all_shown_and_cost_little() {
    server::crowd(100, 5);
}

#[test]
#[ignore = "takes minutes; `cargo xtask soak doors` runs it"]
fn s19_a_thousand_strangers_and_fifty_guests_keep_no_owner_waiting() {
    server::hostility(1000, 50);
}
