//! Enforces a policy, as a layer around the handlers of a route.

use std::sync::Arc;

use axum::extract::{FromRequestParts, RawPathParams, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use model::WorkerId;

use super::{BodyRule, Decided, Policy, Underway};
use crate::gate::Ticket;
use crate::problem::Failure;
use crate::tokens::Principal;

/// The rules for the handlers of a route.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) policy: Policy,
    pub(super) body: BodyRule,
    /// The path parameter that names the worker, if the policy depends on one.
    pub(super) worker: Option<String>,
    pub(super) underway: Underway,
}

/// Passes a request to its handler, or answers with the refusal.
pub(super) async fn enforce(State(rule): State<Arc<Rule>>, request: Request, next: Next) -> Response {
    Decided::mark(match rule.admit(request).await {
        Ok(request) if rule.is_done_to_its_end(&request) => {
            let done = rule.underway.finish(next.run(request)).await;
            done.unwrap_or_else(|problem| Failure(problem).into_response())
        }
        Ok(request) => next.run(request).await,
        Err(failure) => failure.into_response(),
    })
}

impl Rule {
    async fn admit(&self, request: Request) -> Result<Request, Failure> {
        let (mut head, body) = request.into_parts();
        let worker = self.worker(&mut head).await;
        let principal = head.extensions.get::<Principal>();
        if principal.is_some() || !self.policy.may_say_later() {
            self.policy.decide(principal, worker)?;
        }
        if matches!(self.policy, Policy::Socket { .. }) {
            head.extensions.insert(Ticket { policy: self.policy, worker });
        }
        self.body.apply(Request::from_parts(head, body))
    }

    /// Whether the server finishes a request even if its connection is closed. It does so for authenticated requests
    /// that change something. Unauthenticated requests are cancelled on disconnect.
    fn is_done_to_its_end(&self, request: &Request) -> bool {
        !request.method().is_safe() && self.policy != Policy::Public
    }

    async fn worker(&self, head: &mut Parts) -> Option<WorkerId> {
        let name = self.worker.as_deref()?;
        let params = RawPathParams::from_request_parts(head, &()).await.ok()?;
        params.iter().find(|(param, _)| *param == name)?.1.parse().ok()
    }
}
