//! `cargo xtask demo`: makes the moving picture in the README.
//!
//! It starts a real shell in a worker, types into it as a person would, and exports the recording. The typed commands use
//! abide too, with a data directory of their own.

mod stage;

use std::ffi::OsString;
use std::path::absolute;
use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::house::House;
use stage::Stage;

/// Where the picture is put.
const PICTURE: &str = "docs/demo.svg";

/// Lets go of a worker: Ctrl-\ d.
const DETACH: &str = "\u{1c}d";

/// Types the whole demo, and writes the picture. An argument is the path of abide; without one it is built.
pub(crate) fn main(house: &House, arguments: Vec<OsString>) -> Result<ExitCode> {
    let abide = match arguments.as_slice() {
        [] => house.build_abide()?,
        [abide] => absolute(abide)?,
        _ => bail!("`demo` takes the path of abide, or nothing"),
    };
    let mut stage = Stage::open(abide)?;
    stage.types("# A worker is a terminal that stays.")?;
    stage.types("abide new --name tests -- ./tests.sh")?;
    stage.sees("16 of 240")?;
    stage.presses(DETACH)?;
    stage.sees("detached from tests")?;
    stage.types("abide ls")?;
    stage.sees("NAME")?;
    stage.types("# Now kill the process that holds it:")?;
    stage.types("kill -9 $(abide ls --json | jq .[].host.hostPid)")?;
    stage.types("abide attach tests")?;
    stage.looks(5_000)?;
    stage.presses(DETACH)?;
    stage.types("# Still running. Everything it ever printed can be searched, and played:")?;
    stage.types("abide search panicked")?;
    stage.looks(1_500)?;
    stage.types("abide replay tests")?;
    stage.looks(7_000)?;
    stage.presses("q")?;
    stage.looks(500)?;
    let bytes = stage.export(&house.root.join(PICTURE))?;
    println!("wrote {PICTURE}, {bytes} bytes");
    Ok(ExitCode::SUCCESS)
}
