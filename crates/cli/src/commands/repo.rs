//! `abide repo`: the repositories that tasks are for.

mod add;
mod agree;
mod ls;
mod rm;

use clap::Subcommand;

use crate::failure::Failure;

/// Register repositories, so that tasks can use them
///
/// Needs the server: start it with `abide serve`. Name a repository by its name, or by the beginning of its id.
#[derive(Subcommand)]
pub(super) enum Repo {
    Add(add::Add),
    Ls(ls::Ls),
    Agree(agree::Agree),
    Rm(rm::Rm),
}

impl Repo {
    pub(super) fn run(self) -> Result<u8, Failure> {
        match self {
            Repo::Add(add) => add.run(),
            Repo::Ls(ls) => ls.run(),
            Repo::Agree(agree) => agree.run(),
            Repo::Rm(rm) => rm.run(),
        }
    }
}
