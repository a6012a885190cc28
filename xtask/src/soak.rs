//! `cargo xtask soak`: the laws of the terminal on millions of sequences.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::house::House;

/// Enough to meet rare combinations, in a few minutes.
const SEQUENCES: &str = "10000000";

/// Runs the soak; the arguments are the number of sequences and the first seed, if not the usual ones.
pub(crate) fn main(house: &House, arguments: Vec<OsString>) -> Result<ExitCode> {
    let mut cargo = house.cargo(&["run", "--release", "--package", "terminal", "--example", "soak", "--"]);
    if arguments.is_empty() {
        cargo.arg(SEQUENCES);
    }
    let status = cargo.args(arguments).status().context("cannot run cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
