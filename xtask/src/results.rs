//! What one run of tests says about each test.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde_json::Value;

/// How each test of a run ended: `Ok`, or the output of its failure.
pub(crate) type Results = BTreeMap<String, Result<(), String>>;

/// So much of the output of a binary that died is kept: enough for a backtrace.
const KEPT_LINES: usize = 200;

/// Reads what `--list --format terse` prints: a line `NAME: test` for each test.
pub(crate) fn listed(list: &str) -> BTreeSet<String> {
    list.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect()
}

/// Reads what a test binary printed that should have run the tests in `expected`.
///
/// A binary that counted its tests names those that failed; all others have passed, also where the line of one is mixed
/// up with the output of a child. A binary that did not count was killed or aborted: each test that is not known to have
/// passed has failed, with the end of the output.
pub(crate) fn of_harness(output: &str, expected: &BTreeSet<String>, how_it_ended: &str) -> Results {
    let is_counted = output.lines().any(|line| line.starts_with("test result: "));
    let mut results: Results = expected.iter().map(|name| (name.clone(), Ok(()))).collect();
    if is_counted {
        for (name, output) in failures(output) {
            results.insert(name, Err(output));
        }
        return results;
    }
    let lines: Vec<&str> = output.lines().collect();
    let last = lines[lines.len().saturating_sub(KEPT_LINES)..].join("\n");
    for (name, result) in &mut results {
        if !lines.contains(&format!("test {name} ... ok").as_str()) {
            *result = Err(format!("no result: the test binary ended with {how_it_ended}\n{last}"));
        }
    }
    results
}

/// The tests that a binary names as failed, each with its own output.
pub(crate) fn failures(output: &str) -> BTreeMap<String, String> {
    let mut parts: BTreeMap<String, String> = BTreeMap::new();
    let mut failed = BTreeSet::new();
    let mut part: Option<String> = None;
    for line in output.lines() {
        let heading = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----"));
        if let Some(name) = heading {
            part = Some(name.to_owned());
        } else if line == "failures:" {
            part = None;
            // The last such list has the names alone.
            failed.clear();
        } else if let Some(name) = &part {
            let text = parts.entry(name.clone()).or_default();
            text.push_str(line);
            text.push('\n');
        } else if let Some(name) = line.strip_prefix("    ") {
            failed.insert(name.to_owned());
        }
    }
    failed
        .into_iter()
        .map(|name| {
            let output = parts.remove(&name).unwrap_or_else(|| "it printed nothing".to_owned());
            (name, output.trim_end().to_owned())
        })
        .collect()
}

/// Reads a report of vitest's. What went wrong outside of every test is in none: see the exit status for that.
pub(crate) fn of_vitest(report: &str) -> Result<Results> {
    let report: Value = serde_json::from_str(report).context("the report of the web tests is no JSON")?;
    let files =
        report["testResults"].as_array().context("the report of the web tests has no `testResults`")?;
    let mut results = Results::new();
    for file in files {
        let path = file["name"].as_str().unwrap_or_default();
        let name_of_file = path.rsplit('/').next().unwrap_or_default();
        let tests = file["assertionResults"].as_array().map(Vec::as_slice).unwrap_or_default();
        for test in tests {
            let name = format!("{name_of_file}: {}", test["fullName"].as_str().unwrap_or_default());
            match test["status"].as_str() {
                Some("passed") => drop(results.insert(name, Ok(()))),
                Some("failed") => drop(results.insert(name, Err(messages(&test["failureMessages"])))),
                _ => {}
            }
        }
        if file["status"] == "failed" && tests.is_empty() {
            let why = file["message"].as_str().unwrap_or("it says nothing").to_owned();
            results.insert(format!("{name_of_file}: the whole file"), Err(why));
        }
    }
    Ok(results)
}

/// So much of a failure's output is told once more at the end of a run.
const TOLD_LINES: usize = 40;

