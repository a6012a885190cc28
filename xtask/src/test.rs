//! `cargo xtask test`: everything that must hold, in one run.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::binaries::{TestBinary, log_to, side_by_side};
use crate::house::House;
use crate::report::{Outcome, Report};
use crate::tally::{Skip, Tally};
use crate::{deny, dist, doc_examples, node, results, tidy, tools, web};

/// Programs that tests run, in terminals or to look at pages, with Debian's packages for each. A test whose program is
/// missing skips itself.
const PROGRAMS: [(&str, &str); 10] = [
    ("bash", "bash"),
    ("chromium", "chromium"),
    ("fish", "fish"),
    ("htop", "htop"),
    ("less", "less"),
    ("man", "man-db"),
    ("nano", "nano"),
    ("strace", "strace"),
    ("vim", "vim"),
    ("zsh", "zsh"),
];

/// Families of fonts in which tests look at pages and pictures, with Debian's packages for each.
const FONTS: [(&str, &str); 3] = [
    ("DejaVu Sans Mono", "fontconfig fonts-dejavu-core"),
    ("Noto Sans Mono CJK SC", "fontconfig fonts-noto-cjk"),
    ("Noto Color Emoji", "fontconfig fonts-noto-color-emoji"),
];

/// Runs every step, even if others fail, and ends with the line `N passed, N failed`.
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
    report.step("programs and fonts for tests", programs);
    report.step("tests", || tests(house).unwrap_or_else(|error| Outcome::Failed(format!("{error:#}"))));
    report.step("packages", || dist::check_built(house));
    Ok(report.close())
}

/// Makes sure that the programs are there which tests run, and the fonts that they show.
fn programs() -> Outcome {
    let programs = PROGRAMS.iter().map(|(tool, packages)| tools::ensure(tool, packages));
    let fonts = FONTS.iter().map(|(family, packages)| tools::ensure_font(family, packages));
    let missing: Vec<String> = programs.chain(fonts).filter_map(Result::err).collect();
    if missing.is_empty() { Outcome::Passed } else { Outcome::Skipped(missing.join("; ")) }
}

/// Runs all tests, and shows the output of each binary when that has ended. The tests in a browser run beside them: they
/// wait most of the time.
fn tests(house: &House) -> Result<Outcome> {
    let skip_log = house.target.join("skipped-tests.log");
    fs::create_dir_all(&house.target)?;
    fs::write(&skip_log, "").with_context(|| format!("cannot write `{}`", skip_log.display()))?;

    let binaries = TestBinary::build_all(house)?;
    let sum = Mutex::new((Tally::default(), BTreeMap::new()));
    let logs = house.target.join("tests");
    let mut runs: Vec<(String, Command, PathBuf)> =
        binaries.iter().map(|binary| (binary.name.clone(), binary.command(&[]), binary.log(&logs))).collect();
    if doc_examples::any(&house.root.join("crates")) {
        let documents = house.cargo(&["test", "--workspace", "--doc", "--no-fail-fast"]);
        runs.push(("examples in documents".to_owned(), documents, logs.join("documents.log")));
    }
    let run_all = || {
        side_by_side(runs, |(name, mut command, log)| {
            command.env("ABIDE_SKIP_LOG", &skip_log);
            println!("    begins: {name}");
            let (tally, failed) = run(&name, &mut command, &log).unwrap_or_else(|error| {
                println!("{name}: {error:#}");
                let failed = BTreeMap::from([(name, format!("{error:#}"))]);
                (Tally { failed: 1, ..Tally::default() }, failed)
            });
            let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
            sum.0 += tally;
            sum.1.extend(failed);
        });
    };
    let in_browser = thread::scope(|scope| {
        let in_browser = scope.spawn(|| web::tests_in_one_piece(house, "e2e", &logs.join("browser.log")));
        run_all();
        in_browser.join().unwrap_or_else(|_| Outcome::Failed("a panic of our own".to_owned()))
    });
    let (mut tally, failures) = sum.into_inner().unwrap_or_else(PoisonError::into_inner);

    let skips: BTreeSet<Skip> = Skip::all(&fs::read_to_string(&skip_log)?);
    for skip in &skips {
        println!("{skip}");
    }
    tally.set_apart(&skips);
    Ok(Outcome::Counted { tally, failures }.and("web UI: tests in a browser", in_browser))
}

/// Runs one test binary with its output in a file, shows that in one piece, counts, and gives the output of the tests that
/// failed.
fn run(name: &str, command: &mut Command, log: &Path) -> Result<(Tally, BTreeMap<String, String>)> {
    log_to(command, log)?;
    let started = Instant::now();
    let status = command.status()?;
    let output = fs::read(log)?;
    let mut tally = count(&output[..], |_| ())?;
    let mut failures = results::failures(&String::from_utf8_lossy(&output));
    if tally.failed == 0 && !status.success() {
        // A binary that ends with an error after its tests have passed is in no count of the harness.
        tally.failed = 1;
    }
    if tally.failed > 0 && failures.is_empty() {
        failures.insert(name.to_owned(), format!("ended with {status}; see `{}`", log.display()));
    }
    let mut shown = io::stdout().lock();
    shown.write_all(&output)?;
    writeln!(shown, "    {name}: {tally}, {status} ({:.1} s)", started.elapsed().as_secs_f64())?;
    Ok((tally, failures))
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
