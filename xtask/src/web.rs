//! The web UI in `web/`: installed, built, checked and tested with Node.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};

use crate::house::House;
use crate::node;
use crate::report::Outcome;
use crate::tally::Tally;

/// Where it is.
const PLACE: &str = "web";

/// `cargo xtask web`: builds it, so that the next build of abide has it inside.
pub(crate) fn main(house: &House, arguments: Vec<OsString>) -> Result<ExitCode> {
    ensure!(arguments.is_empty(), "`web` builds the web UI and takes no arguments");
    match build(house) {
        Outcome::Failed(why) | Outcome::Skipped(why) => bail!("the web UI is not built: {why}"),
        Outcome::Passed | Outcome::Counted(_) => Ok(ExitCode::SUCCESS),
    }
}

/// Installs what it needs, and builds it.
pub(crate) fn build(house: &House) -> Outcome {
    match node::install(house, Path::new(PLACE)) {
        // What `./run` prints is the server's.
        Outcome::Passed => Outcome::of(npm(house, "build").stdout(io::stderr())),
        other => other,
    }
}

/// Format, lints, types, and whether those of the API are the server's.
pub(crate) fn check(house: &House) -> Outcome {
    if_installed(house, || Outcome::of(&mut npm(house, "check")))
}

/// Runs its tests: `test` for those of its parts, `e2e` for those in a browser with the program that was built.
pub(crate) fn tests(house: &House, script: &str) -> Outcome {
    let counted = || -> Result<Outcome> {
        let report = house.target.join(format!("web-{script}.json"));
        // What an earlier run said is not this one's.
        let _ = fs::remove_file(&report);
        let mut npm = npm(house, script);
        npm.args(["--", "--reporter=default", "--reporter=json"]);
        npm.arg(format!("--outputFile.json={}", report.display()));
        npm.env("ABIDE", house.target.join("debug/abide"));
        let status = npm.status().context("cannot run npm")?;
        let Ok(text) = fs::read_to_string(&report) else { return Ok(Outcome::Failed(status.to_string())) };
        let mut tally = tally(&text)?;
        if tally.failed == 0 && !status.success() {
            // What went wrong outside of every test is in no count.
            tally.failed = 1;
        }
        Ok(Outcome::Counted(tally))
    };
    if_installed(house, || counted().unwrap_or_else(|error| Outcome::Failed(format!("{error:#}"))))
}

/// Reads the report of a run.
fn tally(report: &str) -> Result<Tally> {
    let report: serde_json::Value = serde_json::from_str(report).context("the tests' report is no JSON")?;
    let count = |name: &str| -> Result<usize> {
        let number = report[name].as_u64().with_context(|| format!("the tests' report has no `{name}`"))?;
        Ok(usize::try_from(number)?)
    };
    let skipped = count("numPendingTests")? + count("numTodoTests")?;
    Ok(Tally { passed: count("numPassedTests")?, failed: count("numFailedTests")?, skipped })
}

fn if_installed(house: &House, step: impl FnOnce() -> Outcome) -> Outcome {
    match house.root.join(PLACE).join("node_modules").exists() {
        true => step(),
        false => Outcome::Skipped("its node packages are not installed".to_owned()),
    }
}

fn npm(house: &House, script: &str) -> Command {
    let mut npm = house.program("npm");
    npm.args(["run", "--silent", script]).current_dir(house.root.join(PLACE));
    npm
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_counted() {
        let report = r#"{"numPassedTests": 3, "numFailedTests": 1, "numPendingTests": 2, "numTodoTests": 0}"#;
        assert_eq!(tally(report).unwrap(), Tally { passed: 3, failed: 1, skipped: 2 });
        assert!(tally("{}").is_err());
    }
}
