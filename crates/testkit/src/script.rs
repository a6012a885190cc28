//! Executable files that tests write and run.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes an executable file. Another process writes it: a file that this process holds open for writing is also open, for a
/// moment, in every process that another thread starts, and the kernel refuses to run it then ("Text file busy").
///
/// # Panics
///
/// When it cannot be written.
pub fn write_executable(path: &Path, text: &str) {
    let mut install = Command::new("install");
    install.args(["-m", "755", "/dev/stdin"]).arg(path).stdin(Stdio::piped());
    let mut install = install.spawn().expect("`install` is there");
    install.stdin.take().expect("its input").write_all(text.as_bytes()).expect("it reads");
    assert!(install.wait().expect("it is ours").success(), "cannot write `{}`", path.display());
}
