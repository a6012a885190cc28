//! `abide service uninstall`: the unit is removed.

use clap::Args;

use super::manager::{DISABLE, RELOAD};
use super::place::{self, Found};
use crate::failure::Failure;

/// Remove the systemd user unit of the server
///
/// Terminals go on, and what is in the data directory stays.
#[derive(Args)]
pub(in crate::commands) struct Uninstall {
    /// End the service first
    #[arg(long)]
    now: bool,
    /// Also a unit that somebody else wrote or changed
    #[arg(long)]
    force: bool,
}

impl Uninstall {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let path = place::path()?;
        match place::look(&path)? {
            Found::Nothing => {
                eprintln!("there is no unit in `{}`", path.display());
                return Ok(0);
            }
            Found::Changed if !self.force => {
                return Err(Failure::no(format!("`{}` is not as abide wrote it", path.display()))
                    .hint("remove it with `--force`"));
            }
            Found::AsWritten(_) | Found::Changed => {}
        }
        if self.now {
            DISABLE.run()?;
        }
        place::remove(&path)?;
        if self.now {
            return RELOAD.run().map(|()| 0);
        }
        eprintln!("removed; a service that runs is ended with `systemctl --user stop abide`, then:");
        eprintln!("  {}", RELOAD.line());
        Ok(0)
    }
}
