//! The sender of a request.

use std::net::IpAddr;

use api::ErrorCode;
use store::Scope;

use super::Gate;
use super::browser_name::browser_name;
use crate::listen::{Address, Peer};
use crate::problem::Failure;
use crate::tokens::NewToken;

/// The sender of a request: its address and its connection. Handlers find it among the request's extensions.
#[derive(Clone)]
pub struct Caller {
    gate: Gate,
    peer: Option<Peer>,
}

impl Caller {
    pub(super) fn new(gate: Gate, peer: Option<Peer>) -> Caller {
        Caller { gate, peer }
    }

    /// The gate that the request came through.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// The address that the request came from; none if it came over the Unix socket.
    fn ip(&self) -> Option<IpAddr> {
        match self.peer.as_ref()?.address() {
            Address::Port(address) => Some(address.ip()),
            Address::Socket => None,
        }
    }

    /// Whether the request came over the Unix socket.
    pub(super) fn is_at_socket(&self) -> bool {
        self.peer.as_ref().is_some_and(Peer::is_at_socket)
    }

    /// Whether the server accepts a bearer token here. Over the Unix socket it always does: only the server can listen
    /// there, so no other program gets the token.
    pub(super) fn may_bear_tokens(&self) -> bool {
        self.gate.0.bearer_tokens || self.is_at_socket()
    }

    /// Exchanges a one-time code for a token. The token has the browser's or the program's name.
    ///
    /// # Errors
    ///
    /// When the code is wrong (this answer is delayed if it happens often), or when the token cannot be saved.
    pub async fn exchange(&self, code: &str, user_agent: Option<&str>) -> Result<NewToken, Failure> {
        let gate = &self.gate.0;
        if !self.may_bear_tokens() {
            return Err(Failure::bearer_off());
        }
        let Some(owner) = gate.codes.take(code, gate.clock.now()) else {
            return Err(self.wrong_code().await);
        };
        gate.tokens
            .make(owner, &browser_name(user_agent.unwrap_or_default()), Scope::All, None)
            .await
            .map_err(|error| {
                tracing::warn!(%error, "cannot save a token for a browser");
                Failure::new(ErrorCode::Unavailable, "the server cannot save the token now")
            })
    }

    /// Counts a wrong code.
    pub(super) async fn wrong_code(&self) -> Failure {
        self.slow_down().await;
        Failure::new(ErrorCode::WrongCode, "this code is wrong, has been used, or has expired")
            .hint("get a new link with `abide open`")
    }

    /// Counts a wrong secret. Delays the answer if that happens often.
    pub(super) async fn wrong_guess(&self) -> Failure {
        self.slow_down().await;
        Failure::unauthenticated()
    }

    async fn slow_down(&self) {
        let gate = &self.gate.0;
        let wait = gate.guesses.wrong(self.ip(), gate.clock.now());
        if !wait.is_zero() {
            gate.clock.wait(wait).await;
        }
    }

    /// The connection that the request came over.
    pub(super) fn peer(&self) -> Option<&Peer> {
        self.peer.as_ref()
    }
}
