//! Answers requests within the share of their token.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use futures_util::stream::unfold;
use http_body_util::BodyExt;
use tower::Service;

use super::{Caller, Gate, decided, peer_of};
use crate::listen::{Answering, Peer};
use crate::problem::Failure;
use crate::shares::{BODY_WITHIN, Share, Shares};
use crate::tokens::Principal;

/// An answer of at most this length does not count any more when it is on its way.
const SMALL_ANSWER_BYTES: u64 = 64 * 1024;

impl Gate {
    /// What each token uses.
    pub(crate) fn shares(&self) -> &Shares {
        &self.0.shares
    }

    /// The share of a principal.
    pub(crate) fn share(&self, who: &Principal) -> Arc<Share> {
        self.shares().of(who, self.tokens())
    }

    /// Lets the handler answer a request that the gate let pass.
    pub(super) async fn answer<S>(&self, request: Request, inner: &mut S) -> Result<Response, Infallible>
    where
        S: Service<Request, Response = Response, Error = Infallible>,
    {
        let peer = peer_of(&request);
        let Some(share) = request.extensions().get::<Principal>().map(|who| self.share(who)) else {
            if peer.is_some_and(|peer| !peer.is_own_user())
                && let Err(busy) = self.shares().stranger().await
            {
                return Ok(Failure(busy).into_response());
            }
            return Ok(decided(inner.call(request).await?));
        };
        // Before anything that waits: the answer to the last request of a token that ends is still sent.
        let _working = peer.as_ref().map(Peer::work);
        let held = tokio::select! {
            biased;
            () = share.over() => return Ok(Failure::unauthenticated().into_response()),
            held = share.request() => held,
        };
        let held = match held {
            Ok(held) => held,
            Err(busy) => return Ok(Failure(busy).into_response()),
        };
        let only_reads = request.method().is_safe();
        let request = until_over(request, &share);
        let answer = tokio::select! {
            biased;
            () = share.over(), if only_reads => Failure::unauthenticated().into_response(),
            answer = inner.call(request) => decided(answer?),
        };
        if let Some(peer) = &peer
            && answer.body().size_hint().exact().is_some_and(|bytes| bytes > SMALL_ANSWER_BYTES)
        {
            // Until the client has taken it, the answer takes memory. A stream has a limit of its own.
            peer.hold(held);
        }
        Ok(match peer {
            Some(peer) => answer.map(|body| until_sent(body, peer.answer())),
            None => answer,
        })
    }
}

impl Caller {
    /// Notes that the connection has sent the secret of this principal. From now on it is a part of the token's share,
    /// and no longer counts towards the limit of anonymous connections.
    ///
    /// # Errors
    ///
    /// When the token has as many connections as it may.
    pub(super) fn admit(&self, who: &Principal) -> Result<(), Failure> {
        let Some(peer) = self.peer() else { return Ok(()) };
        Ok(peer.admit(&self.gate().share(who))?)
    }
}

/// A body fails when its token is over, and the body of a guest's request also when it takes too long to arrive.
fn until_over(request: Request, share: &Arc<Share>) -> Request {
    if request.body().is_end_stream() {
        return request;
    }
    let (over, is_guest) = (share.over(), share.is_guest());
    let end = async move {
        tokio::select! {
            () = over => {}
            () = tokio::time::sleep(BODY_WITHIN), if is_guest => {}
        }
    };
    request.map(|body| {
        let pieces = unfold((body.into_data_stream(), Box::pin(end)), async |(mut pieces, mut end)| {
            let piece: Result<Bytes, io::Error> = tokio::select! {
                biased;
                () = &mut end => Err(io::ErrorKind::TimedOut.into()),
                piece = pieces.next() => piece?.map_err(io::Error::other),
            };
            Some((piece, (pieces, end)))
        });
        Body::from_stream(pieces)
    })
}

/// Holds on to `answering` as long as the body is there.
fn until_sent(body: Body, answering: Answering) -> Body {
    // The closure owns it. Unlike a new stream, this body has its length.
    Body::new(body.map_err(move |error| {
        let _ = &answering;
        error
    }))
}
