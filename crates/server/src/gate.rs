//! The gate. Every request passes through it first: for every route, every method and every upgrade, and also for
//! unknown paths.
//!
//! The gate lets a request pass if it is small enough, its `Host` is one of our names ([`Names`]), it comes from one of
//! our pages or from no page, and it carries a valid secret or none. The [policy](crate::policy) of the route decides
//! the rest. If a WebSocket sends its secret as its first message, [`SocketDoor`] checks that secret.

mod answer_headers;
mod bonds;
mod bound;
mod browser_name;
mod caller;
mod clock;
mod credential;
mod guesses;
mod names;
mod proofs;
mod rules;
mod server_key;
mod sharing;
mod socket_door;

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use api::ErrorCode;
use axum::body::HttpBody;
use axum::extract::{ConnectInfo, Request};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{CONNECTION, HeaderValue};
use jiff::Timestamp;
use model::OwnerId;
use tower::{Layer, Service};

pub use caller::Caller;
pub use clock::{Clock, RealClock, Wait};
pub use names::Names;
pub(crate) use rules::is_private;
pub use server_key::ServerKey;
pub(crate) use socket_door::Ticket;
pub use socket_door::{CLOSE_BOND_OVER, CLOSE_FORBIDDEN, CLOSE_UNAUTHENTICATED, SocketDoor};

use crate::codes::{Codes, GOOD_FOR};
use crate::listen::{Limits, Peer};
use crate::policy::Decided;
use crate::problem::Failure;
use crate::shares::Shares;
use crate::tokens::{CheckError, Principal, Secret, Tokens};
use bonds::Bonds;
use bound::Bound;
use credential::Credential;
use guesses::Guesses;
use proof::ServerSide;

/// The gate, as a layer around the whole router.
#[derive(Clone)]
pub struct Gate(Arc<Inner>);

struct Inner {
    names: Names,
    tokens: Tokens,
    codes: Codes,
    guesses: Guesses,
    shares: Shares,
    clock: Arc<dyn Clock>,
    bonds: Bonds,
    /// The server's key. Without one, no browser can sign in.
    side: Option<ServerSide>,
    bearer_tokens: bool,
}

/// A link that signs in one browser, once. Until it is used, it must be kept as secret as a token.
#[derive(Clone, PartialEq, Eq)]
pub struct Link {
    /// The address of the page. The code is in the fragment, which browsers do not send to servers.
    pub url: String,
    /// When the link expires.
    pub expires_at: Timestamp,
}

impl Gate {
    /// Makes the gate of a server with these names.
    pub fn new(names: Names, tokens: Tokens, clock: Arc<dyn Clock>) -> Gate {
        let shares = Shares::new(Limits::of_this_process().connections);
        Gate(Arc::new(Inner {
            names,
            tokens,
            codes: Codes::default(),
            guesses: Guesses::default(),
            shares,
            bonds: Bonds::new(clock.now()),
            clock,
            side: None,
            bearer_tokens: true,
        }))
    }

    /// The same gate, with the server's key, and whether it accepts bearer tokens.
    ///
    /// # Panics
    ///
    /// When the gate is in use already, which is a bug that every start shows.
    #[must_use]
    pub fn with(mut self, side: ServerSide, bearer_tokens: bool) -> Gate {
        let inner = Arc::get_mut(&mut self.0).expect("the gate is not in use yet");
        inner.side = Some(side);
        inner.bearer_tokens = bearer_tokens;
        self
    }

    /// The server's names.
    pub fn names(&self) -> &Names {
        &self.0.names
    }

    /// All tokens.
    pub fn tokens(&self) -> &Tokens {
        &self.0.tokens
    }

    /// Makes a link that signs in one browser, once, as this owner.
    ///
    /// # Errors
    ///
    /// When the machine has no random bytes.
    pub fn link(&self, owner: OwnerId) -> Result<Link, home::StartError> {
        let code = self.0.codes.make(owner, self.0.clock.now())?;
        let url = format!("{}/#{code}", self.0.names.page_url());
        Ok(Link { url, expires_at: self.0.clock.wall() + GOOD_FOR })
    }

