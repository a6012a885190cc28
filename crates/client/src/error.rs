//! Why a request has no reply.

use std::io;
use std::path::PathBuf;

use api::{ErrorCode, Problem, ProblemBody};
use thiserror::Error;

/// Why a request has no reply.
#[derive(Debug, Error)]
pub enum Error {
    /// No server runs for the data directory.
    #[error("no server runs for this data directory")]
    NotRunning,
    /// The server has no socket, only a port: it could not make one, or its release makes none. The token is not sent to
    /// the port, where another program may listen.
    #[error(
        "the server at {} has no socket in the data directory, and abide sends its token nowhere else",
        model::display_safe(url)
    )]
    NoSocket {
        /// The address of its port.
        url: String,
    },
    /// There is no token to show, or it cannot be read.
    #[error("cannot read the server's token in `{}`", path.display())]
    NoToken {
        /// Where it should be.
        path: PathBuf,
        /// Why it cannot be read.
        source: io::Error,
    },
    /// The server took no connection, or closed it before the reply was complete.
    #[error("cannot reach the server at `{}`", socket.display())]
    Unreachable {
        /// Where it should listen.
        socket: PathBuf,
        /// What happened to the connection.
        source: io::Error,
    },
    /// The server did not answer in time.
    #[error("the server at `{}` is not answering", socket.display())]
    TimedOut {
        /// Where it listens.
        socket: PathBuf,
    },
    /// The server got a request to change something and did not answer in time. It finishes such a request by itself.
    #[error("the server at `{}` has not answered yet", socket.display())]
    Unfinished {
        /// Where it listens.
        socket: PathBuf,
    },
    /// The server does not accept the data directory's token.
    #[error("the server does not know this data directory's token")]
    TokenRefused,
    /// The server understood the request and refuses it, or failed.
    #[error("{}", model::display_safe(&.0.message))]
    Problem(Box<ProblemBody>),
    /// The server does not understand the request: it may be of another release.
    #[error("the server does not understand the request: {}", model::display_safe(&.0.message))]
    Misunderstood(Box<ProblemBody>),
    /// The server answered with this HTTP status and without an explanation that can be read.
    #[error("the server answered with status {status} and gave no reason")]
    Unexplained {
        /// The status.
        status: u16,
    },
    /// The reply is not what this release expects.
    #[error("the server's answer cannot be read")]
    Unreadable(#[source] serde_json::Error),
}

impl Error {
    /// The error that an answer with this status and body stands for.
    pub(crate) fn of_answer(status: u16, body: &[u8]) -> Error {
        let Ok(Problem { error }) = serde_json::from_slice(body) else {
            return Error::Unexplained { status };
        };
        match error.code {
            ErrorCode::Unauthenticated => Error::TokenRefused,
            code if is_misunderstanding(code) => Error::Misunderstood(Box::new(error)),
            _ => Error::Problem(Box::new(error)),
        }
    }
}

/// Whether the server refuses the form of a request, not its content.
fn is_misunderstanding(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::SecretInUrl
            | ErrorCode::BadJson
            | ErrorCode::BadQuery
            | ErrorCode::BadRequest
            | ErrorCode::InvalidBody
            | ErrorCode::UnknownPath
            | ErrorCode::MethodNotAllowed
            | ErrorCode::UnsupportedMediaType
            | ErrorCode::Misdirected
            | ErrorCode::UpgradeRequired
    )
}
