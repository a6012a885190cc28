//! `abide service unit`: the units for a package.

use std::path::PathBuf;

use clap::Args;

use super::install;
use super::unit;
use crate::failure::Failure;
use crate::output;
use crate::settings::Settings;

/// Print a systemd user unit, for a package that installs it for all users
///
/// Without `--socket` it is abide.service, which uses the default data directory of the user who starts it. A package
/// needs both.
#[derive(Args)]
pub(in crate::commands) struct Unit {
    /// The path where the program will be installed; by default its path now
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Print abide.socket, by which systemd holds the server's default port
    #[arg(long, conflicts_with = "program")]
    socket: bool,
}

impl Unit {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let program = match self.program {
            Some(program) => program,
            None => install::program()?,
        };
        let [socket, service] = unit::units(&program, None, Settings::default().listen)?;
        output::write(if self.socket { socket.text } else { service.text })?;
        Ok(0)
    }
}
