//! Who is at the gate.

use std::net::{IpAddr, Ipv4Addr};

use api::ErrorCode;
use store::Scope;

use super::Gate;
use super::browser_name::browser_name;
use crate::listen::Peer;
use crate::problem::Failure;
use crate::tokens::NewToken;

/// Whoever sent a request: where from, and over which connection. Handlers find it among a request's extensions.
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

    /// Where the request came from.
    pub fn ip(&self) -> IpAddr {
        self.peer.as_ref().map_or(Ipv4Addr::UNSPECIFIED.into(), |peer| peer.address().ip())
    }

    /// Takes a one-time code and gives a token for it, which a browser keeps. It is named after the browser.
    ///
    /// # Errors
    ///
    /// When the code is not right, which is answered late, or when the token cannot be saved.
    pub async fn exchange(&self, code: &str, user_agent: Option<&str>) -> Result<NewToken, Failure> {
        let gate = &self.gate.0;
        if !gate.codes.take(code, gate.pace.now()) {
            self.slow_down().await;
            return Err(Failure::new(ErrorCode::WrongCode, "this code is wrong, used or too old")
                .hint("get a new link with `abide open`"));
        }
        gate.tokens.make(&browser_name(user_agent.unwrap_or_default()), Scope::All, None).await.map_err(
            |error| {
                tracing::warn!(%error, "no token for a browser");
                Failure::new(ErrorCode::Unavailable, "the token cannot be saved now")
            },
        )
    }

    /// Somebody came with something that is not right. Answers late if that happens often.
    pub(super) async fn wrong_guess(&self) -> Failure {
        self.slow_down().await;
        Failure::unauthenticated()
    }

    async fn slow_down(&self) {
        let gate = &self.gate.0;
        let wait = gate.guesses.wrong(self.ip(), gate.pace.now());
        if !wait.is_zero() {
            gate.pace.wait(wait).await;
        }
    }

    /// The connection has brought a right secret, and is no longer one of the few that may be without.
    pub(super) fn admit(&self) {
        if let Some(peer) = &self.peer {
            peer.admit();
        }
    }
}
