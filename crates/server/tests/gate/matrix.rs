//! Every route with every token, according to the table.

use http::Method;
use server::policy::{Policy, SocketOf};

use crate::server::Server;

/// The expected statuses of a policy: without a token, and for the owner, a driver and a watcher; at their worker, and
/// at another one. A socket's route answers 426, because the request is no upgrade.
fn expected(policy: Policy) -> ([u16; 4], [u16; 4]) {
    match policy {
        Policy::Public => ([200; 4], [200; 4]),
        Policy::Owner => ([401, 200, 403, 403], [401, 200, 403, 403]),
        Policy::Worker { drive: true } => ([401, 200, 200, 403], [401, 200, 404, 404]),
        Policy::Worker { drive: false } => ([401, 200, 200, 200], [401, 200, 404, 404]),
        Policy::Socket { of: SocketOf::Owner, first_frame } => {
            let no_token = if first_frame { 426 } else { 401 };
            ([no_token, 426, 403, 403], [no_token, 426, 403, 403])
        }
        Policy::Socket { of: SocketOf::Worker, first_frame } => {
            let no_token = if first_frame { 426 } else { 401 };
            ([no_token, 426, 426, 426], [no_token, 426, 404, 404])
        }
    }
}

/// Where a request comes in.
#[derive(Clone, Copy, Debug)]
enum Door {
    Port,
    Socket,
}

#[test]
fn s8_every_route_enforces_its_policy_for_every_token_and_worker() {
    let server = Server::start();
    let tokens = [None, Some(&server.owner), Some(&server.driver), Some(&server.watcher)];
    assert_eq!(server.entries.len(), 10, "{:?}", server.entries);
    for entry in &server.entries {
        let (own, other) = expected(entry.policy);
        let worker_and_door = [(server.own, own), (server.other, other)];
        let worker_and_door =
            worker_and_door.map(|worker| [Door::Port, Door::Socket].map(|door| (worker, door)));
        for ((worker, expected), door) in worker_and_door.into_iter().flatten() {
            let found = tokens.map(|secret| {
                let bearer = secret.map(Server::bearer);
                let mut headers: Vec<_> =
                    bearer.iter().map(|bearer| ("authorization", bearer.as_str())).collect();
                headers.push(("content-type", entry.body.types[0]));
                let path = entry.path.replace("{id}", worker.as_str());
                let path = if path.ends_with("numbered") { format!("{path}?number=7") } else { path };
                // Handlers that need a body get a valid one.
                let body = match (&entry.method, path.as_str()) {
                    (&Method::POST, "/api/things") => r#"{"number":7}"#,
                    (&Method::POST, "/api/codes/exchange") => r#"{"code":"wrong"}"#,
                    _ => "",
                };
                let line = format!("{} {path}", entry.method);
                let answer = match door {
                    Door::Port => server.ask_with_body(&line, &headers, body),
                    Door::Socket => server.ask_at_socket(&line, &headers, body),
                };
                // The handler itself reports a wrong code, so the request reached it.
                if answer.code() == "wrong-code" { 200 } else { answer.status }
            });
            assert_eq!(found, expected, "{entry:?} at {worker} over the {door:?}");
        }
    }
}
