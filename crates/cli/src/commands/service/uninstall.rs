//! `abide service uninstall`: removes the units.

use clap::Args;

use super::install;
use super::manager::{DISABLE, DISABLE_SERVICE, RELOAD, STOP};
use super::place::{self, Found};
use crate::failure::Failure;
use crate::workers;

/// Remove the systemd user units of the server
///
/// Workers keep running, and the data directory stays as it is.
#[derive(Args)]
pub(in crate::commands) struct Uninstall {
    /// First stop the service
    #[arg(long)]
    now: bool,
    /// Also remove units that abide did not write or that were changed
    #[arg(long)]
    force: bool,
}

impl Uninstall {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let directory = place::directory()?;
        let units = install::units(&workers::home()?)?;
        let found = install::look(&directory, &units)?;
        if found.iter().all(|found| *found == Found::Nothing) {
            let Some(packaged) = place::packaged(&units) else {
                eprintln!("there are no units of abide in `{}`", directory.display());
                return Ok(0);
            };
            if self.now {
                DISABLE.run()?;
            }
            eprintln!(
                "the units in `{}` belong to a package; abide does not remove them",
                packaged.display()
            );
            return Ok(0);
        }
        let paths = units.each_ref().map(|unit| directory.join(unit.name));
        let changed = paths.iter().zip(&found).find(|(_, found)| **found == Found::Changed);
        if let Some((path, _)) = changed.filter(|_| !self.force) {
            return Err(Failure::no(format!("`{}` was changed, or abide did not write it", path.display()))
                .hint("remove it with `--force`"));
        }
        if self.now {
            let [socket, _] = &found;
            if *socket == Found::Nothing { DISABLE_SERVICE.run()? } else { DISABLE.run()? }
        }
        for (path, _) in paths.iter().zip(&found).filter(|(_, found)| **found != Found::Nothing) {
            place::remove(path)?;
        }
        if self.now {
            return RELOAD.run().map(|()| 0);
        }
        eprintln!("removed; if the service runs, stop it with `{}`, then:", STOP.line());
        eprintln!("  {}", RELOAD.line());
        Ok(0)
    }
}
