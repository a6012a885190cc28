//! The report of all rounds so far, in one file.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::results::Results;

/// Every round, and what it said of every test.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ledger {
    pub(super) rounds: Vec<Round>,
    /// By the name of the test, with the binary's in front.
    pub(super) tests: BTreeMap<String, Record>,
}

/// One round that was run to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Round {
    /// Which tests it had.
    pub(super) scope: String,
    /// The commit they were built from.
    pub(super) commit: String,
    pub(super) seconds: u64,
    pub(super) tests: usize,
    pub(super) failed: usize,
}

/// How often a test ran, and the output of each failure.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) runs: u64,
    pub(super) failures: Vec<String>,
}

impl Ledger {
    /// The ledger in a file; an empty one if there is none.
    pub(super) fn open(path: &Path) -> Result<Ledger> {
        match fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text)
                .with_context(|| format!("`{}` is no report; `--fresh` begins a new one", path.display())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Ledger::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read `{}`", path.display())),
        }
    }

    /// Puts it into its file. An interrupted write leaves the one before.
    pub(super) fn save(&self, path: &Path) -> Result<()> {
        let beside = path.with_extension("new");
        fs::write(&beside, serde_json::to_string_pretty(self)?)
            .and_then(|()| fs::rename(&beside, path))
            .with_context(|| format!("cannot write `{}`", path.display()))
    }

    /// Adds what one part of a round said about its tests.
    pub(super) fn add(&mut self, part: &str, results: Results) {
        for (name, result) in results {
            let record = self.tests.entry(format!("{part}: {name}")).or_default();
            record.runs += 1;
            record.failures.extend(result.err());
        }
    }

    /// Every test that failed even once, with the output of each failure, and the counts.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let failed: Vec<_> = self.tests.iter().filter(|(_, record)| !record.failures.is_empty()).collect();
        for (name, record) in &failed {
            for (number, output) in record.failures.iter().enumerate() {
                let _ = writeln!(text, "---- {name}, failure {} ----\n{output}\n", number + 1);
            }
        }
        for (number, round) in self.rounds.iter().enumerate() {
            let Round { scope, commit, seconds, tests, failed } = round;
            let _ = writeln!(
                text,
                "round {}: {scope} at {commit}: {tests} tests, {failed} failed, {seconds} s",
                number + 1
            );
        }
        for (name, record) in &failed {
            let _ = writeln!(text, "FAILED {} of {} times: {name}", record.failures.len(), record.runs);
        }
        let runs: u64 = self.tests.values().map(|record| record.runs).sum();
        let failures: usize = failed.iter().map(|(_, record)| record.failures.len()).sum();
        let _ = writeln!(
            text,
            "{} rounds, {} tests, {runs} runs, {failures} failures of {} tests",
            self.rounds.len(),
            self.tests.len(),
            failed.len()
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::process;

    use super::*;

    fn round(failed: usize) -> Round {
        Round { scope: "whole suite".into(), commit: "abc".into(), seconds: 60, tests: 2, failed }
    }

    #[test]
    fn rounds_add_up_and_failures_are_listed_with_their_output() {
        let mut ledger = Ledger::default();
        ledger.add("cli it", Results::from([("a".into(), Ok(())), ("b".into(), Err("it broke".into()))]));
        ledger.rounds.push(round(1));
        ledger.add("cli it", Results::from([("a".into(), Ok(())), ("b".into(), Ok(()))]));
        ledger.rounds.push(round(0));
        let text = ledger.text();
        assert!(text.starts_with("---- cli it: b, failure 1 ----\nit broke\n"), "{text}");
        assert!(text.contains("round 2: whole suite at abc: 2 tests, 0 failed, 60 s"), "{text}");
        assert!(text.contains("FAILED 1 of 2 times: cli it: b\n"), "{text}");
        assert!(text.ends_with("2 rounds, 2 tests, 4 runs, 1 failures of 1 tests\n"), "{text}");
    }

    #[test]
    fn a_ledger_is_read_as_it_was_written_and_a_broken_one_is_an_error() {
        let path = env::temp_dir().join(format!("abide-flakes-ledger-{}.json", process::id()));
        assert_eq!(Ledger::open(&path).unwrap(), Ledger::default());
        let mut ledger = Ledger::default();
        ledger.add("web test", Results::from([("x".into(), Err("no".into()))]));
        ledger.rounds.push(round(1));
        ledger.save(&path).unwrap();
        assert_eq!(Ledger::open(&path).unwrap(), ledger);
        fs::write(&path, "{").unwrap();
        let error = Ledger::open(&path).unwrap_err().to_string();
        fs::remove_file(&path).unwrap();
        assert!(error.contains("--fresh"), "{error}");
    }
}
