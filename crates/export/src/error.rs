//! Why an export did not come to its end.

use std::io;

use thiserror::Error;

/// Why an export did not come to its end. What was written until then is of no use.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The recording has nothing to show.
    #[error("nothing is recorded there")]
    Empty,
    /// A page of it would be more than a browser can take.
    #[error("this is too long for a page that plays it; export less of it with `--last`, or as asciicast")]
    TooLong,
    /// It cannot be written.
    #[error("cannot write")]
    Write(#[from] io::Error),
}
