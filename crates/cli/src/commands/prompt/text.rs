//! The text of a prompt that is read from a file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Context;

use crate::failure::Failure;

/// No prompt is longer; the server says how long it may be.
const MOST_BYTES: u64 = 1 << 20;

/// Reads a file, or standard input if it is called `-`.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let read = if path.as_os_str() == "-" {
        io::stdin().lock().take(MOST_BYTES).read_to_string(&mut text)
    } else {
        File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_string(&mut text))
    };
    let read = read.with_context(|| format!("cannot read `{}`", path.display()));
    read.map_err(|error| Failure::from(error).hint("name a file of text that you can read"))?;
    Ok(text)
}
