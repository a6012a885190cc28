//! `abide session`: places of work, and the workers in them.

mod from_hosts;
mod import;
mod ls;
mod rm;

use clap::Subcommand;

use crate::failure::Failure;

/// List, import and end sessions
///
/// A session is a place of work, a worktree or a directory, with the workers in it. Name a session by the beginning of
/// its id or of its title. All commands except `ls` need the server: start it with `abide serve`.
#[derive(Subcommand)]
pub(super) enum Session {
    Ls(ls::Ls),
    Import(import::Import),
    Rm(rm::Rm),
}

impl Session {
    pub(super) fn run(self) -> Result<u8, Failure> {
        match self {
            Session::Ls(ls) => ls.run(),
            Session::Import(import) => import.run(),
            Session::Rm(rm) => rm.run(),
        }
    }
}
