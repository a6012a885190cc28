//! Faults that a worker must survive: a few times in every test run, and many times in `cargo xtask soak`.
//!
//! In the end, each checks that the child lives, that every byte is there, and that no process was left behind.

mod burst;
mod crowd;
mod host_kills;
mod left_behind;
mod short_lives;
mod upgrades;

pub(crate) use burst::{burst, growth_kb};
pub(crate) use crowd::crowd;
pub(crate) use host_kills::host_kills;
pub(crate) use left_behind::no_process as no_process_is_left;
pub(crate) use short_lives::short_lives;
pub(crate) use upgrades::upgrades;
