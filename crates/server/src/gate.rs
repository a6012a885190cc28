//! The gate: in front of every route, every method and every upgrade, also of paths that nobody declared.
//!
//! A request passes if it is small enough, is addressed to us ([`Names`]), comes from one of our pages or from no page
//! at all, and carries a right secret or none. What then becomes of it is the [policy](crate::policy) of its route. A
//! WebSocket whose secret comes as its first message passes through [`SocketDoor`] as well.

mod answer_headers;
mod browser_name;
mod caller;
mod credential;
mod guesses;
mod names;
mod pace;
mod rules;
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
use http::header::{CONNECTION, HeaderValue};
use jiff::Timestamp;
use tower::{Layer, Service};

pub use caller::Caller;
pub use names::Names;
pub use pace::{Pace, RealPace, Wait};
pub(crate) use rules::is_private;
pub(crate) use socket_door::Ticket;
pub use socket_door::{CLOSE_FORBIDDEN, CLOSE_UNAUTHENTICATED, SocketDoor};

use crate::codes::{Codes, GOOD_FOR};
use crate::listen::Peer;
use crate::policy::Decided;
use crate::problem::Failure;
use crate::tokens::{CheckError, Principal, Secret, Tokens};
use credential::Credential;
use guesses::Guesses;

/// The gate. As a layer it goes around the whole router.
#[derive(Clone)]
pub struct Gate(Arc<Inner>);

struct Inner {
    names: Names,
    tokens: Tokens,
    codes: Codes,
    guesses: Guesses,
    pace: Arc<dyn Pace>,
}

/// A link that lets one browser in, once. It is as good as a token until it was used.
#[derive(Clone, PartialEq, Eq)]
pub struct Link {
    /// Where to go, with the code in the fragment, which browsers keep to themselves.
    pub url: String,
    /// Until when it can be used.
    pub expires_at: Timestamp,
}

impl Gate {
    /// A gate for a server with these names.
    pub fn new(names: Names, tokens: Tokens, pace: Arc<dyn Pace>) -> Gate {
        Gate(Arc::new(Inner { names, tokens, codes: Codes::default(), guesses: Guesses::default(), pace }))
    }

    /// What we are called.
    pub fn names(&self) -> &Names {
        &self.0.names
    }

    /// All tokens.
    pub fn tokens(&self) -> &Tokens {
        &self.0.tokens
    }

    /// A link that lets one browser in, once.
    ///
    /// # Errors
    ///
    /// When the machine has no random bytes.
    pub fn link(&self) -> Result<Link, home::StartError> {
        let code = self.0.codes.make(self.0.pace.now())?;
        let url = format!("{}/#{code}", self.0.names.page_url());
        Ok(Link { url, expires_at: self.0.pace.wall() + GOOD_FOR })
    }

    /// Looks at a request and says who it is from, if it says so.
    async fn admit(&self, request: &mut Request) -> Result<(), Failure> {
        let peer = request.extensions().get::<ConnectInfo<Peer>>().map(|ConnectInfo(peer)| peer.clone());
        let caller = Caller::new(self.clone(), peer);
        let credential = Credential::take(request.headers_mut());
        rules::examine(request, &self.0.names)?;
        let principal = match credential {
            Credential::None => None,
            Credential::Nonsense => return Err(caller.wrong_guess().await),
            Credential::Secret(secret) => Some(caller.check(&secret).await?),
        };
        if let Some(principal) = principal {
            request.extensions_mut().insert(principal);
        }
        request.extensions_mut().insert(caller);
        Ok(())
    }
}

impl<S> Layer<S> for Gate {
    type Service = Gated<S>;

    fn layer(&self, inner: S) -> Gated<S> {
        Gated { gate: self.clone(), inner }
    }
}

/// What is behind the gate.
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
        // The one that was polled ready is the one to call; its clone has not been.
        let ready = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, ready);
        Box::pin(async move {
            let private = is_private(request.uri().path());
            let has_body = !request.body().is_end_stream();
            let mut answer = match gate.admit(&mut request).await {
                Ok(()) => decided(inner.call(request).await?),
                Err(failure) => {
                    tracing::debug!(code = ?failure.0.code(), "refused at the gate");
                    failure.into_response()
                }
            };
            answer_headers::put_on(answer.headers_mut(), private);
            if has_body && answer.status().is_client_error() {
                // Of a body that nobody read, the rest may still be on its way: nothing can follow on this connection.
                answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok(answer)
        })
    }
}

/// An answer that no policy was asked about does not leave: somebody put a route beside the table.
fn decided(answer: Response) -> Response {
    if Decided::is_on(&answer) {
        return answer;
    }
    tracing::error!("a route without a policy was asked");
    Failure::new(ErrorCode::Internal, "this route has no policy").into_response()
}

impl Caller {
    /// Whose secret it is; wrong ones are answered late.
    async fn check(&self, secret: &Secret) -> Result<Principal, Failure> {
        match self.gate().tokens().check(secret).await {
            Ok(principal) => {
                self.admit();
                Ok(principal)
            }
            Err(CheckError::Wrong) => Err(self.wrong_guess().await),
            Err(error @ CheckError::Unavailable(_)) => {
                tracing::warn!(%error, "a token cannot be checked");
                Err(Failure::new(ErrorCode::Unavailable, "tokens cannot be looked up now"))
            }
        }
    }
}
