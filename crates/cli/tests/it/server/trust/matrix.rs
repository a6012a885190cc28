//! Every route with every kind of token, for every object.

use std::net::Ipv4Addr;
use std::thread;

use api::ErrorCode;
use serde_json::json;
use server::policy::{Policy, RouteEntry, SocketOf};
use ureq::http::Method;

use super::{Objects, UPGRADE, Way, ask, everything, revoked, token};
use crate::house::wait_for;
use crate::server::{Answer, Server, Workshop, every_route};

/// Who asks, but for the owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    /// Has no token.
    NoToken,
    /// Has one that is wrong, or no longer right.
    Wrong,
    /// Has one for a worker, to type.
    Driver,
    /// Has one for a worker, to watch.
    Watcher,
}

/// What comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    LetIn,
    LogIn,
    Forbidden,
    /// As if the worker were not there.
    Hidden,
}

/// What a policy promises; `own` is whether the path is about the worker that the token is for.
fn promised(policy: Policy, who: Who, own: bool) -> Outcome {
    match (policy, who) {
        // A wrong token is wrong wherever it is shown.
        (_, Who::Wrong) => Outcome::LogIn,
        (Policy::Public, _) => Outcome::LetIn,
        // It may still send its token in the first message.
        (Policy::Socket { first_frame: true, .. }, Who::NoToken) => Outcome::LetIn,
        (_, Who::NoToken) => Outcome::LogIn,
        (Policy::Owner | Policy::Socket { of: SocketOf::Owner, .. }, _) => Outcome::Forbidden,
        (_, Who::Driver | Who::Watcher) if !own => Outcome::Hidden,
        (Policy::Worker { drive: true }, Who::Watcher) => Outcome::Forbidden,
        (Policy::Worker { .. } | Policy::Socket { .. }, _) => Outcome::LetIn,
    }
}

fn outcome(answer: &Answer) -> Outcome {
    let code = serde_json::from_str::<api::Problem>(&answer.text).ok().map(|problem| problem.code());
    assert!(answer.status < 500, "{answer:?}");
    match code {
        Some(ErrorCode::Unauthenticated) => Outcome::LogIn,
        Some(ErrorCode::Forbidden) => Outcome::Forbidden,
        // It may see the worker, which has no such prompt.
        Some(ErrorCode::NotFound) if answer.text.contains("there is no prompt") => Outcome::LetIn,
        Some(ErrorCode::NotFound) => Outcome::Hidden,
        Some(
            ErrorCode::ForeignOrigin | ErrorCode::CrossSite | ErrorCode::Misdirected | ErrorCode::SecretInUrl,
        ) => {
            panic!("stopped at the gate: {answer:?}")
        }
        _ => Outcome::LetIn,
    }
}

pub(super) fn request(
    server: &Server,
    way: impl Into<Way>,
    route: &RouteEntry,
    path: &str,
    secret: Option<&str>,
) -> Answer {
    let bearer = secret.map(|secret| format!("Bearer {secret}"));
    let mut headers = vec![("host", server.authority())];
    headers.extend(bearer.iter().map(|bearer| ("authorization", bearer.as_str())));
    let line = format!("{} {path}", route.method);
    if matches!(route.policy, Policy::Socket { .. }) {
        headers.extend(UPGRADE);
        return ask(server, way, &line, &headers, b"");
    }
    let body = match route.body.types[0] {
        _ if route.method == Method::GET || route.method == Method::DELETE => Vec::new(),
        // The holder of a token may do it, and then this changes nothing.
        "application/json" if route.path.contains("/prompts") => json!({"text": ""}).to_string().into(),
        "application/json" => every_route::body(route).unwrap_or_else(|| json!({})).to_string().into(),
        _ => b"\x89PNG\r\n\x1a\n".to_vec(),
    };
    headers.push(("content-type", route.body.types[0]));
    ask(server, way, &line, &headers, &body)
}

