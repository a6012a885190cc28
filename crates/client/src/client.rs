//! The connection to a server: where it is, how long to wait, what goes over the wire.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use home::{Home, ServerNote};
use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::Response;
use ureq::{Agent, Body, RequestBuilder, Timeout};

use crate::Error;
use crate::socket::{NAME, NoNames, SocketConnector};
use crate::token::Token;

/// A server on this machine takes a connection at once, unless it is stopped or starved.
const CONNECTS_WITHIN: Duration = Duration::from_secs(5);

/// Git may take its time with a large repository.
const ANSWERS_WITHIN: Duration = Duration::from_secs(60);

/// A session seldom has more workers, and the server ends them one after the other.
const WORKERS_ENDED: u32 = 8;

/// No answer for us is longer.
const MOST_BYTES: u64 = 64 << 20;

/// What a request asks of the server.
#[derive(Clone, Copy)]
enum Asked {
    ToTell,
    /// Something that the server finishes, even when the client waits no longer.
    ToDo,
}

/// How long to wait for an answer.
enum Patience {
    /// So long for the head of an answer; longer for its body.
    Answer(Duration),
    /// So long from the beginning to the end.
    All(Duration),
}

/// A server that runs.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    socket: PathBuf,
    token: Token,
}

impl Client {
    /// The server of a data directory.
    ///
    /// # Errors
    ///
    /// When none runs, when it has no socket, or when its token cannot be read.
    pub fn of(home: &Home) -> Result<Client, Error> {
        let note = ServerNote::running(home).ok_or(Error::NotRunning)?;
        let Some(socket) = note.socket_path(home) else { return Err(Error::NoSocket { url: note.url }) };
        let agent = agent(&Patience::Answer(ANSWERS_WITHIN), &socket);
        Ok(Client { agent, socket, token: Token::of(home)? })
    }

    /// A server on this machine takes a connection within this time, unless it is stopped or starved.
    pub(crate) const CONNECTS_WITHIN: Duration = CONNECTS_WITHIN;

    /// Where the server listens.
    pub(crate) fn socket_path(&self) -> &Path {
        &self.socket
    }

    /// The token, as a request carries it.
    pub(crate) fn token_header(&self) -> String {
        self.token.header()
    }

    /// The same, for requests that end a session's workers. Each worker has `grace` to end by itself.
    #[must_use]
    pub fn while_workers_end(self, grace: Duration) -> Client {
        let patience = ANSWERS_WITHIN.saturating_add(grace.saturating_mul(WORKERS_ENDED));
        Client { agent: agent(&Patience::Answer(patience), &self.socket), ..self }
    }

    /// The same, for requests that are not worth waiting for any longer than this.
    #[must_use]
    pub fn answering_within(self, patience: Duration) -> Client {
        Client { agent: agent(&Patience::All(patience), &self.socket), ..self }
    }

    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Error> {
        self.reply(self.with_token(self.agent.get(place(path))).call(), Asked::ToTell)
    }

    pub(crate) fn post<T: DeserializeOwned>(&self, path: &str) -> Result<T, Error> {
        self.reply(self.with_token(self.agent.post(place(path))).send_empty(), Asked::ToDo)
    }

    pub(crate) fn post_json<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &(impl Serialize + ?Sized),
    ) -> Result<T, Error> {
        self.reply(self.with_token(self.agent.post(place(path))).send_json(body), Asked::ToDo)
    }

    pub(crate) fn delete(&self, path: &str) -> Result<(), Error> {
        self.reply(self.with_token(self.agent.delete(place(path))).call(), Asked::ToDo)
    }

    fn with_token<B>(&self, request: RequestBuilder<B>) -> RequestBuilder<B> {
        request.header("authorization", self.token.header())
    }

    fn reply<T: DeserializeOwned>(
        &self,
        answered: Result<Response<Body>, ureq::Error>,
        asked: Asked,
    ) -> Result<T, Error> {
        let mut response = answered.map_err(|error| self.unanswered(error, asked))?;
        let body = response.body_mut().with_config().limit(MOST_BYTES).read_to_vec();
        let body = body.map_err(|error| self.unanswered(error, asked))?;
        if !response.status().is_success() {
            return Err(Error::of_answer(response.status().as_u16(), &body));
        }
        // A reply without content is read as JSON's null.
        let body = if body.is_empty() { b"null" } else { body.as_slice() };
        serde_json::from_slice(body).map_err(Error::Unreadable)
    }

    fn unanswered(&self, error: ureq::Error, asked: Asked) -> Error {
        let socket = self.socket.clone();
        match (error, asked) {
            (ureq::Error::Timeout(Timeout::RecvResponse), Asked::ToDo) => Error::Unfinished { socket },
            (ureq::Error::Timeout(_), _) => Error::TimedOut { socket },
            (ureq::Error::Io(error), _) if error.kind() == io::ErrorKind::TimedOut => {
                Error::TimedOut { socket }
            }
            (error, _) => Error::Unreachable { socket, source: error.into_io() },
        }
    }
}

fn place(path: &str) -> String {
    format!("{NAME}{path}")
}

/// An agent that speaks to this socket alone: it uses no proxy of the environment and follows no redirect.
fn agent(patience: &Patience, socket: &Path) -> Agent {
    let (answer, all) = match *patience {
        Patience::Answer(answer) => (answer, None),
        Patience::All(all) => (all, Some(all)),
    };
    let config = Agent::config_builder()
        .proxy(None)
        .max_redirects(0)
        .http_status_as_error(false)
        .user_agent(concat!("abide/", env!("CARGO_PKG_VERSION")))
        .timeout_connect(Some(CONNECTS_WITHIN))
        .timeout_send_request(Some(ANSWERS_WITHIN))
        .timeout_send_body(Some(ANSWERS_WITHIN))
        .timeout_recv_response(Some(answer))
        .timeout_recv_body(Some(ANSWERS_WITHIN))
        .timeout_global(all);
    Agent::with_parts(config.build(), SocketConnector { path: socket.to_owned() }, NoNames)
}

#[cfg(test)]
mod tests {
    use serde::de::IgnoredAny;
    use testkit::{Answer, ScriptedServer};

    use super::*;

    #[test]
    fn a_change_without_an_answer_is_unfinished_and_a_question_has_timed_out() {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("server.sock");
        let _server = ScriptedServer::start(&socket, "secret", vec![Answer::nothing("")]);
        let token = Token::from("secret");
        let agent = agent(&Patience::Answer(Duration::from_millis(50)), &socket);
        let client = Client { agent, socket, token };
        let unfinished = client.post::<IgnoredAny>("/api/tasks/x/complete").unwrap_err();
        assert!(matches!(unfinished, Error::Unfinished { .. }), "{unfinished:?}");
        let timed_out = client.get::<IgnoredAny>("/api/tasks").unwrap_err();
        assert!(matches!(timed_out, Error::TimedOut { .. }), "{timed_out:?}");
    }
}
