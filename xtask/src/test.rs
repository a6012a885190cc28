//! `cargo xtask test`: everything that must hold, in one run.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result, ensure};

use crate::house::House;
use crate::report::{Outcome, Report};
use crate::tally::{Skip, Tally};
use crate::{deny, node, tidy, tools, web};

/// Programs that tests run, in terminals or to look at pages, with Debian's packages for each. A test whose program is
/// missing skips itself.
const PROGRAMS: [(&str, &str); 7] = [
    ("bash", "bash"),
    ("chromium", "chromium fonts-noto-cjk fonts-noto-color-emoji"),
    ("htop", "htop"),
    ("less", "less"),
    ("nano", "nano"),
    ("strace", "strace"),
    ("vim", "vim"),
];

/// Runs every step, whatever the others say, and ends with the line `N passed, N failed`.
pub(crate) fn main(house: &House, arguments: Vec<OsString>) -> Result<ExitCode> {
    ensure!(arguments.is_empty(), "`test` checks everything and takes no arguments");
    let mut report = Report::default();
    // The program has it inside, so it comes first: nothing is built twice.
    report.step("web UI", || web::build(house));
    report.step("format", || Outcome::of(&mut house.cargo(&["fmt", "--all", "--check"])));
    report.step("lints", || {
        Outcome::of(&mut house.cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    });
    report.step("documents", || {
        let mut doc = house.cargo(&["doc", "--workspace", "--no-deps"]);
        Outcome::of(doc.env("RUSTDOCFLAGS", "-D warnings"))
    });
    report.step("tidy", || tidy::check(house));
    report.step("licences and sources", || deny::licences(house));
    report.step("advisories", || deny::advisories(house));
    for package in node::packages(house) {
        report.step(&format!("node packages of {}", package.display()), || node::install(house, &package));
    }
    report.step("web UI: format, lints, types", || web::check(house));
    report.step("web UI: tests", || web::tests(house, "test"));
    report.step("programs for tests", programs);
    report.step("tests", || tests(house).unwrap_or_else(|error| Outcome::Failed(format!("{error:#}"))));
    report.step("web UI: tests in a browser", || web::tests(house, "e2e"));
    Ok(report.close())
}

/// Makes sure that the programs are there which tests run.
fn programs() -> Outcome {
    let missing: Vec<String> =
        PROGRAMS.iter().filter_map(|(tool, package)| tools::ensure(tool, package).err()).collect();
    if missing.is_empty() { Outcome::Passed } else { Outcome::Skipped(missing.join("; ")) }
}

/// Runs all tests, showing them as they come.
fn tests(house: &House) -> Result<Outcome> {
    fs::create_dir_all(&house.target)?;
    let skip_log = house.target.join("skipped-tests.log");
    fs::write(&skip_log, "").with_context(|| format!("cannot write `{}`", skip_log.display()))?;

    let mut cargo = house
        .cargo(&["test", "--workspace", "--no-fail-fast"])
        .env("ABIDE_SKIP_LOG", &skip_log)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run cargo")?;
    let output = cargo.stdout.take().context("cargo has no output")?;
    let mut tally = count(BufReader::new(output), |line| println!("{line}"))?;
    let status = cargo.wait()?;

    let skips: BTreeSet<Skip> = Skip::all(&fs::read_to_string(&skip_log)?);
    for skip in &skips {
        println!("{skip}");
    }
    tally.set_apart(&skips);
    if tally == Tally::default() && !status.success() {
        return Ok(Outcome::Failed(status.to_string()));
    }
    if tally.failed == 0 && !status.success() {
        // A test that did not build is in no count of the harness.
        tally.failed = 1;
    }
    Ok(Outcome::Counted(tally))
}

/// Sums up the harness's counts in a stream of lines, and hands every line on.
///
/// A test binary that begins and never counts was taken down by one of its tests: a failure as well.
fn count(mut output: impl BufRead, mut show: impl FnMut(&str)) -> io::Result<Tally> {
    let mut sum = Tally::default();
    let mut begun = 0;
    let mut counted = 0;
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        let text = text.strip_suffix('\n').unwrap_or(&text);
        show(text);
        if is_begin(text) {
            begun += 1;
        } else if let Some(tally) = Tally::of_line(text) {
            counted += 1;
            sum += tally;
        }
        line.clear();
    }
    sum.failed += usize::saturating_sub(begun, counted);
    Ok(sum)
}

/// Whether a test binary begins with this line: `running 3 tests`.
fn is_begin(line: &str) -> bool {
    let number = line.strip_prefix("running ").and_then(|rest| rest.split_once(" test"));
    number.is_some_and(|(number, end)| number.parse::<usize>().is_ok() && ["", "s"].contains(&end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_all_binaries_are_summed_and_every_line_is_shown() {
        let output = b"running 2 tests\n\
            test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
            \xff not UTF-8\n\
            running 6 tests\n\
            test result: FAILED. 1 passed; 1 failed; 4 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
            no newline at the end";
        let mut shown = Vec::new();
        let tally = count(&output[..], |line| shown.push(line.to_owned())).unwrap();
        assert_eq!(tally, Tally { passed: 3, failed: 1, skipped: 0 });
        assert_eq!(shown.len(), 6);
        assert_eq!(shown.last().map(String::as_str), Some("no newline at the end"));
    }

    #[test]
    fn a_binary_that_never_counted_is_a_failure() {
        let output = b"running 1 test\n\nrunning 3 tests\n\
            test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        let tally = count(&output[..], |_| ()).unwrap();
        assert_eq!(tally, Tally { passed: 3, failed: 1, skipped: 0 });
    }
}
