//! What the crate promises about repositories and worktrees, with the real git in sealed surroundings.

mod adding;
mod bounds;
mod killed;
mod looking;
mod moving;
mod names;
mod provisioning;
mod sandbox;
mod stopping;
mod traps;
mod trash;
mod turns;
mod victims;
mod work;
