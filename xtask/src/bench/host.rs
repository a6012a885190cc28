//! `cargo xtask bench host`: our host beside the raw PTY and tmux, and beside its goals.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, anyhow, ensure};

use super::samples::Samples;
use super::{goals, output};
use crate::house::House;
use crate::tools;

/// How much is measured: options of termbench.
pub(super) type Amount = &'static [&'static str];

/// Enough for the tables, in about ten minutes.
pub(super) const FULL: Amount = &["--rounds", "3", "--mb", "50", "--sessions", "100", "--idle-secs", "30"];

/// Enough to see that nothing is broken, in one or two minutes.
pub(super) const QUICK: Amount =
    &["--rounds", "1", "--mb", "20", "--secs", "2", "--keys", "300", "--sessions", "20", "--idle-secs", "5"];

/// The programs that are needed, and Debian's packages with them.
const TOOLS: [(&str, &str); 3] = [("python3", "python3"), ("cc", "build-essential"), ("tmux", "tmux")];

/// How termbench writes that a host was seen to work.
const HOST: &str = ": abide-host host ";

/// Measures, and prints both tables.
pub(super) fn main(house: &House, amount: Amount) -> Result<ExitCode> {
    for (tool, package) in TOOLS {
        tools::ensure(tool, package).map_err(|why| anyhow!(why))?;
    }
    let abide = house.build_abide()?;

    let seen = output(termbench(house, &abide).args(["--check", "--systems", "abide"]))?;
    ensure!(
        sees_the_host(&seen),
        "the measures would miss our hosts: no `abide-host host` that worked is among\n{seen}"
    );
    eprint!("{seen}");

    let samples = house.target.join("bench/samples.tsv");
    let mut run = termbench(house, &abide);
    run.args(["--systems", "raw,tmux,abide", "--streams", "ascii,sgr,unicode,tui"]).args(amount);
    println!("{}", output(run.arg("--samples").arg(&samples))?);
    let samples =
        fs::read_to_string(&samples).with_context(|| format!("cannot read `{}`", samples.display()))?;
    print!("{}", goals::table(&Samples::read(&samples)?));
    Ok(ExitCode::SUCCESS)
}

fn termbench(house: &House, abide: &Path) -> Command {
    let mut variable = OsString::from("abide=");
    variable.push(abide);
    let mut command = house.program("python3");
    command.args(["bench/termbench.py", "--systems-file", "bench/abide.json", "--var"]).arg(variable);
    command.arg("--work").arg(house.target.join("bench"));
    command
}

/// Whether processor time of a host is among what is counted.
fn sees_the_host(seen: &str) -> bool {
    seen.lines().any(|line| line.contains(HOST) && !line.contains(", 0.0 ms cpu"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_counts_as_measured_only_if_it_used_cpu_time() {
        let keeper = "abide: pid 12, 3.0 ms cpu, 0.93 MB PSS: abide-host keeper\n";
        let idle = "abide: pid 11, 0.0 ms cpu, 2.88 MB PSS: abide-host host /tmp/x\n";
        let host = "abide: pid 11, 276.1 ms cpu, 2.88 MB PSS: abide-host host /tmp/x\n";
        assert!(!sees_the_host(""));
        assert!(!sees_the_host(&format!("{keeper}{idle}")));
        assert!(sees_the_host(&format!("{keeper}{host}")));
    }
}