    /// Checks a request. If it carries a valid secret, adds the [`Principal`] to its extensions.
    /// If it is bound, says so in `bound`, so that its answer is bound too.
    async fn admit(&self, request: &mut Request, bound: &mut Option<Bound>) -> Result<(), Failure> {
        let caller = Caller::new(self.clone(), peer_of(request));
        let credential = Credential::take(request.headers_mut());
        rules::examine(request, &self.0.names, caller.is_at_socket())?;
        let principal = match credential {
            Credential::None => None,
            Credential::Nonsense => return Err(caller.wrong_guess().await),
            Credential::Secret(secret) => Some(caller.check(&secret).await?),
            Credential::Bond(claim) => {
                let (known, principal) = self.bound(request, &claim, &caller).await?;
                *bound = Some(known);
                let principal = principal?;
                caller.admit(&principal)?;
                Some(principal)
            }
        };
        if let Some(principal) = principal {
            request.extensions_mut().insert(principal);
        }
        request.extensions_mut().insert(caller);
        Ok(())
    }
}

/// The other end of the connection that a request came over.
fn peer_of(request: &Request) -> Option<Peer> {
    request.extensions().get::<ConnectInfo<Peer>>().map(|ConnectInfo(peer)| peer.clone())
}

impl<S> Layer<S> for Gate {
    type Service = Gated<S>;

    fn layer(&self, inner: S) -> Gated<S> {
        Gated { gate: self.clone(), inner }
    }
}

/// The service behind the gate.
#[derive(Clone)]
pub struct Gated<S> {
    gate: Gate,
    inner: S,
}

impl<S> Service<Request> for Gated<S>
where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let gate = self.gate.clone();
        // Call the service that was polled ready. Its clone has not been polled.
        let ready = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, ready);
        Box::pin(async move {
            let private = is_private(request.uri().path());
            let peer = peer_of(&request);
            let sender = peer.clone().filter(|_| !request.body().is_end_stream());
            let mut bound = None;
            let mut answer = match gate.admit(&mut request, &mut bound).await {
                Ok(()) => gate.answer(request, &mut inner).await?,
                Err(failure) => {
                    tracing::debug!(code = ?failure.0.code(), "refused at the gate");
                    failure.into_response()
                }
            };
            answer_headers::put_on(answer.headers_mut(), private);
            if let Some(bound) = bound {
                bound.put_on(&mut answer);
            }
            let is_over = match answer.status() {
                // The connection may have no place in its token's share.
                StatusCode::TOO_MANY_REQUESTS => true,
                // The connection ends with the token that it had, so no other request may follow on it.
                StatusCode::UNAUTHORIZED => peer.is_some_and(|peer| peer.has_place()),
                _ => false,
            };
            if is_over {
                answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            if let Some(sender) = sender
                && (answer.status().is_client_error() || answer.status().is_server_error())
            {
                // The rest of a refused body may still be on its way: no request can follow on this connection.
                answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                sender.read_on();
            }
            Ok(answer)
        })
    }
}

/// Replaces an answer that no policy decided about: its route was added without the table, which is a bug.
fn decided(answer: Response) -> Response {
    if Decided::is_on(&answer) {
        return answer;
    }
    tracing::error!("a request reached a route without a policy");
    Failure::new(ErrorCode::Internal, "this route has no policy").into_response()
}

impl Failure {
    /// A token that was shown rightly is over, or cannot be looked up.
    fn unchecked(error: &CheckError) -> Failure {
        match error {
            CheckError::Wrong => Failure::unauthenticated(),
            CheckError::Unavailable(_) => {
                tracing::warn!(%error, "cannot check a token");
                Failure::new(ErrorCode::Unavailable, "the server cannot look up tokens now")
            }
        }
    }

    fn bond_over() -> Failure {
        Failure::new(ErrorCode::BondOver, "the server no longer shares a key with this page")
            .hint("say hello again; a page does so by itself")
    }

    fn bearer_off() -> Failure {
        Failure::new(ErrorCode::BearerOff, "this server accepts no bearer tokens at its port")
            .hint("send it to the server's Unix socket, or turn the setting `bearer_tokens` on")
    }
}

impl Caller {
    /// Finds the principal of a secret. Delays the answer to a wrong secret.
    async fn check(&self, secret: &Secret) -> Result<Principal, Failure> {
        if !self.may_bear_tokens() {
            return Err(Failure::bearer_off());
        }
        match self.gate().tokens().check(secret).await {
            Ok(principal) => {
                self.admit(&principal)?;
                Ok(principal)
            }
            Err(CheckError::Wrong) => Err(self.wrong_guess().await),
            Err(error @ CheckError::Unavailable(_)) => Err(Failure::unchecked(&error)),
        }
    }
}
