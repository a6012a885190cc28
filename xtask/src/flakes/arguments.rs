//! What `cargo xtask flakes` was asked for.

use std::ffi::OsString;

use anyhow::{Context, Result, bail};

/// How the tool is called.
pub(super) const USAGE: &str = "cargo xtask flakes [--rounds N] [--waiting] [--fresh] [FILTER]...";

/// Which tests are run, how often, and whether the report begins anew.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    /// How many rounds; none shows the report as it is.
    pub(super) rounds: u32,
    pub(super) scope: Scope,
    /// Whether earlier rounds are forgotten.
    pub(super) is_fresh: bool,
}

/// Which tests a round has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) tests: Tests,
    /// Parts of test names; none takes every test.
    pub(super) filters: Vec<String>,
}

/// Which binaries are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tests {
    /// The whole suite.
    All,
    /// Those that start processes or wait.
    Waiting,
}

impl Scope {
    /// What a round is called in the report.
    pub(super) fn name(&self) -> String {
        let tests = match self.tests {
            Tests::All => "whole suite",
            Tests::Waiting => "tests that start processes or wait",
        };
        match &self.filters[..] {
            [] => tests.to_owned(),
            filters => format!("{tests}, only {}", filters.join(" ")),
        }
    }
}

impl Arguments {
    /// Reads the words behind `flakes`.
    pub(super) fn read(words: Vec<OsString>) -> Result<Arguments> {
        let scope = Scope { tests: Tests::All, filters: Vec::new() };
        let mut arguments = Arguments { rounds: 1, scope, is_fresh: false };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let word = word.into_string().ok().context("the arguments are not UTF-8")?;
            match word.as_str() {
                "--rounds" => {
                    let number = words.next().and_then(|number| number.to_str()?.parse().ok());
                    arguments.rounds =
                        number.with_context(|| format!("`--rounds` needs a number: {USAGE}"))?;
                }
                "--waiting" => arguments.scope.tests = Tests::Waiting,
                "--fresh" => arguments.is_fresh = true,
                option if option.starts_with('-') => bail!("`{option}` is no option of it: {USAGE}"),
                _ => arguments.scope.filters.push(word),
            }
        }
        Ok(arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Arguments> {
        Arguments::read(words.iter().map(OsString::from).collect())
    }

    #[test]
    fn without_arguments_the_whole_suite_runs_once() {
        let arguments = read(&[]).unwrap();
        let scope = Scope { tests: Tests::All, filters: Vec::new() };
        assert_eq!(arguments, Arguments { rounds: 1, scope, is_fresh: false });
        assert_eq!(arguments.scope.name(), "whole suite");
    }

    #[test]
    fn options_and_filters_come_in_any_order() {
        let arguments = read(&["p8_", "--rounds", "50", "--waiting", "viewers", "--fresh"]).unwrap();
        assert_eq!(arguments.rounds, 50);
        assert!(arguments.is_fresh);
        assert_eq!(arguments.scope.name(), "tests that start processes or wait, only p8_ viewers");
    }

    #[test]
    fn bad_arguments_are_refused() {
        for words in [&["--rounds"][..], &["--rounds", "many"], &["--round", "3"]] {
            assert!(read(words).is_err(), "{words:?}");
        }
    }
}
