//! `cargo xtask soak`: the long forms of tests, which find faults that a few minutes of tests can miss.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::house::House;

/// Enough to meet rare combinations, in a few minutes.
const SEQUENCES: &str = "10000000";

/// Runs one soak or all: `[terminal [SEQUENCES [SEED]] | recording | host [TEST] | server [TEST] | doors]`.
pub(crate) fn main(house: &House, arguments: Vec<OsString>) -> Result<ExitCode> {
    let words: Vec<&str> = arguments.iter().map(|word| word.to_str().unwrap_or_default()).collect();
    let held = match words[..] {
        [] => {
            holds(terminal(house, &[]))?
                & holds(recording(house))?
                & holds(host(house, &[]))?
                & holds(server(house, &[]))?
        }
        ["recording"] => holds(recording(house))?,
        ["terminal", ref numbers @ ..] => holds(terminal(house, numbers))?,
        ["host", ref names @ ..] => holds(host(house, names))?,
        ["server", ref names @ ..] => holds(server(house, names))?,
        ["doors"] => holds(server(house, &[DOORS]))?,
        _ => bail!(
            "usage: cargo xtask soak [terminal [SEQUENCES [SEED]] | recording | host [TEST] | server [TEST] | doors]"
        ),
    };
    Ok(if held { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn holds(mut soak: Command) -> Result<bool> {
    Ok(soak.status().context("cannot run cargo")?.success())
}

/// The laws of the terminal on millions of sequences; the numbers are how many and the first seed, if not the usual ones.
fn terminal(house: &House, numbers: &[&str]) -> Command {
    let mut cargo = house.cargo(&["run", "--release", "--package", "terminal", "--example", "soak", "--"]);
    cargo.args(if numbers.is_empty() { &[SEQUENCES] } else { numbers });
    cargo
}

/// Damage of every kind to segments, more than a million times.
fn recording(house: &House) -> Command {
    let mut cargo = house.cargo(&["test", "--release", "--package", "recording", "--test", "it"]);
    cargo.args(["soak_", "--", "--ignored", "--nocapture"]);
    cargo
}

/// What hosts must survive, hundreds of times; a name chooses one of the tests.
fn host(house: &House, names: &[&str]) -> Command {
    let mut cargo = whole_program(house, "soak::", names);
    cargo.args(["--skip", SERVER]);
    cargo
}

/// What the server must survive, a thousand times; a name chooses one of the tests. Each prints the seed of its choices.
fn server(house: &House, names: &[&str]) -> Command {
    whole_program(house, SERVER, names)
}

/// The test in which many who are hostile meet one owner.
const DOORS: &str = "s19_";

/// Where the tests of the server are.
const SERVER: &str = "soak::server::";

/// Tests of the whole program, one at a time: each wants the machine for itself.
fn whole_program(house: &House, under: &str, names: &[&str]) -> Command {
    let mut cargo = house.cargo(&["test", "--release", "--package", "cli", "--test", "it"]);
    cargo.arg(format!("{under}{}", names.first().unwrap_or(&"")));
    cargo.args(["--", "--ignored", "--nocapture", "--test-threads", "1"]);
    cargo
}
