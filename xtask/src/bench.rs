//! `cargo xtask bench`: what we measure, in tables for `docs/benchmarks.md`.

mod goals;
mod host;
mod instructions;
mod readers;
mod recording;
mod samples;
mod server;
mod table;
mod terminal;

use std::ffi::OsString;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::house::House;

const USAGE: &str = "usage: cargo xtask bench terminal [ENGINE]...\n       cargo xtask bench readers [FILE]...\n       \
                     cargo xtask bench host [--quick]\n       cargo xtask bench recording [--quick]\n       cargo xtask bench server [--quick]";

/// Measures what the first argument names.
pub(crate) fn main(house: &House, arguments: Vec<OsString>) -> Result<ExitCode> {
    let words: Vec<&str> = arguments.iter().map(|word| word.to_str().unwrap_or_default()).collect();
    match words[..] {
        ["terminal", ref engines @ ..] => terminal::main(house, engines),
        ["readers", ref files @ ..] => readers::main(house, files),
        ["host"] => host::main(house, host::FULL),
        ["host", "--quick"] => host::main(house, host::QUICK),
        ["recording"] => recording::main(house, recording::FULL),
        ["recording", "--quick"] => recording::main(house, recording::QUICK),
        ["server"] => server::main(house, &[]),
        ["server", "--quick"] => server::main(house, &["--quick"]),
        _ => bail!("{USAGE}"),
    }
}

/// Runs a program for what it prints.
fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().display().to_string();
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot run `{name}`"))?;
    ensure!(output.status.success(), "`{name}` failed: {}", output.status);
    Ok(String::from_utf8(output.stdout)?)
}
