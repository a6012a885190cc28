//! Which test binaries start processes or wait.

use std::fs;
use std::path::Path;

use crate::binaries::TestBinary;

/// Words of code that starts a process or a thread, or that waits for time to pass.
const WORDS: [&str; 9] = [
    "std::process",
    "Command::new",
    "process::exit",
    "std::thread",
    "thread::spawn",
    "tokio::",
    "Duration",
    "testkit::House",
    "testkit::Program",
];

/// Whether any test of a binary may start a process or wait: whether a source file of its target has one of the words.
/// The tests inside a crate are built with all of its sources, so a crate that waits counts with all of them.
pub(super) fn waits(binary: &TestBinary) -> bool {
    let source = &binary.source;
    let is_one_file = source.parent().is_some_and(|directory| directory.ends_with("tests"));
    match source.parent() {
        Some(directory) if !is_one_file => any_source(directory),
        _ => fs::read_to_string(source).is_ok_and(|text| text_waits(&text)),
    }
}

fn any_source(directory: &Path) -> bool {
    let Ok(entries) = fs::read_dir(directory) else { return false };
    entries.filter_map(Result::ok).map(|entry| entry.path()).any(|path| {
        if path.is_dir() {
            any_source(&path)
        } else {
            path.extension().is_some_and(|extension| extension == "rs")
                && fs::read_to_string(&path).is_ok_and(|text| text_waits(&text))
        }
    })
}

fn text_waits(text: &str) -> bool {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.into_iter().any(|line| WORDS.iter().any(|word| line.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_starts_processes_or_waits_is_found_by_its_words() {
        assert!(text_waits("fn f() {\n    Command::new(\"sh\");\n}"));
        assert!(text_waits("use std::time::Duration;"));
        assert!(!text_waits("//! Says when Command::new is called.\nfn f() -> u8 { 1 }"));
    }
}
