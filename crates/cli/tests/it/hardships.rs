//! What a worker must survive, as often as asked: a few times in every test run, for long in `cargo xtask soak`.
//!
//! Each ends by looking whether the child lived on, whether every byte is there, and whether anybody was left behind.

mod burst;
mod crowd;
mod host_kills;
mod left_behind;
mod short_lives;
mod upgrades;

pub(crate) use burst::{burst, growth_kb};
pub(crate) use crowd::crowd;
pub(crate) use host_kills::host_kills;
pub(crate) use left_behind::nobody as nobody_is_left;
pub(crate) use short_lives::short_lives;
pub(crate) use upgrades::upgrades;
