//! Why a recording cannot be read.

use std::io;

use playback::QueryError;
use thiserror::Error;

use reading::Stopped;

/// Why a recording cannot be read.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// There is no recording, or nothing in the part asked for.
    #[error("nothing was recorded in this part")]
    Empty,
    /// Reading was stopped before its end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The pattern cannot be searched for.
    #[error(transparent)]
    Pattern(#[from] QueryError),
    /// The pattern is too long.
    #[error("the pattern has more than {most} bytes")]
    LongPattern {
        /// The number of bytes that it may have.
        most: usize,
    },
    /// A page that plays the recording would be too large for a browser.
    #[error("this is too long for a page that plays the recording; ask for less of it, or for asciicast")]
    TooLong,
    /// A moving picture of the recording would be too large for a page.
    #[error(
        "this is too long for a moving picture; ask for less of it, for one screen with `still=true`, or for `format=player`"
    )]
    TooLarge,
    /// The files cannot be read.
    #[error("cannot read the recording")]
    Read(#[source] io::Error),
    /// The answer cannot be written.
    #[error("cannot write")]
    Write(#[source] io::Error),
}
