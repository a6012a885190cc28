//! The server's events, as they happen.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Instant;

use api::DashboardMessage;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::header::AUTHORIZATION;
use tungstenite::{HandshakeError, Message, WebSocket};

use crate::socket::SocketConnector;
use crate::{Client, Error};

/// Where the server tells its events. The name stands for the socket.
const DASHBOARD: &str = "ws://localhost/ws/dashboard";

/// What the server tells on its dashboard's socket: everything as it is, then every change.
pub struct Events {
    socket: WebSocket<UnixStream>,
    path: PathBuf,
}

impl Client {
    /// Begins to listen to what happens. The first message is the state of everything.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn events(&self) -> Result<Events, Error> {
        let path = self.socket_path().to_owned();
        let unreachable = |source| Error::Unreachable { socket: path.clone(), source };
        let stream = SocketConnector { path: path.clone() }.connect(Some(Client::CONNECTS_WITHIN));
        let stream = stream.map_err(unreachable)?;
        stream.set_read_timeout(Some(Client::CONNECTS_WITHIN)).map_err(unreachable)?;
        let request = DASHBOARD.into_client_request().and_then(|mut request| {
            request.headers_mut().insert(AUTHORIZATION, self.token_header().parse()?);
            Ok(request)
        });
        let request = request.map_err(|error| unreachable(io::Error::other(error)))?;
        match tungstenite::client(request, stream) {
            Ok((socket, _)) => Ok(Events { socket, path }),
            Err(HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
                Err(Error::of_answer(answer.status().as_u16(), answer.body().as_deref().unwrap_or_default()))
            }
            Err(HandshakeError::Failure(error)) => Err(unreachable(into_io(error))),
            Err(HandshakeError::Interrupted(_)) => Err(Error::TimedOut { socket: path }),
        }
    }
}

impl Events {
    /// The next message. Nothing if none comes before the deadline. Messages of a kind that this release does not know are
    /// passed over.
    ///
    /// # Errors
    ///
    /// When the server ends, or does not answer.
    pub fn next(&mut self, deadline: Option<Instant>) -> Result<Option<DashboardMessage>, Error> {
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(None);
            }
            self.socket.get_ref().set_read_timeout(left).map_err(|source| self.gone(source))?;
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    if let Ok(message) = serde_json::from_str(&text) {
                        return Ok(Some(message));
                    }
                }
                Ok(Message::Close(_)) => return Err(self.gone(io::ErrorKind::UnexpectedEof.into())),
                Ok(_) => {}
                Err(error) => {
                    let error = into_io(error);
                    if !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) {
                        return Err(self.gone(error));
                    }
                }
            }
        }
    }

    fn gone(&self, source: io::Error) -> Error {
        Error::Unreachable { socket: self.path.clone(), source }
    }
}

fn into_io(error: tungstenite::Error) -> io::Error {
    match error {
        tungstenite::Error::Io(error) => error,
        error => io::Error::other(error),
    }
}
