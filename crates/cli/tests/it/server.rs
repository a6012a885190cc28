//! The server: the real program, a real client, real git, real hosts.

mod access;
mod adoption;
mod alone;
mod browser;
mod dialects;
mod disk;
mod every_route;
mod first;
mod git_rows;
mod given;
mod guests;
mod health;
mod held;
mod import;
mod kills;
mod left;
mod names;
mod provisioning;
mod raw;
mod rebuilt;
mod recordings;
mod repositories;
mod sessions;
mod starts;
mod stopped;
mod tasks;
mod trust;
mod viewers;
mod workers;
mod workshop;
mod worktrees;

pub(crate) use kills::kills;
pub(crate) use testkit::Repository;
pub(crate) use testkit::server::{Answer, Server, Socket};
pub(crate) use viewers::crowd;
pub(crate) use workshop::{Workshop, place};
