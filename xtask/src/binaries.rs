//! The test binaries of the workspace: built once by cargo, then run by us.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::{io, thread};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::house::House;

/// So many test binaries run at the same time, and each runs so many tests for each core: most tests wait for processes
/// most of the time.
const BINARIES_AT_ONCE: usize = 2;
const TESTS_FOR_EACH_CORE: usize = 2;

/// The binaries that take longest, which begin first.
const LONG: [&str; 4] = ["cli it", "git it", "recording it", "playback it"];

/// One test binary that cargo has built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TestBinary {
    /// The package's directory, in which cargo would run it.
    pub(crate) directory: PathBuf,
    /// The package and the target, with a space between: `cli it`.
    pub(crate) name: String,
    /// The target's first source file.
    pub(crate) source: PathBuf,
    executable: PathBuf,
}

impl TestBinary {
    /// Builds all tests of the workspace; the binary that takes longest comes first. Errors and warnings of the compiler go to the user.
    pub(crate) fn build_all(house: &House) -> Result<Vec<TestBinary>> {
        let format = "--message-format=json-render-diagnostics";
        let mut cargo = house.cargo(&["test", "--workspace", "--no-run", format]);
        let output = cargo.stderr(Stdio::inherit()).output().context("cannot run cargo")?;
        ensure!(output.status.success(), "the tests do not build; the compiler's words are above");
        let mut binaries = of_messages(&String::from_utf8_lossy(&output.stdout));
        binaries
            .sort_by_key(|binary| LONG.iter().position(|name| *name == binary.name).unwrap_or(LONG.len()));
        Ok(binaries)
    }

    /// A call of this binary, as cargo would make it, with more tests at a time.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let tests_at_once = thread::available_parallelism().map_or(1, usize::from) * TESTS_FOR_EACH_CORE;
        let mut command = Command::new(&self.executable);
        command.env("RUST_TEST_THREADS", tests_at_once.to_string());
        command.args(arguments).current_dir(&self.directory).env("CARGO_MANIFEST_DIR", &self.directory);
        command
    }

    /// The file below `directory` that its output goes to.
    pub(crate) fn log(&self, directory: &Path) -> PathBuf {
        directory.join(format!("{}.log", self.name.replace(' ', "-")))
    }
}

/// Reads what cargo says of the artifacts it has built, one JSON object in each line.
fn of_messages(messages: &str) -> Vec<TestBinary> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let tests = messages.filter(|message| {
        message["reason"] == "compiler-artifact" && message["profile"]["test"] == Value::Bool(true)
    });
    tests
        .filter_map(|artifact| {
            let directory = Path::new(artifact["manifest_path"].as_str()?).parent()?.to_owned();
            let package = directory.file_name()?.to_string_lossy().into_owned();
            Some(TestBinary {
                name: format!("{package} {}", artifact["target"]["name"].as_str()?),
                source: PathBuf::from(artifact["target"]["src_path"].as_str()?),
                executable: PathBuf::from(artifact["executable"].as_str()?),
                directory,
            })
        })
        .collect()
}

/// Runs a command with all of its output in a file. A file and not a pipe: a process that a test leaves behind may hold
/// its output open, and must not keep us waiting.
pub(crate) fn log_to(command: &mut Command, log: &Path) -> io::Result<()> {
    if let Some(directory) = log.parent() {
        fs::create_dir_all(directory)?;
    }
    let file = File::create(log)?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    Ok(())
}

/// Does `work` for every item, for two of them at a time, in the order of the items.
pub(crate) fn side_by_side<T: Send>(items: Vec<T>, work: impl Fn(T) + Sync) {
    let items = Mutex::new(items.into_iter());
    let next = || items.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    thread::scope(|scope| {
        for _ in 0..BINARIES_AT_ONCE {
            scope.spawn(|| {
                while let Some(item) = next() {
                    work(item);
                }
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn test_binaries_are_found_in_the_messages_of_cargo() {
        let artifact = |test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/a/crates/cli/Cargo.toml",
                "target":{{"name":"it","src_path":"/a/crates/cli/tests/it/main.rs"}},
                "profile":{{"test":{test}}},"executable":{executable}}}"#
            )
            .replace('\n', " ")
        };
        let messages = [
            artifact(false, r#""/a/target/debug/abide""#),
            artifact(true, r#""/a/target/debug/deps/it-1""#),
            artifact(true, "null"),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
            "not JSON".to_owned(),
        ];
        let found = of_messages(&messages.join("\n"));
        let expected = TestBinary {
            directory: "/a/crates/cli".into(),
            name: "cli it".into(),
            source: "/a/crates/cli/tests/it/main.rs".into(),
            executable: "/a/target/debug/deps/it-1".into(),
        };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn all_items_are_done_and_two_of_them_at_the_same_time() {
        let both = Barrier::new(2);
        let done = Mutex::new(Vec::new());
        side_by_side(vec![1, 2, 3, 4], |item| {
            both.wait();
            done.lock().unwrap().push(item);
        });
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert_eq!(done, [1, 2, 3, 4]);
    }
}
