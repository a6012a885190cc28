//! Words and bytes on standard output.

use std::io::{self, IsTerminal, Write};

use anyhow::Context;
use serde::Serialize;

use crate::failure::Failure;

/// Writes to standard output.
pub(crate) fn write(bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    let written = output.write_all(bytes.as_ref()).and_then(|()| output.flush());
    Ok(written.context("cannot write standard output")?)
}

/// Writes a value as JSON that a person can read too.
pub(crate) fn write_json(value: &impl Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(value).context("cannot write JSON")?;
    text.push('\n');
    write(text)
}

/// Whether standard output takes colours: it is a terminal, and nobody asked for none.
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
