//! Running a test again in a process of its own, where the surroundings may be changed.

use std::env;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::thread;

/// Tells the second run that it is one, and where it may write.
const DIRECTORY: &str = "ABIDE_TEST_AGAIN";

/// Where the second run may write, in the second run.
pub fn directory() -> Option<PathBuf> {
    env::var_os(DIRECTORY).map(PathBuf::from)
}

/// Runs the calling test again from a shell, `script` having set the stage there. In it `"$@"` is the test's command,
/// and `$dir` an empty directory. `shell` is the shell's command.
///
/// # Errors
///
/// When there is no such shell.
///
/// # Panics
///
/// When it is not called by a test.
pub fn run(shell: &[&str], script: &str) -> io::Result<Output> {
    let dir = tempfile::tempdir().expect("a directory for the second run");
    let test = thread::current().name().expect("the harness names a test's thread").to_owned();
    Command::new(shell[0])
        .args(&shell[1..])
        .args(["-c", script, "sh"])
        .arg(env::current_exe().expect("a test has a file"))
        .args(["--exact", &test, "--nocapture"])
        .env("dir", dir.path())
        .env(DIRECTORY, dir.path())
        .output()
}

/// Runs the calling test again, and fails as it does.
///
/// # Panics
///
/// When the second run fails.
#[track_caller]
pub fn check(script: &str) {
    assert_passed(&run(&["sh"], script).expect("a shell"));
}

/// A second run has passed.
///
/// # Panics
///
/// When it has not; what it said is shown.
#[track_caller]
pub fn assert_passed(output: &Output) {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "the second run:\n{out}\n{err}");
}
