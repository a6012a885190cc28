//! The server of this data directory, asked over HTTP.
//!
//! It is found by the note that it leaves in the data directory, and knows us by the token beside that. Both are the
//! user's alone, and nothing of theirs is sent to another machine.

mod meant;
mod refusal;
mod token;

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context;
use home::Home;
use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::Response;
use ureq::{Agent, Body, RequestBuilder, Timeout};

use crate::failure::Failure;
use crate::settings::Settings;
use crate::workers;
pub(crate) use meant::{Named, the_one};
use token::Token;

/// Whoever listens on this machine takes a connection at once; a server that does not is stopped or starved.
const CONNECTS_WITHIN: Duration = Duration::from_secs(5);

/// Git may take its time with a large repository.
const ANSWERS_WITHIN: Duration = Duration::from_secs(60);

/// A session seldom has more workers, and they are ended one after the other.
const WORKERS_ENDED: u32 = 8;

/// No answer for us is longer.
const MOST_BYTES: u64 = 64 << 20;

/// What a server was asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    ToTell,
    /// Something that it does to its end, whether or not somebody waits.
    ToDo,
}

/// A server that runs.
pub(crate) struct Server {
    agent: Agent,
    url: String,
    token: Token,
}

impl Server {
    /// The server of the data directory that the environment names.
    ///
    /// # Errors
    ///
    /// When none runs, or we cannot show that we are its user.
    pub(crate) fn find() -> Result<Server, Failure> {
        Server::of(&workers::home()?)
    }

    /// The server of a data directory.
    ///
    /// # Errors
    ///
    /// When none runs, or we cannot show that we are its user.
    pub(crate) fn of(home: &Home) -> Result<Server, Failure> {
        let note = server::lock::running(home).ok_or_else(|| {
            Failure::ours("no server runs for this data directory").hint("start it with `abide serve`")
        })?;
        Server::at(note.url, token::read(home)?)
    }

    fn at(url: String, token: Token) -> Result<Server, Failure> {
        let address = url.strip_prefix("http://").and_then(|address| address.parse::<SocketAddr>().ok());
        if !address.is_some_and(|address| address.ip().is_loopback()) {
            let shown = model::display_safe(&url);
            return Err(Failure::ours(format!(
                "the server says that it is at `{shown}`, not on this machine"
            ))
            .hint("end it, and start it again with `abide serve`"));
        }
        Ok(Server { agent: agent(ANSWERS_WITHIN), url, token })
    }

    /// The same, given the time that the end of a session's workers may take.
    pub(crate) fn while_workers_end(self, settings: &Settings) -> Server {
        let grace = Duration::from_millis(settings.grace_ms).saturating_mul(WORKERS_ENDED);
        Server { agent: agent(ANSWERS_WITHIN.saturating_add(grace)), ..self }
    }

    /// Asks for something.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        self.answer(self.with_token(self.agent.get(self.place(path))).call(), Asked::ToTell)
    }

    /// Has something made or done that needs no more words.
    pub(crate) fn post<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        self.answer(self.with_token(self.agent.post(self.place(path))).send_empty(), Asked::ToDo)
    }

    /// Has something made or done.
    pub(crate) fn post_json<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, Failure> {
        self.answer(self.with_token(self.agent.post(self.place(path))).send_json(body), Asked::ToDo)
    }

    /// Has something removed.
    pub(crate) fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        self.answer(self.with_token(self.agent.delete(self.place(path))).call(), Asked::ToDo)
    }

    /// All of something that a person names one of.
    pub(crate) fn the_one<T: Named + DeserializeOwned>(&self, word: &str) -> Result<T, Failure> {
        the_one(self.get(T::LIST)?, word)
    }

    fn place(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    fn with_token<B>(&self, request: RequestBuilder<B>) -> RequestBuilder<B> {
        request.header("authorization", self.token.header())
    }

    fn answer<T: DeserializeOwned>(
        &self,
        answered: Result<Response<Body>, ureq::Error>,
        asked: Asked,
    ) -> Result<T, Failure> {
        let mut response = answered.map_err(|error| self.unreached(error, asked))?;
        let body = response.body_mut().with_config().limit(MOST_BYTES).read_to_vec();
        let body = body.map_err(|error| self.unreached(error, asked))?;
        if !response.status().is_success() {
            return Err(refusal::failure(response.status().as_u16(), &body));
        }
        // An answer without content is what there is to say about nothing.
        let body = if body.is_empty() { b"null" } else { body.as_slice() };
        serde_json::from_slice(body)
            .context("the server's answer cannot be read")
            .map_err(|error| Failure::from(error).hint(refusal::RELEASES))
    }

    fn unreached(&self, error: ureq::Error, asked: Asked) -> Failure {
        let slow = matches!(error, ureq::Error::Timeout(_))
            || matches!(&error, ureq::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut);
        let url = &self.url;
        if asked == Asked::ToDo && matches!(error, ureq::Error::Timeout(Timeout::RecvResponse)) {
            return Failure::ours(format!("the server at {url} has not answered yet"))
                .hint("it goes on with this unless it is stopped or starved; look again later");
        }
        if slow {
            return Failure::ours(format!("the server at {url} is not answering"))
                .hint("it may be stopped or starved; `abide doctor` says which process it is");
        }
        Failure::from(anyhow::Error::from(error).context(format!("cannot reach the server at {url}")))
            .hint("it may just have ended; `abide serve` starts it")
    }
}

/// Speaks to this machine alone: through no proxy, wherever the environment would have it go, and to no other place,
/// wherever an answer would send it.
fn agent(answers_within: Duration) -> Agent {
    let config = Agent::config_builder()
        .proxy(None)
        .max_redirects(0)
        .http_status_as_error(false)
        .user_agent(concat!("abide/", env!("CARGO_PKG_VERSION")))
        .timeout_connect(Some(CONNECTS_WITHIN))
        .timeout_send_request(Some(ANSWERS_WITHIN))
        .timeout_send_body(Some(ANSWERS_WITHIN))
        .timeout_recv_response(Some(answers_within))
        .timeout_recv_body(Some(ANSWERS_WITHIN));
    config.build().new_agent()
}

#[cfg(test)]
mod tests;
