//! Rules that no compiler knows, checked on every file of the project.

mod exit;
mod hosts;
mod links;
mod linux;
mod node;
mod paths;
mod promises;
mod whitespace;

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};

use crate::house::House;
use crate::report::Outcome;

/// A file of the project, as the rules see it.
struct Source {
    /// Its path, relative to the workspace.
    path: PathBuf,
    /// What is in it; bytes that are not UTF-8 are replaced.
    text: String,
    /// Whether people write it; recordings and other fixtures are kept as they were made.
    handwritten: bool,
}

impl Source {
    fn new(path: PathBuf, bytes: &[u8]) -> Source {
        let is_text = bytes.iter().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..) && *byte != 0x7f);
        let is_fixture = path.iter().any(|part| part == "fixtures");
        let handwritten = is_text && !is_fixture && str::from_utf8(bytes).is_ok();
        Source { path, text: String::from_utf8_lossy(bytes).into_owned(), handwritten }
    }

    fn is(&self, extension: &str) -> bool {
        self.path.extension().is_some_and(|own| own == extension)
    }

    /// The file's lines with their numbers, the first being 1.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.split('\n'))
    }

    /// A finding in this file.
    fn finding(&self, line: usize, what: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, what: what.into() }
    }
}

/// A place where a rule is broken, and what to do.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    path: PathBuf,
    line: usize,
    what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path.display(), self.line, self.what)
    }
}

/// `cargo xtask tidy`: the same as the step of `./test`.
pub(crate) fn main(house: &House, arguments: Vec<OsString>) -> Result<ExitCode> {
    ensure!(arguments.is_empty(), "`tidy` checks the whole tree and takes no arguments");
    match check(house) {
        Outcome::Passed => Ok(ExitCode::SUCCESS),
        other => bail!("tidy: {other}"),
    }
}

/// Checks every rule on every file.
pub(crate) fn check(house: &House) -> Outcome {
    match read(house) {
        Ok(sources) => judge(&findings(&sources, |path| house.root.join(path).exists())),
        Err(error) => Outcome::Failed(format!("{error:#}")),
    }
}

fn judge(findings: &[Finding]) -> Outcome {
    for finding in findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => Outcome::Passed,
        1 => Outcome::Failed("1 finding".into()),
        many => Outcome::Failed(format!("{many} findings")),
    }
}

fn findings(sources: &[Source], exists: impl Fn(&Path) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        findings.extend(whitespace::check(source));
        findings.extend(paths::check(source));
        findings.extend(hosts::check(source));
        findings.extend(links::check(source, &exists));
        findings.extend(linux::check(source));
        findings.extend(exit::check(source));
        findings.extend(node::check(source));
    }
    findings.extend(promises::check(sources));
    findings
}

/// The project's files: what git tracks, and what it would if asked now.
pub(crate) fn files(house: &House) -> Result<Vec<PathBuf>> {
    let mut git = house.program("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]);
    let output = git.output().context("cannot run git")?;
    ensure!(output.status.success(), "git: {}", String::from_utf8_lossy(&output.stderr).trim());
    let names = String::from_utf8(output.stdout).context("a file's name is not UTF-8")?;
    Ok(names
        .split_terminator('\0')
        .map(PathBuf::from)
        .filter(|path| house.root.join(path).is_file())
        .collect())
}

fn read(house: &House) -> Result<Vec<Source>> {
    let read = |path: PathBuf| {
        let bytes =
            fs::read(house.root.join(&path)).with_context(|| format!("cannot read `{}`", path.display()))?;
        Ok(Source::new(path, &bytes))
    };
    files(house)?.into_iter().map(read).collect()
}

#[cfg(test)]
fn source(path: &str, text: &str) -> Source {
    Source::new(path.into(), text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_are_not_handwritten() {
        assert!(source("docs/a.md", "words\n").handwritten);
        assert!(!source("tests/fixtures/screen.txt", "words\n").handwritten);
        assert!(!source("corpus/a", "\x1b[31m").handwritten);
        assert!(!Source::new("corpus/b".into(), b"\xff").handwritten);
    }

    #[test]
    fn one_finding_fails_the_step() {
        assert!(matches!(judge(&[]), Outcome::Passed));
        let finding = source("a.md", "x ").finding(1, "trailing whitespace");
        assert_eq!(finding.to_string(), "a.md:1: trailing whitespace");
        assert!(matches!(judge(&[finding]), Outcome::Failed(why) if why == "1 finding"));
    }
}
