//! The web UI in `web/`: installed, built, checked and tested with Node.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

use anyhow::{Context, Result, bail, ensure};

use crate::binaries::log_to;
use crate::house::House;
use crate::node;
use crate::report::Outcome;
use crate::results;
use crate::tally::Tally;

/// Where it is.
const PLACE: &str = "web";

/// `cargo xtask web`: builds it, so that the next build of abide has it inside.
pub(crate) fn main(house: &House, arguments: Vec<OsString>) -> Result<ExitCode> {
    ensure!(arguments.is_empty(), "`web` builds the web UI and takes no arguments");
    match build(house) {
        Outcome::Failed(why) | Outcome::Skipped(why) => bail!("the web UI is not built: {why}"),
        Outcome::Passed | Outcome::Counted { .. } => Ok(ExitCode::SUCCESS),
    }
}

/// What it is built from.
const SOURCES: [&str; 7] = [
    "index.html",
    "package-lock.json",
    "public",
    "src",
    "svelte.config.js",
    "tsconfig.json",
    "vite.config.ts",
];

/// Installs the packages and builds the web UI, unless that was done since its sources last changed. A new build would
/// make cargo build every crate again that contains it.
pub(crate) fn build(house: &House) -> Outcome {
    match node::install(house, Path::new(PLACE)) {
        Outcome::Passed if is_built(&house.root.join(PLACE)) => Outcome::Passed,
        // What `./run` prints is the server's.
        Outcome::Passed => Outcome::of(npm(house, "build").stdout(io::stderr())),
        other => other,
    }
}

/// The same; what npm prints goes into a file, and is shown only if npm fails.
pub(crate) fn build_quietly(house: &House) -> Outcome {
    let log = house.target.join("web.log");
    let built = || -> io::Result<Outcome> {
        fs::create_dir_all(&house.target)?;
        let file = fs::File::create(&log)?;
        let quietly = |command: &mut Command| -> io::Result<Outcome> {
            Ok(Outcome::of(command.stdout(file.try_clone()?).stderr(file.try_clone()?)))
        };
        match node::install_with(house, Path::new(PLACE), quietly)? {
            Outcome::Passed if is_built(&house.root.join(PLACE)) => Ok(Outcome::Passed),
            Outcome::Passed => quietly(&mut npm(house, "build")),
            other => Ok(other),
        }
    };
    let outcome = built().unwrap_or_else(|error| Outcome::Failed(format!("`{}`: {error}", log.display())));
    if let Outcome::Failed(_) = outcome {
        eprint!("{}", fs::read_to_string(&log).unwrap_or_default());
    }
    outcome
}

/// Whether it was built after each of its sources was written, and after the last one was removed.
fn is_built(web: &Path) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    let sources = SOURCES.iter().flat_map(|source| all_in(&web.join(source)));
    let newest = sources.filter_map(|source| changed(&source)).max();
    match (changed(&web.join("dist/site/index.html")), newest) {
        (Some(built), Some(newest)) => newest < built,
        _ => false,
    }
}

/// A file, or a directory with all that is in it.
fn all_in(path: &Path) -> Vec<PathBuf> {
    let inside = fs::read_dir(path).into_iter().flatten().flatten().flat_map(|entry| all_in(&entry.path()));
    iter::once(path.to_owned()).chain(inside).collect()
}

/// Format, lints, types, and whether those of the API are the server's.
pub(crate) fn check(house: &House) -> Outcome {
    if is_installed(house) { Outcome::of(&mut npm(house, "check")) } else { not_installed() }
}

/// The scripts that run its tests: of its parts, and in a browser with the program that was built.
pub(crate) const SCRIPTS: [&str; 2] = ["test", "e2e"];

/// Runs its tests with one of the scripts. What they print goes to the user.
pub(crate) fn tests(house: &House, script: &str) -> Outcome {
    counted(house, script, Command::status)
}

/// The same; what they print goes into a file, and to the user in one piece when they have ended.
pub(crate) fn tests_in_one_piece(house: &House, script: &str, log: &Path) -> Outcome {
    counted(house, script, |npm| {
        log_to(npm, log)?;
        let status = npm.status()?;
        io::stdout().lock().write_all(&fs::read(log)?)?;
        Ok(status)
    })
}

