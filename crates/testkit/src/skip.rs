//! Tests that cannot run here, and say so.

use std::env;
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;

/// Environment variable that names the file in which skipped tests leave a line each.
///
/// `cargo xtask test` sets it and counts the lines, because the test harness knows only *passed* and *failed*
/// and hides what a passing test printed.
pub const SKIP_LOG: &str = "ABIDE_SKIP_LOG";

/// Says aloud that the calling test did not run, and why; the test then returns.
///
/// The line in the log names the test's binary, the test and the reason, separated by tabs. The harness names a
/// test's thread after the test, so call this from the test's own thread.
///
/// # Panics
///
/// When the log is asked for and cannot be written: a skip that is not reported is a failure.
pub fn skip(reason: &str) {
    eprintln!("SKIPPED: {reason}");
    if let Some(path) = env::var_os(SKIP_LOG) {
        let line = line(&binary(), thread::current().name().unwrap_or("unnamed"), reason);
        append(Path::new(&path), &line);
    }
}

fn binary() -> PathBuf {
    env::current_exe().unwrap_or_default()
}

fn line(binary: &Path, test: &str, reason: &str) -> String {
    let binary = binary.file_name().and_then(OsStr::to_str).unwrap_or("unnamed");
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{binary}\t{test}\t{reason}\n")
}

/// One write in append mode, so that lines of tests that run at once do not mix.
fn append(path: &Path, line: &str) {
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .and_then(|mut log| log.write_all(line.as_bytes()))
        .unwrap_or_else(|error| panic!("cannot write the skip log `{}`: {error}", path.display()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skip_with_any_reason_is_one_line() {
        let line = line(Path::new("deps/it-0123"), "shell::follows_resizes", "no PTY:\n\tnone left");
        assert_eq!(line, "it-0123\tshell::follows_resizes\tno PTY: none left\n");
    }
}
