//! Every route for everybody, by the table.

use http::Method;
use server::policy::{Policy, SocketOf};

use crate::server::Server;

/// What a policy says to nobody, the owner, a driver and a watcher, at their worker and at another. A socket that
/// nobody opened answers that it wants to be one.
fn expected(policy: Policy) -> ([u16; 4], [u16; 4]) {
    match policy {
        Policy::Public => ([200; 4], [200; 4]),
        Policy::Owner => ([401, 200, 403, 403], [401, 200, 403, 403]),
        Policy::Worker { drive: true } => ([401, 200, 200, 403], [401, 200, 404, 404]),
        Policy::Worker { drive: false } => ([401, 200, 200, 200], [401, 200, 404, 404]),
        Policy::Socket { of: SocketOf::Owner, first_frame } => {
            let nobody = if first_frame { 426 } else { 401 };
            ([nobody, 426, 403, 403], [nobody, 426, 403, 403])
        }
        Policy::Socket { of: SocketOf::Worker, first_frame } => {
            let nobody = if first_frame { 426 } else { 401 };
            ([nobody, 426, 426, 426], [nobody, 426, 404, 404])
        }
    }
}

#[test]
fn s8_every_route_for_every_token_at_every_worker() {
    let server = Server::start();
    let tokens = [None, Some(&server.owner), Some(&server.driver), Some(&server.watcher)];
    assert_eq!(server.entries.len(), 10, "{:?}", server.entries);
    for entry in &server.entries {
        let (own, other) = expected(entry.policy);
        for (worker, expected) in [(server.own, own), (server.other, other)] {
            let found = tokens.map(|secret| {
                let bearer = secret.map(Server::bearer);
                let mut headers: Vec<_> =
                    bearer.iter().map(|bearer| ("authorization", bearer.as_str())).collect();
                headers.push(("content-type", entry.body.types[0]));
                let path = entry.path.replace("{id}", worker.as_str());
                let path = if path.ends_with("numbered") { format!("{path}?number=7") } else { path };
                // Handlers that want a body get one that they can read.
                let body = match (&entry.method, path.as_str()) {
                    (&Method::POST, "/api/things") => r#"{"number":7}"#,
                    (&Method::POST, "/api/codes/exchange") => r#"{"code":"wrong"}"#,
                    _ => "",
                };
                let answer = server.ask_with_body(&format!("{} {path}", entry.method), &headers, body);
                // That a code is wrong is said by the handler, which was reached.
                if answer.code() == "wrong-code" { 200 } else { answer.status }
            });
            assert_eq!(found, expected, "{entry:?} at {worker}");
        }
    }
}
