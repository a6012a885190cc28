//! A host's first answer.

use std::path::Path;
use std::time::{Duration, Instant};

use model::display_safe;
use protocol::{HostMessage, Refused, ViewerMessage};

use crate::connection::{Connection, ConnectionError, Received};
use crate::socket::ReachError;

/// How long a host may take to answer. It answers at once unless it is stopped or the machine is choking, and a
/// person waits for this in front of a prompt.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// Why a host gave no answer, or another than was asked for.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// There is no host, or none that answers.
    #[error(transparent)]
    Reach(#[from] ReachError),
    /// The host does not do it.
    #[error("the host refuses: {}", display_safe(&.0.message))]
    Refused(Refused),
    /// The host closed the connection in place of an answer.
    #[error("the host closed the connection without an answer")]
    Closed,
    /// The host said something that is no answer to this.
    #[error("the host gave an unexpected answer")]
    OutOfTurn,
    /// What the host said could not be understood.
    #[error(transparent)]
    Connection(ConnectionError),
}

impl From<ConnectionError> for AskError {
    fn from(error: ConnectionError) -> AskError {
        match error {
            ConnectionError::Closed => AskError::Closed,
            other => AskError::Connection(other),
        }
    }
}

/// Connects, says one thing, and waits for the first answer, for no longer than [`ANSWER_WITHIN`].
pub(crate) fn ask(path: &Path, question: &ViewerMessage) -> Result<(Connection, HostMessage), AskError> {
    let mut connection = Connection::open(path)?;
    let answer = first_answer(&mut connection, question, Instant::now() + ANSWER_WITHIN)?
        .ok_or_else(|| ReachError::NotAnswering { path: path.into() })?;
    Ok((connection, answer))
}

/// The first answer; nothing when the deadline passes before it comes.
pub(crate) fn first_answer(
    connection: &mut Connection,
    question: &ViewerMessage,
    deadline: Instant,
) -> Result<Option<HostMessage>, AskError> {
    match connection.send(question) {
        // A host without room says so and closes, perhaps before it was asked; what it said is still there.
        Ok(()) | Err(ConnectionError::Closed) => {}
        Err(error) => return Err(error.into()),
    }
    match connection.receive_before(deadline)? {
        Received::Message(HostMessage::Refused(refused)) => Err(AskError::Refused(refused)),
        Received::Message(answer) => Ok(Some(answer)),
        Received::Closed => Err(AskError::Closed),
        Received::Late => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    use protocol::Refusal;

    use super::*;

    #[test]
    fn a_stopped_host_does_not_hang_the_caller() {
        let (ours, _host) = UnixStream::pair().unwrap();
        let mut connection = Connection::from_stream(ours);
        let soon = Instant::now() + Duration::from_millis(20);
        let answer = first_answer(&mut connection, &ViewerMessage::Status, soon).unwrap();
        assert_eq!(answer, None);
    }

    #[test]
    fn a_refusal_is_heard_even_if_the_host_has_closed_already() {
        let (ours, mut host) = UnixStream::pair().unwrap();
        let refused = Refused { code: Refusal::Full, message: "no room\x1b[31m".into() };
        host.write_all(&HostMessage::Refused(refused.clone()).to_bytes()).unwrap();
        drop(host);
        let mut connection = Connection::from_stream(ours);
        let error = first_answer(&mut connection, &ViewerMessage::Status, Instant::now()).unwrap_err();
        assert_eq!(error.to_string(), "the host refuses: no room\u{fffd}[31m");
        assert!(matches!(error, AskError::Refused(reason) if reason == refused));
    }
}
