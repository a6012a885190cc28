//! Requests and answers that are bound: a page and the server show with each that they have a bond's key.

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::response::Response;
use futures_util::{TryStreamExt, stream};
use http::Uri;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use proof::{BodyHash, Bond, Claim, text_of};
use sha2::{Digest, Sha256};

use super::bonds::Unbound;
use super::rules::only;
use super::{Caller, Gate};
use crate::problem::Failure;
use crate::tokens::{CheckError, Principal};

/// The header with which the server binds its answer.
const PROOF: HeaderName = HeaderName::from_static("abide-proof");

/// A request that was bound rightly. Its answer is bound too, also if it is a refusal.
pub(super) struct Bound {
    bond: Bond,
    count: u64,
}

impl Bound {
    /// Binds the answer.
    pub(super) fn put_on(&self, answer: &mut Response) {
        let mac = self.bond.answer(self.count, answer.status().as_u16());
        let value = HeaderValue::from_str(&text_of(&mac)).expect("base64 is a valid header value");
        answer.headers_mut().insert(PROOF, value);
    }
}

impl Gate {
    /// Finds the principal of a bound request, and binds its body: a handler gets the body that the page sent, or none.
    pub(super) async fn bound(
        &self,
        request: &mut Request,
        claim: &Claim,
        caller: &Caller,
    ) -> Result<(Bound, Result<Principal, Failure>), Failure> {
        let (bond, device) = match self.0.bonds.take(claim, &claimed(request, claim), self.0.clock.now()) {
            Ok(taken) => taken,
            Err(Unbound::Over) => return Err(Failure::bond_over()),
            Err(Unbound::Wrong) => return Err(caller.wrong_guess().await),
        };
        if request.body().is_end_stream() && claim.body != BodyHash::from(Sha256::digest(b"")) {
            return Err(caller.wrong_guess().await);
        }
        let body = std::mem::take(request.body_mut());
        *request.body_mut() = if body.is_end_stream() { body } else { checked(body, claim.body) };
        let who = match self.tokens().principal_of(device).await {
            Ok(principal) => Ok(principal),
            Err(error) => {
                if let CheckError::Wrong = error {
                    self.0.bonds.end(&claim.bond, self.0.clock.now());
                }
                Err(Failure::unchecked(&error))
            }
        };
        Ok((Bound { bond, count: claim.count }, who))
    }
}

/// The path with the query, as the page sees it.
pub(super) fn target(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |target| target.as_str())
}

fn claimed<'a>(request: &'a Request, claim: &'a Claim) -> proof::Request<'a> {
    let kind = only(request.headers(), &CONTENT_TYPE).and_then(|kind| str::from_utf8(kind).ok());
    proof::Request {
        count: claim.count,
        method: request.method().as_str(),
        target: target(request.uri()),
        kind: kind.unwrap_or_default(),
        body: &claim.body,
    }
}

/// A body that ends with an error if it is not the one with this hash.
fn checked(body: Body, expected: BodyHash) -> Body {
    let begun = (body.into_data_stream(), Sha256::new());
    Body::from_stream(stream::try_unfold(begun, move |(mut body, mut hash)| async move {
        match body.try_next().await? {
            Some(bytes) => {
                hash.update(&bytes);
                Ok(Some((bytes, (body, hash))))
            }
            None if BodyHash::from(hash.finalize()) == expected => Ok(None),
            None => Err(axum::Error::new("the body is not the one that the request is bound to")),
        }
    }))
}
