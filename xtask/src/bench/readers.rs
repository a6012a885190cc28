//! `cargo xtask bench readers`: what the three readers of output cost that share one grammar.

use std::process::ExitCode;

use anyhow::Result;

use super::instructions;
use super::table::Table;
use crate::house::House;

/// The readers: the terminal model, masking and the output filter, by the names that the example program has for them.
const READERS: [&str; 3] = ["abide", "masking", "filter"];

/// The streams, by the names that the example program has for them.
const STREAMS: [&str; 17] = [
    "ascii",
    "sgr",
    "unicode",
    "tui",
    "dense",
    "agent",
    "log",
    "mix",
    "compiler",
    "code",
    "frames",
    "source",
    "base64",
    "shell",
    "editor",
    "interface",
    "flood",
];

/// Counts instructions on the streams, or on the output in `files`, and prints a table.
pub(super) fn main(house: &House, files: &[&str]) -> Result<ExitCode> {
    let program = instructions::build(house)?;
    let mut table = Table::new("instructions/byte", &["terminal model", "masking", "filter"]);
    for stream in if files.is_empty() { &STREAMS } else { files } {
        let counts = READERS.map(|reader| instructions::for_each_byte(house, &program, reader, stream));
        table.add(stream, counts.into_iter().collect::<Result<_>>()?);
    }
    print!("{table}");
    Ok(ExitCode::SUCCESS)
}