/// The part of a failure's output that says what went wrong: its first lines without stack backtraces.
pub(crate) fn essence(output: &str) -> String {
    let mut is_backtrace = false;
    let lines = output.lines().filter(|line| {
        is_backtrace = match *line {
            "stack backtrace:" => true,
            line if is_backtrace => line.starts_with("  "),
            _ => false,
        };
        !is_backtrace && !line.trim().is_empty()
    });
    lines.take(TOLD_LINES).collect::<Vec<_>>().join("\n")
}

fn messages(list: &Value) -> String {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> BTreeSet<String> {
        list.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn the_list_of_a_binary_is_read() {
        assert_eq!(listed("a::b: test\nc: test\nd: benchmark\n\n"), names(&["a::b", "c"]));
    }

    #[test]
    fn the_failures_of_a_binary_that_counted_are_read_with_their_output() {
        let output = "running 3 tests\n\
            noise of a childtest a ... ok\n\
            test b ... FAILED\n\
            \n\
            failures:\n\
            \n\
            ---- b stdout ----\n\
            \n\
            thread 'b' panicked at x.rs:1:\n\
            \x20   left: 1\n\
            \n\
            \n\
            failures:\n\
            \x20   b\n\
            \n\
            test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        let results = of_harness(output, &names(&["a", "b"]), "exit status: 101");
        assert_eq!(results["a"], Ok(()));
        assert_eq!(results["b"], Err("\nthread 'b' panicked at x.rs:1:\n    left: 1".to_owned()));
        assert_eq!(results.len(), 2);
    }

    #[test]
    fn a_binary_that_died_has_failed_in_all_tests_that_had_not_passed() {
        let output = "running 2 tests\ntest a ... ok\nfatal runtime error\n";
        let results = of_harness(output, &names(&["a", "b"]), "signal: 6 (SIGABRT)");
        assert_eq!(results["a"], Ok(()));
        let why = results["b"].as_ref().unwrap_err();
        assert!(why.contains("SIGABRT") && why.contains("fatal runtime error"), "{why}");
    }

    #[test]
    fn a_test_that_is_named_as_failed_counts_also_where_it_was_not_expected() {
        let output = "failures:\n    c\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n";
        let results = of_harness(output, &names(&["a"]), "exit status: 101");
        assert_eq!(results["c"], Err("it printed nothing".to_owned()));
    }

    #[test]
    fn the_essence_of_a_failure_has_no_backtrace() {
        let output = "\nseed 7\nthread 'b' panicked at x.rs:1:\nnot seen\nstack backtrace:\n   0: begin_unwind\n\
            \x20            at panicking.rs:689:5\nnote: Some details are omitted.\nthread 'c' panicked at y.rs:2:\ngone\n";
        let expected = "seed 7\nthread 'b' panicked at x.rs:1:\nnot seen\nnote: Some details are omitted.\n\
            thread 'c' panicked at y.rs:2:\ngone";
        assert_eq!(essence(output), expected);
        assert_eq!(essence(&"line\n".repeat(1000)).lines().count(), TOLD_LINES);
    }

    #[test]
    fn a_report_of_vitest_is_read() {
        let report = r#"{"testResults": [
            {"name": "/a/web/src/x.test.ts", "status": "failed", "assertionResults": [
                {"fullName": "x is y", "status": "passed", "failureMessages": []},
                {"fullName": "x is z", "status": "failed", "failureMessages": ["one", "two"]},
                {"fullName": "x is w", "status": "pending", "failureMessages": []}]},
            {"name": "/a/web/src/broken.test.ts", "status": "failed", "message": "no import", "assertionResults": []}
        ]}"#;
        let results = of_vitest(report).unwrap();
        let expected = Results::from([
            ("broken.test.ts: the whole file".to_owned(), Err("no import".to_owned())),
            ("x.test.ts: x is y".to_owned(), Ok(())),
            ("x.test.ts: x is z".to_owned(), Err("one\ntwo".to_owned())),
        ]);
        assert_eq!(results, expected);
        assert!(of_vitest("{}").is_err());
    }
}
