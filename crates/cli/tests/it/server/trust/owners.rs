//! A second owner in the same database: sees and changes nothing of the first.

use std::net::Ipv4Addr;

use api::{NewToken, SearchReply};
use rusqlite::Connection;
use serde_json::json;
use server::policy::{Policy, RouteEntry};
use ureq::http::Method;

use super::matrix::request;
use super::{Objects, UNKNOWN, everything};
use crate::server::{Server, Workshop};

/// Printed by the first owner's worker.
const MARKER: &str = "found-only-by-the-first-owner";

/// A token of another owner. The API cannot make one yet, so the row of a new token gets another owner.
fn token_of_another(shop: &Workshop) -> String {
    let token = json!({"name": "of another", "scope": {"kind": "all"}});
    let made: NewToken = shop.server.post("/api/tokens", token).ok(201);
    let database = Connection::open(shop.house.home().root().join("abide.db")).expect("the database");
    let changed = database
        .execute("UPDATE tokens SET owner = 'zzzzzzzz' WHERE id = ?", [made.token.id.as_str()])
        .expect("a token");
    assert_eq!(changed, 1);
    made.secret
}

fn hits(server: &Server, secret: &str, more: &str) -> usize {
    let path = format!("/api/search?pattern={MARKER}{more}");
    let found: SearchReply = server.send(Method::GET, &path, None, Some(secret)).ok(200);
    found.hits.len()
}

#[test]
fn s8_a_second_owner_sees_and_changes_nothing_of_the_first() {
    let shop = Workshop::new();
    let server = &shop.server;
    let task = shop.running("One");
    let worker = task.worker_id.expect("it runs");
    let named = Objects::of(server, &task);
    // Without Enter: the agent would end on a whole line, and everything would change meanwhile.
    shop.house.called(worker.as_str()).send(MARKER.as_bytes());
    crate::house::wait_for("a hit", || (hits(server, &server.token, "") > 0).then_some(()));

    let other = token_of_another(&shop);
    let before = everything(server);
    for route in &server::route_table() {
        let asked = |objects: &Objects| {
            let path = objects.fill(&route.path);
            request(server, Ipv4Addr::LOCALHOST, route, &path, Some(&other))
        };
        if is_about_an_object(route) {
            // The answer is the same as for a thing that does not exist.
            let (answer, to_none) = (asked(&named), asked(&Objects::none()));
            let said = named.ids().fold(answer.text.clone(), |text, id| text.replace(id, UNKNOWN));
            assert_eq!((answer.status, said), (to_none.status, to_none.text), "{route:?}");
            let has_a_body = route.method != Method::GET && route.method != Method::DELETE;
            assert!(answer.status == 404 || has_a_body && answer.status == 422, "{route:?}: {answer:?}");
        } else if route.method == Method::GET && matches!(route.policy, Policy::Owner) {
            let answer = asked(&named);
            for id in named.ids() {
                assert!(!answer.text.contains(id), "{route:?} tells of {id}: {answer:?}");
            }
        }
    }
    assert_eq!(hits(server, &other, ""), 0);
    assert_eq!(hits(server, &other, &format!("&worker={worker}")), 0);
    assert_eq!(everything(server), before);
}

/// Whether the route is about one thing that belongs to an owner.
fn is_about_an_object(route: &RouteEntry) -> bool {
    !matches!(route.policy, Policy::Public) && route.path.contains('{')
}
