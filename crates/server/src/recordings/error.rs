//! Why something recorded cannot be had.

use std::io;

use playback::QueryError;
use thiserror::Error;

use super::stop::Stopped;

/// Why something recorded cannot be had.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// There is no recording, or nothing in the part asked for.
    #[error("nothing is recorded there")]
    Empty,
    /// It was stopped before it was done.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The pattern cannot be searched for.
    #[error(transparent)]
    Pattern(#[from] QueryError),
    /// The pattern is longer than anybody writes.
    #[error("the pattern has more than {most} bytes")]
    LongPattern {
        /// How many it may have.
        most: usize,
    },
    /// A page that plays it would be more than a browser can take.
    #[error("this is too long for a page that plays it; ask for less of it, or for asciicast")]
    TooLong,
    /// The files cannot be read.
    #[error("cannot read the recording")]
    Read(#[source] io::Error),
    /// Whoever takes it takes no more.
    #[error("cannot write")]
    Write(#[source] io::Error),
}
