//! Words and bytes on standard output.

use std::io::{self, IsTerminal, Write};

use anyhow::Context;
use serde::Serialize;

use crate::failure::Failure;

/// Writes to standard output.
pub(crate) fn write(bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    write_all(bytes.as_ref()).map_err(unwritten)
}

/// Writes to standard output, for a library that passes the error on to us.
pub(crate) fn write_all(bytes: &[u8]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(bytes)?;
    output.flush()
}

/// Why standard output could not be written.
pub(crate) fn unwritten(error: io::Error) -> Failure {
    Failure::from(anyhow::Error::from(error).context("cannot write standard output"))
}

/// Writes a value as JSON that a person can read too.
pub(crate) fn write_json(value: &impl Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(value).context("cannot write JSON")?;
    text.push('\n');
    write(text)
}

/// Writes a list: as JSON, or as a table for people. Says so if there is nothing in it.
pub(crate) fn write_list<T: Serialize>(
    list: &[T],
    json: bool,
    nothing: &str,
    table: impl FnOnce(&[T]) -> Result<String, Failure>,
) -> Result<(), Failure> {
    if json {
        write_json(&list)
    } else if list.is_empty() {
        eprintln!("{nothing}");
        Ok(())
    } else {
        write(table(list)?)
    }
}

/// Whether standard output takes colours: it is a terminal, and the environment does not switch colours off.
pub(crate) fn takes_colours() -> bool {
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && !no_colour && !is_dumb
}

/// How wide the terminal on standard output is, if it is one.
pub(crate) fn width_cols() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|&cols| cols > 0)
}