#[test]
fn s1_s8_every_route_for_every_token_at_every_object() {
    let shop = Workshop::new();
    let server = &shop.server;
    let (first, second) = (shop.running("One"), shop.running("Two"));
    let own = Objects::of(server, &first);
    let other = Objects::of(server, &second);
    let worker = first.worker_id.expect("it runs");
    let all = json!({"kind": "all"});
    let brief = json!({"name": "brief", "scope": all, "expiresInSeconds": 1});
    let expired: api::NewToken = server.post("/api/tokens", brief).ok(201);
    wait_for("its end", || {
        let answer = server.get_unless_closed("/api/tokens", &expired.secret)?;
        (answer.status == 401).then_some(())
    });
    let driver = token(server, worker.as_str(), true).secret;
    let watcher = token(server, worker.as_str(), false).secret;
    let of_worker = json!({"kind": "worker", "workerId": worker, "drive": true});
    let tokens = [
        (Who::NoToken, None),
        (Who::Wrong, Some(format!("abide_00000000_{}", "A".repeat(43)))),
        (Who::Wrong, Some(format!("{}{}", &server.token[..15], &driver[15..]))),
        (Who::Wrong, Some("nonsense".into())),
        (Who::Wrong, Some(revoked(server, &all))),
        (Who::Wrong, Some(revoked(server, &of_worker))),
        (Who::Wrong, Some(expired.secret)),
        (Who::Driver, Some(driver)),
        (Who::Watcher, Some(watcher)),
    ];
    let before = everything(server);
    let table = server::route_table();
    assert!(table.len() > 60, "{}", table.len());
    let mut guesses = 0;
    for route in &table {
        for (objects, is_own) in [(&own, true), (&other, false)] {
            let path = objects.fill(&route.path);
            for (who, secret) in &tokens {
                // The server slows down an address that sends wrong tokens, so each comes from another address.
                guesses += u32::from(*who == Who::Wrong);
                let from = Ipv4Addr::from_bits(Ipv4Addr::new(127, 0, 1, 0).to_bits() + guesses);
                // All programs at the socket count as one, so wrong tokens come there at once, below.
                let socket = (*who != Who::Wrong).then_some(Way::Socket);
                for way in [Some(Way::Port(from)), socket].into_iter().flatten() {
                    let answer = request(server, way, route, &path, secret.as_deref());
                    assert_eq!(
                        outcome(&answer),
                        promised(route.policy, *who, is_own),
                        "{who:?} at {route:?} {path} by {way:?}: {answer:?}"
                    );
                }
            }
        }
    }
    thread::scope(|scope| {
        for route in one_of_each_policy(&table) {
            for secret in tokens.iter().filter(|(who, _)| *who == Who::Wrong).map(|(_, secret)| secret) {
                let path = own.fill(&route.path);
                scope.spawn(move || {
                    let answer = request(server, Way::Socket, route, &path, secret.as_deref());
                    assert_eq!(outcome(&answer), Outcome::LogIn, "{route:?} {path}: {answer:?}");
                });
            }
        }
    });
    assert_eq!(everything(server), before, "no request has changed anything");
    owner(server, &table, &own, Way::Port(Ipv4Addr::LOCALHOST));
    owner(server, &table, &own, Way::Socket);
}

/// One route of each policy.
fn one_of_each_policy(table: &[RouteEntry]) -> Vec<&RouteEntry> {
    let mut found: Vec<&RouteEntry> = Vec::new();
    for route in table {
        if !found.iter().any(|other| other.policy == route.policy) {
            found.push(route);
        }
    }
    found
}

/// The owner is let in everywhere. What would change something is asked of what is not there.
fn owner(server: &Server, table: &[RouteEntry], own: &Objects, way: Way) {
    for route in table {
        let reads = route.method == Method::GET;
        let path = if reads { own.fill(&route.path) } else { Objects::none().fill(&route.path) };
        let answer = request(server, way, route, &path, Some(&server.token));
        let expected: &[u16] = match (route.policy, reads) {
            (Policy::Socket { .. }, _) => &[101],
            _ if route.path == "/api/search" => &[400],
            // The stand-in for an agent keeps no transcript.
            _ if route.path.ends_with("/transcript") => &[409],
            _ if route.path == "/assets/{file}" && !page::is_built() => &[404],
            (_, true) => &[200],
            // A code is made; everything else lacks a body or a thing to do it to.
            (_, false) => &[201, 401, 404, 415, 422],
        };
        assert!(expected.contains(&answer.status), "{route:?} {path}: {answer:?}");
        assert!(answer.status != 401 || route.path == "/api/auth/exchange", "{route:?}: {answer:?}");
    }
}
