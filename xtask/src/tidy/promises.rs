//! `docs/promises.md` names tests that exist, for rows that exist.

use std::collections::HashSet;
use std::path::Path;

use super::{Finding, Source};

/// The table of promises and the tests that keep them.
const PROMISES: &str = "docs/promises.md";
/// The page whose rows the table names.
const THREATS: &str = "docs/threats.md";

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let find = |path: &str| sources.iter().find(|source| source.path == Path::new(path));
    let Some(promises) = find(PROMISES) else {
        return Vec::new();
    };
    let rows = find(THREATS).map(rows).unwrap_or_default();
    let tests = sources.iter().flat_map(tests).collect::<HashSet<_>>();

    let mut findings = Vec::new();
    for (number, line) in promises.lines() {
        let Some((row, named)) = promise(line) else { continue };
        if !rows.contains(row) {
            findings.push(promises.finding(number, format!("`{row}` is no row of {THREATS}")));
        }
        if named.is_empty() {
            findings.push(promises.finding(number, format!("no test keeps the promise `{row}`")));
        }
        let unknown =
            named.into_iter().filter(|test| !tests.contains(test.rsplit("::").next().unwrap_or(test)));
        findings.extend(unknown.map(|test| promises.finding(number, format!("there is no test `{test}`"))));
    }
    findings
}

/// The row's id and the tests in backticks in the last cell, if the line is a row of the table's body.
fn promise(line: &str) -> Option<(&str, Vec<&str>)> {
    let (row, rest) = line.strip_prefix('|')?.strip_suffix('|')?.split_once('|')?;
    let row = row.trim();
    let is_id = row.starts_with(|first: char| first.is_ascii_uppercase())
        && row.ends_with(|c: char| c.is_ascii_digit());
    let tests = rest.rsplit('|').next()?.split('`').skip(1).step_by(2).collect();
    is_id.then_some((row, tests))
}

/// The ids in the threats page: a capital letter and a number, before the words they stand for.
fn rows(threats: &Source) -> HashSet<&str> {
    let is_id = |word: &&str| {
        let mut letters = word.chars();
        letters.next().is_some_and(|first| first.is_ascii_uppercase())
            && word.len() > 1
            && letters.all(|letter| letter.is_ascii_digit())
    };
    let lines = threats.lines().filter(|(_, line)| line.starts_with("- "));
    lines.flat_map(|(_, line)| line.split_whitespace().filter(is_id)).collect()
}

/// The names of a file's functions, if it is Rust, or of its tests, if it is JavaScript.
fn tests(source: &Source) -> Vec<&str> {
    let is_script = ["js", "mjs", "ts"].iter().any(|extension| source.is(extension));
    if source.is("rs") {
        let after = source.text.split("fn ").skip(1);
        after.filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()).collect()
    } else if is_script {
        ["test(", "it("].iter().flat_map(|call| source.text.split(call).skip(1)).filter_map(quoted).collect()
    } else {
        Vec::new()
    }
}

/// The text in quotes with which `rest` begins.
fn quoted(rest: &str) -> Option<&str> {
    let rest = rest.trim_start();
    let quote = rest.chars().next().filter(|first| "\"'`".contains(*first))?;
    rest[1..].split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    const ROWS: &str = "- [ ] S20 One answer. S21 None.\n";
    const HEAD: &str = "| Row | Promise | Tests |\n| --- | --- | --- |\n";

    fn wrong(table: &str) -> Vec<String> {
        let sources = [
            source(PROMISES, &format!("{HEAD}{table}")),
            source(THREATS, ROWS),
            source("crates/terminal/tests/laws.rs", "fn s20_one_answer() {}\nfn s21_(x: u8) {}"),
            source(
                "crates/terminal/tests/oracle/run.mjs",
                "test('any split', () => {})\nit(\n  \"is quiet\")",
            ),
        ];
        check(&sources).into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn an_empty_table_promises_nothing() {
        assert_eq!(wrong(""), [""; 0]);
    }

    #[test]
    fn tests_in_rust_and_in_javascript_are_found() {
        assert_eq!(
            wrong("| S20 | `reply` | `laws::s20_one_answer`, `any split` |\n| S21 | x | `is quiet` |\n"),
            [""; 0]
        );
    }

    #[test]
    fn tests_and_rows_that_do_not_exist_are_named() {
        assert_eq!(wrong("| S20 | x | `s20_one` |\n"), ["there is no test `s20_one`"]);
        assert_eq!(wrong("| S20 | `x` | |\n"), ["no test keeps the promise `S20`"]);
        assert_eq!(wrong("| S99 | x | `s20_one_answer` |\n"), ["`S99` is no row of docs/threats.md"]);
    }
}
