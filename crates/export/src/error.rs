//! Why an export failed.

use std::io;

use thiserror::Error;

/// Why an export did not come to its end. The bytes written until then are of no use.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The recording has nothing to show.
    #[error("nothing was recorded in this part")]
    Empty,
    /// A page of it would be more than a browser can take.
    #[error(
        "this is too long for a page that plays the recording; export less of it with `--last`, or as asciicast"
    )]
    TooLong,
    /// A picture of it would be more than a page can be expected to load.
    #[error(
        "this is too long for a moving picture; export less of it with `--since`, `--until` or `--last`, one screen of it with `--still`, or a page that plays it with `--format player`"
    )]
    TooLarge,
    /// It cannot be written.
    #[error("cannot write")]
    Write(#[from] io::Error),
}
