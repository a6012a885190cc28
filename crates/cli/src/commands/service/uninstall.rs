//! `abide service uninstall`: removes the unit.

use clap::Args;

use super::install;
use super::manager::{DISABLE, RELOAD};
use super::place::{self, Found};
use super::unit;
use crate::failure::Failure;

/// Remove the systemd user unit of the server
///
/// Workers keep running, and the data directory stays as it is.
#[derive(Args)]
pub(in crate::commands) struct Uninstall {
    /// First stop the service
    #[arg(long)]
    now: bool,
    /// Also remove a unit that abide did not write or that was changed
    #[arg(long)]
    force: bool,
}

impl Uninstall {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let path = place::path()?;
        match place::look(&path)? {
            Found::Nothing => {
                let Some(packaged) = place::packaged(&unit::plain(&install::program()?, None)?) else {
                    eprintln!("there is no unit in `{}`", path.display());
                    return Ok(0);
                };
                if self.now {
                    DISABLE.run()?;
                }
                eprintln!("`{}` belongs to a package; abide does not remove it", packaged.display());
                return Ok(0);
            }
            Found::Changed if !self.force => {
                return Err(Failure::no(format!(
                    "`{}` was changed, or abide did not write it",
                    path.display()
                ))
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
        eprintln!("removed; if the service runs, stop it with `systemctl --user stop abide`, then:");
        eprintln!("  {}", RELOAD.line());
        Ok(0)
    }
}
