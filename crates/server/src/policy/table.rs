//! The table of routes.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use http::Method;
use utoipa::openapi::path::Operation;
use utoipa::openapi::{OpenApi, PathItem};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use super::enforce::{Rule, enforce};
use super::{BodyRule, Policy, Underway};
use crate::problem::{method_not_allowed, unknown_path};

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteEntry {
    /// The method.
    pub method: Method,
    /// The path, with its parameters in braces.
    pub path: String,
    /// Which requests it accepts.
    pub policy: Policy,
    /// The rule for its body.
    pub body: BodyRule,
}

/// All routes, each with its policy.
pub struct Table<S> {
    router: OpenApiRouter<S>,
    entries: Vec<RouteEntry>,
    underway: Underway,
}

impl<S: Clone + Send + Sync + 'static> Table<S> {
    /// A table without routes. `api` is the start of its description. `underway` knows the requests that are not
    /// finished.
    pub fn new(api: OpenApi, underway: Underway) -> Table<S> {
        Table { router: OpenApiRouter::with_openapi(api), entries: Vec::new(), underway }
    }

    /// Adds the handlers of one path, collected with `utoipa_axum::routes!`. Their bodies are JSON.
    ///
    /// # Panics
    ///
    /// When the handlers have different paths, or when the policy depends on a worker and the path has no `{…}` after
    /// `workers` or `worker`. Both are bugs that every start shows.
    #[must_use]
    pub fn add(self, policy: Policy, routes: UtoipaMethodRouter<S>) -> Table<S> {
        self.add_with_body(policy, BodyRule::JSON, routes)
    }

    /// Adds handlers with bodies of another kind, such as uploads.
    ///
    /// # Panics
    ///
    /// As [`Table::add`] does.
    #[must_use]
    pub fn add_with_body(
        mut self,
        policy: Policy,
        body: BodyRule,
        routes: UtoipaMethodRouter<S>,
    ) -> Table<S> {
        let (schemas, mut paths, handlers) = routes;
        paths.paths.values_mut().flat_map(operations_mut).for_each(name);
        assert_eq!(paths.paths.len(), 1, "the handlers of one path are added at a time");
        let (path, item) = paths.paths.first_key_value().expect("there is one");
        let worker = worker_param(path);
        assert!(!policy.names_a_worker() || worker.is_some(), "`{path}` names no worker");
        self.entries.extend(methods(item).map(|method| RouteEntry {
            method,
            path: path.clone(),
            policy,
            body,
        }));
        let rule = Arc::new(Rule { policy, body, worker, underway: self.underway.clone() });
        // The rule's limit holds for every way to read a body. axum's own limit holds only for some.
        let handlers = handlers.layer(DefaultBodyLimit::disable()).layer(from_fn_with_state(rule, enforce));
        self.router = self.router.routes((schemas, paths, handlers));
        self
    }

    /// The router, its description, and the table as a list.
    pub fn into_router(self) -> (Router<S>, OpenApi, Vec<RouteEntry>) {
        let (router, api) = self.router.split_for_parts();
        let router = router.method_not_allowed_fallback(method_not_allowed).fallback(unknown_path);
        (router, api, self.entries)
    }
}

/// The parameter after `workers` or `worker`.
fn worker_param(path: &str) -> Option<String> {
    let mut parts = path.split('/');
    parts.find(|part| ["workers", "worker"].contains(part))?;
    Some(parts.next()?.strip_prefix('{')?.strip_suffix('}')?.to_owned())
}

/// Handlers of different subjects may have the same name (`list`). In the description, the subject is put in front of
/// it.
fn name(operation: &mut Operation) {
    if let (Some(name), Some(tag)) = (&mut operation.operation_id, operation.tags.iter().flatten().next()) {
        *name = format!("{tag}.{name}");
    }
}

fn operations_mut(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, options, head, patch, trace, .. } = item;
    [get, put, post, delete, options, head, patch, trace].into_iter().flatten()
}

fn methods(item: &PathItem) -> impl Iterator<Item = Method> {
    let all = [
        (Method::GET, item.get.is_some()),
        (Method::PUT, item.put.is_some()),
        (Method::POST, item.post.is_some()),
        (Method::DELETE, item.delete.is_some()),
        (Method::OPTIONS, item.options.is_some()),
        (Method::HEAD, item.head.is_some()),
        (Method::PATCH, item.patch.is_some()),
        (Method::TRACE, item.trace.is_some()),
    ];
    all.into_iter().filter_map(|(method, there)| there.then_some(method))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worker_is_the_parameter_after_the_word_worker() {
        assert_eq!(worker_param("/api/workers/{id}/attach").as_deref(), Some("id"));
        assert_eq!(worker_param("/ws/session/{sid}/worker/{wid}").as_deref(), Some("wid"));
        assert_eq!(worker_param("/api/workers"), None);
        assert_eq!(worker_param("/api/tasks/{id}"), None);
    }
}
