//! The results of all steps.

use std::collections::BTreeMap;
use std::fmt;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use crate::results::essence;
use crate::tally::Tally;

/// How one step ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It is as it should be.
    Passed,
    /// It is not, and this is why.
    Failed(String),
    /// It could not be checked here, and this is why.
    Skipped(String),
    /// It was many checks; those that failed are named, with what they printed.
    Counted { tally: Tally, failures: BTreeMap<String, String> },
}

impl Outcome {
    /// Runs a program whose exit status is the answer; what it prints goes to the user.
    pub(crate) fn of(command: &mut Command) -> Outcome {
        match command.status() {
            Ok(status) if status.success() => Outcome::Passed,
            Ok(status) => Outcome::Failed(status.to_string()),
            Err(error) => {
                Outcome::Failed(format!("cannot run `{}`: {error}", command.get_program().display()))
            }
        }
    }

    /// This one and another as one outcome, in which the other is called `name`.
    pub(crate) fn and(self, name: &str, other: Outcome) -> Outcome {
        let mut tally = self.tally();
        tally += other.tally();
        let mut all = BTreeMap::new();
        for (name, outcome) in [("", self), (name, other)] {
            match outcome {
                Outcome::Passed => {}
                Outcome::Counted { failures, .. } => all.extend(failures),
                Outcome::Failed(why) => _ = all.insert(name.to_owned(), why),
                Outcome::Skipped(why) => println!("SKIPPED {name}: {why}"),
            }
        }
        Outcome::Counted { tally, failures: all }
    }

    fn tally(&self) -> Tally {
        match self {
            Outcome::Passed => Tally { passed: 1, ..Tally::default() },
            Outcome::Failed(_) => Tally { failed: 1, ..Tally::default() },
            Outcome::Skipped(_) => Tally { skipped: 1, ..Tally::default() },
            Outcome::Counted { tally, .. } => *tally,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Passed => f.write_str("passed"),
            Outcome::Failed(why) => write!(f, "FAILED, {why}"),
            Outcome::Skipped(why) => write!(f, "SKIPPED, {why}"),
            Outcome::Counted { tally, .. } => tally.fmt(f),
        }
    }
}

/// The sum of all steps so far.
#[derive(Default)]
pub(crate) struct Report {
    sum: Tally,
    lines: Vec<String>,
    /// What failed, with the essence of what it printed.
    failures: Vec<String>,
}

impl Report {
    /// Announces a step, does it, and says how it went and how long it took.
    pub(crate) fn step(&mut self, name: &str, step: impl FnOnce() -> Outcome) {
        println!("==> {name}");
        let started = Instant::now();
        let outcome = step();
        self.add(name, &outcome, started.elapsed());
        if let Outcome::Counted { failures, .. } = outcome {
            let told = failures.iter().map(|(test, output)| format!("FAILED: {test}\n{}\n", essence(output)));
            self.failures.extend(told);
        }
    }

    fn add(&mut self, name: &str, outcome: &Outcome, took: Duration) {
        let line = format!("{name}: {outcome} ({:.1} s)", took.as_secs_f64());
        println!("==> {line}");
        self.sum += outcome.tally();
        self.lines.push(line);
    }

    /// Says how everything went, once more and together: what failed and why, the steps, and in the last line the sum.
    pub(crate) fn close(self) -> ExitCode {
        println!();
        for failure in &self.failures {
            println!("{failure}");
        }
        for line in &self.lines {
            println!("{line}");
        }
        println!("{}", self.sum);
        if self.sum.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(tally: Tally) -> Outcome {
        Outcome::Counted {
            tally,
            failures: BTreeMap::from([("a test".to_owned(), "left: 1\n\n".to_owned())]),
        }
    }

    #[test]
    fn failures_are_repeated_at_the_end() {
        let mut report = Report::default();
        report.step("tests", || counted(Tally { passed: 4, failed: 1, skipped: 0 }));
        assert_eq!(report.failures, ["FAILED: a test\nleft: 1\n"]);
    }

    #[test]
    fn a_step_counts_as_one_check_unless_it_counted_itself() {
        let mut report = Report::default();
        report.step("format", || Outcome::Passed);
        report.step("lints", || Outcome::Failed("exit status: 101".into()));
        report.step("licences", || Outcome::Skipped("not installed".into()));
        report.step("tests", || counted(Tally { passed: 40, failed: 2, skipped: 3 }));
        assert_eq!(report.sum, Tally { passed: 41, failed: 3, skipped: 4 });
    }

    #[test]
    fn two_outcomes_are_counted_as_one() {
        let both = counted(Tally { passed: 4, failed: 1, skipped: 0 })
            .and("others", Outcome::Failed("exit status: 1".to_owned()));
        let Outcome::Counted { tally, failures } = both else { panic!("it has a count") };
        assert_eq!(tally, Tally { passed: 4, failed: 2, skipped: 0 });
        assert_eq!(failures.into_keys().collect::<Vec<_>>(), ["a test", "others"]);
    }

    #[test]
    fn a_failure_anywhere_fails_the_whole() {
        let mut report = Report::default();
        report.step("lints", || Outcome::Failed("exit status: 101".into()));
        report.step("tests", || Outcome::Passed);
        assert_eq!(format!("{:?}", report.close()), format!("{:?}", ExitCode::FAILURE));
    }

    #[test]
    fn a_missing_program_is_a_failure() {
        let outcome = Outcome::of(&mut Command::new("no-such-program-of-ours"));
        assert!(matches!(outcome, Outcome::Failed(why) if why.contains("no-such-program-of-ours")));
    }
}
