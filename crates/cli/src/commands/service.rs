//! `abide service`: the server as a service of the user.

mod install;
mod manager;
mod place;
mod print;
mod status;
mod uninstall;
mod unit;

use clap::Subcommand;

use crate::failure::Failure;

/// Start the server with your login, as a systemd user service
#[derive(Subcommand)]
pub(super) enum Service {
    Install(install::Install),
    Uninstall(uninstall::Uninstall),
    Status(status::Status),
    Unit(print::Unit),
}

impl Service {
    pub(super) fn run(self) -> Result<u8, Failure> {
        match self {
            Service::Install(install) => install.run(),
            Service::Uninstall(uninstall) => uninstall.run(),
            Service::Status(status) => status.run(),
            Service::Unit(unit) => unit.run(),
        }
    }
}
