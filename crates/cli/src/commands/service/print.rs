//! `abide service unit`: the unit for a package.

use std::path::PathBuf;

use clap::Args;

use super::install;
use super::unit;
use crate::failure::Failure;
use crate::output;

/// Print the systemd user unit, for a package that installs it for all users
///
/// The unit uses the default data directory of the user who starts it.
#[derive(Args)]
pub(in crate::commands) struct Unit {
    /// The path where the program will be installed; by default its path now
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

impl Unit {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let program = match self.program {
            Some(program) => program,
            None => install::program()?,
        };
        output::write(unit::plain(&program, None)?)?;
        Ok(0)
    }
}
