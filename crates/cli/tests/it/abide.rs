//! Runs `abide` with bytes on its standard input.

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::thread;

/// The program under test.
pub(crate) const ABIDE: &str = env!("CARGO_BIN_EXE_abide");

/// Runs `abide` to its end.
pub(crate) fn abide(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(ABIDE);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("abide starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    thread::scope(|scope| {
        // A program that refuses its arguments leaves its input unread.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().expect("abide ends")
    })
}

/// Runs `abide`, which must succeed, and gives what it wrote.
pub(crate) fn output(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let output = abide(arguments, input);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Runs `abide`, which must fail with this code, and gives its words.
pub(crate) fn failure(arguments: &[&str], code: i32) -> String {
    let output = abide(arguments, b"");
    let words = String::from_utf8(output.stderr).expect("words");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {words}");
    assert_eq!(output.stdout, b"", "{arguments:?}");
    words
}
