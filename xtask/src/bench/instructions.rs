//! Instructions for each byte, counted by callgrind: the same on a busy machine as on an idle one.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};

use super::output;
use crate::house::House;
use crate::tools;

/// The function whose instructions are counted.
const COUNTED: &str = "--toggle-collect=*measured*";

/// Builds the program that feeds streams to engines.
pub(super) fn build(house: &House) -> Result<PathBuf> {
    tools::ensure("valgrind", "valgrind").map_err(|why| anyhow!(why))?;
    let built = house
        .cargo(&["build", "--release", "--package", "terminal", "--example", "bench"])
        .status()
        .context("cannot run cargo")?;
    ensure!(built.success(), "the benchmark does not build; the compiler's words are above");
    Ok(house.target.join("release/examples/bench"))
}

/// What an engine needs for each byte of a stream, with one decimal.
pub(super) fn for_each_byte(house: &House, program: &Path, engine: &str, stream: &str) -> Result<String> {
    eprintln!("counting {engine} on {stream}");
    let counts = house.target.join("callgrind.out");
    let mut out_file = OsString::from("--callgrind-out-file=");
    out_file.push(&counts);
    let mut valgrind = house.program("valgrind");
    valgrind
        .args(["-q", "--tool=callgrind", COUNTED])
        .arg(out_file)
        .arg(program)
        .args(["feed", engine, stream]);
    let bytes: f64 =
        output(&mut valgrind)?.trim().parse().context("the benchmark tells how many bytes it fed")?;
    let counts =
        fs::read_to_string(&counts).with_context(|| format!("cannot read `{}`", counts.display()))?;
    let total = total(&counts).context("callgrind tells how many instructions it counted")?;
    Ok(format!("{:.1}", total / bytes))
}

/// The sum in a callgrind file.
fn total(counts: &str) -> Option<f64> {
    let line = counts
        .lines()
        .find_map(|line| line.strip_prefix("totals:").or_else(|| line.strip_prefix("summary:")));
    line?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_found_in_callgrinds_file() {
        assert_eq!(total("events: Ir\n\nfn=(1) main\n5 7\n\ntotals: 73537112\n"), Some(73_537_112.0));
        assert_eq!(total("events: Ir\n"), None);
    }
}
