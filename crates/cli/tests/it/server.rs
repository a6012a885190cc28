//! The server: the real program, a real client, real git, real hosts.

mod access;
mod adoption;
mod alone;
mod browser;
mod client;
mod dialects;
mod disk;
mod every_route;
mod first;
mod git_rows;
mod health;
mod import;
mod kills;
mod names;
mod provisioning;
mod raw;
mod rebuilt;
mod recordings;
mod repositories;
mod repository;
mod sessions;
mod socket;
mod starts;
mod tasks;
mod trust;
mod viewers;
mod workers;
mod workshop;
mod worktrees;

pub(crate) use client::{Answer, Server};
pub(crate) use kills::kills;
pub(crate) use repository::Repository;
pub(crate) use socket::Socket;
pub(crate) use viewers::crowd;
pub(crate) use workshop::{Workshop, place};
