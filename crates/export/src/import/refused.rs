//! Why an import is refused.

use std::io;

use model::display_safe;
use thiserror::Error;

/// Where and why a file is not taken. The words are safe to show, even where they repeat parts of the file.
#[derive(Debug, Error)]
#[error("line {line}: {why}")]
pub struct ImportError {
    /// The line, the first being 1.
    pub line: u64,
    /// What is wrong with it.
    pub why: Refused,
}

/// Why a file is not taken.
#[derive(Debug, Error)]
pub enum Refused {
    /// It is compressed.
    #[error("the file is compressed with {0}; decompress it first")]
    Compressed(&'static str),
    /// There is nothing, or something else.
    #[error("this is not an asciicast file")]
    NotACast,
    /// It is of a version from the future.
    #[error("abide does not know asciicast version {0}, only 1, 2 and 3")]
    Version(u64),
    /// The header lacks the terminal's size.
    #[error("the header does not say how large the terminal is")]
    NoSize,
    /// A line is no JSON, or no event.
    #[error("this is not an event: {}", display_safe(&.0.to_string()))]
    Json(serde_json::Error),
    /// A resize names no size.
    #[error("{}", display_safe(&.0.to_string()))]
    Size(model::ParseTermSizeError),
    /// A line is too long.
    #[error("the line has more than {0} bytes")]
    Line(usize),
    /// A file of version 1 is too long.
    #[error("a file of version 1 may have at most {0} bytes")]
    Old(usize),
    /// There is too much.
    #[error("the file has more than {0} bytes")]
    Bytes(u64),
    /// There are too many events.
    #[error("the file has more than {0} events")]
    Events(u64),
    /// The terminal changes its size too often.
    #[error("the terminal changes its size more than {0} times")]
    Resizes(u64),
    /// There is too much output.
    #[error("the file has more than {0} bytes of output")]
    Output(u64),
    /// It cannot be read.
    #[error("cannot read: {0}")]
    Read(io::Error),
}
