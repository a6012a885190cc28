//! `cargo xtask flakes`: the suite, again and again on a busy machine, to find the tests that fail now and then.

mod arguments;
mod ledger;
mod load;
mod waiting;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, thread};

use anyhow::{Context, Result, ensure};

use crate::binaries::{TestBinary, log_to, side_by_side};
use crate::house::House;
use crate::report::Outcome;
use crate::results::{self, Results};
use crate::web;
use arguments::{Arguments, Scope, Tests};
use ledger::{Ledger, Round};
use load::Load;

/// A test binary that runs for longer than this hangs. The slowest one takes five minutes on two idle cores.
const HANGS_AFTER: Duration = Duration::from_secs(60 * 60);

/// How often we look whether a test binary has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Runs the rounds, adds each to the report in `target/flakes.json`, and shows that.
pub(crate) fn main(house: &House, arguments: Vec<OsString>) -> Result<ExitCode> {
    let arguments = Arguments::read(arguments)?;
    let path = house.target.join("flakes.json");
    if arguments.is_fresh && path.exists() {
        fs::remove_file(&path)?;
    }
    let mut ledger = Ledger::open(&path)?;
    if arguments.rounds > 0 {
        run(house, &arguments, &mut ledger, &path)?;
    }
    print!("{}", ledger.text());
    let is_clean = ledger.tests.values().all(|record| record.failures.is_empty());
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run(house: &House, arguments: &Arguments, ledger: &mut Ledger, path: &Path) -> Result<()> {
    let built = web::build(house);
    if let Outcome::Failed(why) = &built {
        println!("the web UI is not built: {why}");
    }
    let mut binaries = TestBinary::build_all(house)?;
    if arguments.scope.tests == Tests::Waiting {
        binaries.retain(waiting::waits);
    }
    let commit = commit(house);
    let load = Load::start(&env::temp_dir())?;
    for number in 1..=arguments.rounds {
        println!("==> round {number} of {}: {}", arguments.rounds, arguments.scope.name());
        let started = Instant::now();
        let parts = run_round(house, &binaries, &arguments.scope)?;
        let tests = parts.iter().map(|(_, results)| results.len()).sum();
        let failed =
            parts.iter().map(|(_, results)| results.values().filter(|result| result.is_err()).count()).sum();
        ensure!(tests > 0, "no test has a name like that");
        for (part, results) in parts {
            ledger.add(&part, results);
        }
        let seconds = started.elapsed().as_secs();
        ledger.rounds.push(Round {
            scope: arguments.scope.name(),
            commit: commit.clone(),
            seconds,
            tests,
            failed,
        });
        ledger.save(path)?;
        println!("==> {tests} tests, {failed} failed, {seconds} s; {} syncs beside them", load.synced());
    }
    Ok(())
}

/// Runs the tests of all binaries and of the web UI; gives how the tests of each ended. Those of the web UI run beside
/// the others, as in `./test`: they wait most of the time.
fn run_round(house: &House, binaries: &[TestBinary], scope: &Scope) -> Result<Vec<(String, Results)>> {
    let parts = Mutex::new(Vec::new());
    let add = |name: String, results: Result<Results>| {
        parts.lock().unwrap_or_else(PoisonError::into_inner).push((name, results));
    };
    thread::scope(|threads| {
        threads.spawn(|| {
            for script in web::SCRIPTS {
                add(format!("web {script}"), run_web(house, script, scope));
            }
        });
        side_by_side(binaries.iter().collect(), |binary: &TestBinary| {
            add(binary.name.clone(), run_binary(house, binary, scope));
        });
    });
    let parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter();
    parts.map(|(name, results)| Ok((name, results?))).collect()
}

/// Runs the tests of one binary, and says of each how it ended.
fn run_binary(house: &House, binary: &TestBinary, scope: &Scope) -> Result<Results> {
    let filters: Vec<&str> = scope.filters.iter().map(String::as_str).collect();
    let expected: BTreeSet<String> = {
        let all = list(binary, &filters, &[])?;
        let ignored = list(binary, &filters, &["--ignored"])?;
        all.difference(&ignored).cloned().collect()
    };
    if expected.is_empty() {
        return Ok(Results::new());
    }
    let log = binary.log(&house.target.join("flakes"));
    let mut command = binary.command(&filters);
    log_to(&mut command, &log).with_context(|| format!("cannot write `{}`", log.display()))?;
    let ended = run_until_it_hangs(command)?;
    let output = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    let results = results::of_harness(&output, &expected, &ended);
    tell(&binary.name, &results);
    Ok(results)
}

fn list(binary: &TestBinary, filters: &[&str], options: &[&str]) -> Result<BTreeSet<String>> {
    let arguments = [&["--list", "--format", "terse"], options, filters].concat();
    let output = binary.command(&arguments).output();
    let output = output.with_context(|| format!("cannot run the tests of `{}`", binary.name))?;
    Ok(results::listed(&String::from_utf8_lossy(&output.stdout)))
}

/// Waits for a test binary, kills one that hangs, and says how it ended.
fn run_until_it_hangs(mut command: Command) -> Result<String> {
    let mut child = command.spawn().context("cannot run a test binary")?;
    let deadline = Instant::now() + HANGS_AFTER;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.to_string());
        }
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            return Ok(format!("our kill after {HANGS_AFTER:?}"));
        }
        thread::sleep(LOOK_AGAIN);
    }
}

/// Runs the tests of the web UI.
fn run_web(house: &House, script: &str, scope: &Scope) -> Result<Results> {
    let log = house.target.join(format!("flakes/web-{script}.log"));
    let Some((mut npm, report)) = web::reported(house, script) else { return Ok(Results::new()) };
    if !scope.filters.is_empty() {
        npm.args(["--testNamePattern", &web::pattern(&scope.filters), "--passWithNoTests"]);
    }
    log_to(&mut npm, &log).with_context(|| format!("cannot write `{}`", log.display()))?;
    let ended = run_until_it_hangs(npm)?;
    let name = format!("web {script}");
    let mut results = match fs::read_to_string(&report) {
        Ok(text) => results::of_vitest(&text)?,
        Err(_) => Results::new(),
    };
    if ended != "exit status: 0" && results.values().all(Result::is_ok) {
        let output = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
        results.insert("outside of every test".to_owned(), Err(format!("{ended}\n{output}")));
    }
    tell(&name, &results);
    Ok(results)
}

/// Says at once what failed; the output comes with the report.
fn tell(part: &str, results: &Results) {
    for (name, _) in results.iter().filter(|(_, result)| result.is_err()) {
        println!("FAILED {part}: {name}");
    }
}

/// The commit that is checked out, and whether the files differ from it.
fn commit(house: &House) -> String {
    let output = house.program("git").args(["describe", "--always", "--dirty", "--exclude=*"]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.ok().filter(|text| !text.is_empty()).unwrap_or_else(|| "unknown".to_owned())
}
