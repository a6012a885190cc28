//! Counting tests: what cargo's test harness printed, and which tests skipped themselves.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::AddAssign;

/// How many checks passed, failed and did not run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

impl Tally {
    /// Reads the line with which a test binary ends: `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    ///
    /// Ignored tests are tools that are run by hand; they count as nothing.
    pub(crate) fn of_line(line: &str) -> Option<Tally> {
        let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let count = |what: &str| {
            let mut words = counts.split("; ").filter_map(|part| part.split_once(' '));
            words.find(|(_, word)| *word == what)?.0.parse().ok()
        };
        Some(Tally { passed: count("passed")?, failed: count("failed")?, skipped: 0 })
    }

    /// Takes tests that skipped themselves, which the harness knows only as passed, out of the passed ones.
    pub(crate) fn set_apart(&mut self, skips: &BTreeSet<Skip>) {
        let tests: BTreeSet<_> = skips.iter().map(|skip| (&skip.binary, &skip.test)).collect();
        self.passed = self.passed.saturating_sub(tests.len());
        self.skipped += tests.len();
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        match self.skipped {
            0 => Ok(()),
            skipped => write!(f, ", {skipped} skipped"),
        }
    }
}

/// A test that said it could not run here.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Skip {
    binary: String,
    test: String,
    reason: String,
}

impl Skip {
    /// Reads what `testkit::skip` wrote: a line each, of binary, test and reason, separated by tabs.
    pub(crate) fn all(log: &str) -> BTreeSet<Skip> {
        log.lines()
            .map(|line| {
                let mut fields = line.splitn(3, '\t').map(str::to_owned);
                let mut field = || fields.next().unwrap_or_default();
                Skip { binary: field(), test: field(), reason: field() }
            })
            .collect()
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SKIPPED: {}: {}", self.test, self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_harness_lines_are_read() {
        let line =
            "test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 5 filtered out; finished in 0.52s";
        assert_eq!(Tally::of_line(line), Some(Tally { passed: 12, failed: 0, skipped: 0 }));
        let line = "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 9.00s";
        assert_eq!(Tally::of_line(line), Some(Tally { passed: 1, failed: 2, skipped: 0 }));
    }

    #[test]
    fn other_lines_are_not_counted() {
        for line in ["", "running 3 tests", "test a ... ok", "test result:", "test result: ok. many passed"] {
            assert_eq!(Tally::of_line(line), None, "{line}");
        }
    }

    #[test]
    fn the_closing_line_names_skips_only_when_there_are_some() {
        assert_eq!(Tally { passed: 7, failed: 0, skipped: 0 }.to_string(), "7 passed, 0 failed");
        assert_eq!(Tally { passed: 7, failed: 1, skipped: 2 }.to_string(), "7 passed, 1 failed, 2 skipped");
    }

    #[test]
    fn a_test_that_skipped_itself_did_not_pass_and_counts_once() {
        let skips = Skip::all("it-1\ta\tno node\nit-1\ta\tno npm\nit-1\tb\tno node\nit-2\ta\tno node\n");
        let mut tally = Tally { passed: 10, failed: 0, skipped: 1 };
        tally.set_apart(&skips);
        assert_eq!(tally, Tally { passed: 7, failed: 0, skipped: 4 });
        assert_eq!(skips.first().map(Skip::to_string).as_deref(), Some("SKIPPED: a: no node"));
    }
}
