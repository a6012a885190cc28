//! `abide man`: the manual pages.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, CommandFactory};

use super::Abide;
use crate::failure::Failure;
use crate::output;

/// Print abide's manual page, or write the pages of all commands
///
/// `abide man | man -l -` shows it.
#[derive(Args)]
pub(super) struct Man {
    /// Write the pages of abide and all its commands into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Man {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let command = Abide::command();
        match self.out {
            None => {
                let mut page = Vec::new();
                clap_mangen::Man::new(command).render(&mut page).context("cannot make the page")?;
                output::write(page)?;
            }
            Some(directory) => {
                let written = std::fs::create_dir_all(&directory)
                    .and_then(|()| clap_mangen::generate_to(command, &directory));
                written
                    .with_context(|| format!("cannot write pages into `{}`", directory.display()))
                    .map_err(|error| Failure::from(error).hint("name a directory that you can write to"))?;
            }
        }
        Ok(0)
    }
}