/// Runs its tests with one of the scripts, in the way given, and counts.
fn counted(house: &House, script: &str, run: impl FnOnce(&mut Command) -> io::Result<ExitStatus>) -> Outcome {
    let count = |mut npm: Command, report: PathBuf| -> Result<Outcome> {
        let status = run(&mut npm).context("cannot run npm")?;
        let Ok(text) = fs::read_to_string(&report) else { return Ok(Outcome::Failed(status.to_string())) };
        let mut tally = tally(&text)?;
        if tally.failed == 0 && !status.success() {
            // A failure outside of every test is in no count.
            tally.failed = 1;
        }
        let failed = results::of_vitest(&text)?.into_iter();
        let failures = failed.filter_map(|(name, result)| Some((name, result.err()?))).collect();
        Ok(Outcome::Counted { tally, failures })
    };
    match reported(house, script) {
        Some((npm, report)) => {
            count(npm, report).unwrap_or_else(|error| Outcome::Failed(format!("{error:#}")))
        }
        None => not_installed(),
    }
}

/// The call that runs its tests with one of the scripts, and the file in which it leaves a report; nothing if its node
/// packages are not installed.
pub(crate) fn reported(house: &House, script: &str) -> Option<(Command, PathBuf)> {
    if !is_installed(house) {
        return None;
    }
    let report = house.target.join(format!("web-{script}.json"));
    // The report of an earlier run is not this one's.
    let _ = fs::remove_file(&report);
    let mut npm = npm(house, script);
    npm.args(["--", "--reporter=default", "--reporter=json"]);
    npm.arg(format!("--outputFile.json={}", report.display()));
    npm.env("ABIDE", house.target.join("debug/abide"));
    Some((npm, report))
}

/// The pattern of test names that have one of these parts.
pub(crate) fn pattern(parts: &[String]) -> String {
    let escaped = parts.iter().map(|part| {
        let letters = part.chars().map(|c| match c {
            c if c.is_alphanumeric() || c == ' ' || c == '_' => c.to_string(),
            c => format!("\\{c}"),
        });
        letters.collect::<String>()
    });
    escaped.collect::<Vec<_>>().join("|")
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

fn is_installed(house: &House) -> bool {
    house.root.join(PLACE).join("node_modules").exists()
}

fn not_installed() -> Outcome {
    Outcome::Skipped("its node packages are not installed".to_owned())
}

fn npm(house: &House, script: &str) -> Command {
    let mut npm = house.program("npm");
    npm.args(["run", "--silent", script]).current_dir(house.root.join(PLACE));
    npm
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::{Duration, SystemTime};
    use std::{env, process};

    use super::*;

    #[test]
    fn a_report_is_counted() {
        let report = r#"{"numPassedTests": 3, "numFailedTests": 1, "numPendingTests": 2, "numTodoTests": 0}"#;
        assert_eq!(tally(report).unwrap(), Tally { passed: 3, failed: 1, skipped: 2 });
        assert!(tally("{}").is_err());
    }

    #[test]
    fn the_page_is_built_again_when_a_source_changes_appears_or_vanishes() {
        let web = env::temp_dir().join(format!("abide-web-{}", process::id()));
        let _ = fs::remove_dir_all(&web);
        let write = |name: &str, at: u64| {
            let path = web.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            File::create(&path).unwrap().set_modified(time(at)).unwrap();
        };
        let touch = |name: &str, at: u64| File::open(web.join(name)).unwrap().set_modified(time(at)).unwrap();
        write("src/deep/a.ts", 1);
        write("index.html", 1);
        for directory in ["src/deep", "src"] {
            touch(directory, 1);
        }
        assert!(!is_built(&web), "it never was");
        write("dist/site/index.html", 2);
        assert!(is_built(&web));
        touch("src/deep/a.ts", 3);
        assert!(!is_built(&web), "a file has changed");
        touch("src/deep/a.ts", 1);
        touch("src/deep", 3);
        assert!(!is_built(&web), "a file came or went");
        fs::remove_dir_all(&web).unwrap();
    }

    fn time(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn a_filter_matches_parts_of_names_literally() {
        let parts = ["a board".to_owned(), "x.y (z)".to_owned()];
        assert_eq!(pattern(&parts), r"a board|x\.y \(z\)");
    }
}
