//! Sockets with every kind of token, by each way in which a secret can come.

use serde_json::json;
use server::policy::{Policy, SocketOf};

use super::{Objects, revoked, token};
use crate::house::wait_for;
use crate::server::{Server, Socket, Workshop};

/// All sockets: their paths, which tokens they accept, and whether a secret may come as the first message.
fn sockets() -> Vec<(String, SocketOf, bool)> {
    let table = server::route_table().into_iter();
    let sockets = table.filter_map(|route| match route.policy {
        Policy::Socket { of, first_frame } => Some((route.path, of, first_frame)),
        _ => None,
    });
    let sockets: Vec<_> = sockets.collect();
    assert_eq!(sockets.len(), 5, "{sockets:?}");
    sockets
}

/// Tokens, with whether they open a socket for the owner, one of their own worker, one of another.
fn tokens(server: &Server, worker: &str) -> Vec<(&'static str, String, [bool; 3])> {
    vec![
        ("owner", server.token.clone(), [true; 3]),
        ("driver", token(server, worker, true).secret, [false, true, false]),
        ("watcher", token(server, worker, false).secret, [false, true, false]),
        ("revoked", revoked(server, &json!({"kind": "all"})), [false; 3]),
    ]
}

#[test]
fn s1_s4_a_secret_comes_by_header_subprotocol_or_first_message_and_opens_what_it_may() {
    let shop = Workshop::new();
    let server = &shop.server;
    let (first, second) = (shop.running("One"), shop.running("Two"));
    let objects = [Objects::of(server, &first), Objects::of(server, &second)];
    let worker = first.worker_id.expect("it runs");
    for (who, secret, opens) in tokens(server, worker.as_str()) {
        for (path, of, first_frame) in sockets() {
            for (number, objects) in objects.iter().enumerate() {
                let may = match of {
                    SocketOf::Owner => opens[0],
                    SocketOf::Worker => opens[1 + number],
                };
                let path = objects.fill(&path);
                let refused = match (who, of) {
                    ("revoked", _) => (401, 4401),
                    (_, SocketOf::Owner) => (403, 4403),
                    (_, SocketOf::Worker) => (404, 4403),
                };
                let header = format!("Bearer {secret}");
                let protocol = format!("abide.v1, abide.bearer.{secret}");
                for headers in [("authorization", header.as_str()), ("sec-websocket-protocol", &protocol)] {
                    match Socket::try_open(server, &path, &[headers]) {
                        Ok(mut socket) => assert!(may && socket.stays_open(), "{who} at {path}"),
                        Err(status) => assert_eq!((may, status), (false, refused.0), "{who} at {path}"),
                    }
                }
                let Ok(mut socket) = Socket::try_open(server, &path, &[]) else {
                    assert!(!first_frame, "{path}");
                    continue;
                };
                assert!(first_frame, "{path} opens without a secret");
                socket.say(&json!({"type": "auth", "token": secret}));
                match may {
                    true => assert!(socket.stays_open(), "{who} at {path}"),
                    false => assert_eq!(socket.wait_for_close().0, refused.1, "{who} at {path}"),
                }
            }
        }
    }
}

#[test]
fn s9_a_socket_closes_if_its_first_message_is_not_a_valid_secret() {
    let shop = Workshop::new();
    let server = &shop.server;
    let task = shop.running("One");
    let objects = Objects::of(server, &task);
    let input = r#"{"type":"input","data":"not yet\r"}"#;
    let wrongs = [input, "", "null", r#"{"type":"auth"}"#, r#"{"type":"auth","token":""}"#];
    for (path, _, first_frame) in sockets().into_iter().filter(|(_, _, first_frame)| *first_frame) {
        assert!(first_frame);
        let path = objects.fill(&path);
        for wrong in wrongs {
            let mut socket = Socket::try_open(server, &path, &[]).expect("it opens");
            socket.text(wrong);
            assert_eq!(socket.wait_for_close().0, 4401, "{path}: {wrong}");
        }
        let mut socket = Socket::try_open(server, &path, &[]).expect("it opens");
        socket.binary(b"\0\0\0\0".to_vec());
        assert_eq!(socket.wait_for_close().0, 4401, "{path}");
    }
    let worker = task.worker_id.expect("it runs");
    let shown = shop.house.output(["screen", worker.as_str()]);
    assert!(!shown.contains("not yet"), "{shown}");
}

#[test]
fn s10_revoking_a_token_closes_all_its_sockets_and_no_others() {
    let shop = Workshop::new();
    let server = &shop.server;
    let task = shop.running("One");
    let objects = Objects::of(server, &task);
    let worker = task.worker_id.expect("it runs");
    let all = json!({"name": "a browser", "scope": {"kind": "all"}});
    let all: api::NewToken = server.post("/api/tokens", all).ok(201);
    let one = token(server, worker.as_str(), true);
    let open = |secret: &str, of: &[SocketOf]| -> Vec<(String, Socket)> {
        let sockets = sockets().into_iter().filter(|(_, who, _)| of.contains(who));
        let opened = sockets.map(|(path, _, _)| {
            let path = objects.fill(&path);
            let socket = Socket::try_open(server, &path, &[("authorization", &format!("Bearer {secret}"))]);
            (path, socket.expect("it opens"))
        });
        opened.collect()
    };
    let mut owners = open(&server.token, &[SocketOf::Owner, SocketOf::Worker]);
    for (token, sockets) in [
        (&all, open(&all.secret, &[SocketOf::Owner, SocketOf::Worker])),
        (&one, open(&one.secret, &[SocketOf::Worker])),
    ] {
        server.delete(&format!("/api/tokens/{}", token.token.id)).empty(204);
        for (path, mut socket) in sockets {
            assert_eq!(socket.wait_for_close().0, 4401, "{path}");
        }
    }
    for (path, socket) in &mut owners {
        assert!(socket.stays_open(), "{path}");
    }
    // One that runs out is like one that is taken back.
    let brief = json!({"name": "brief", "scope": {"kind": "all"}, "expiresInSeconds": 1});
    let brief: api::NewToken = server.post("/api/tokens", brief).ok(201);
    for (path, mut socket) in open(&brief.secret, &[SocketOf::Owner, SocketOf::Worker]) {
        assert_eq!(socket.wait_for_close().0, 4401, "{path}");
    }
    wait_for("only the owner's viewers", || {
        let worker: api::Worker = server.get(&format!("/api/workers/{worker}")).ok(200);
        (worker.viewers <= 2).then_some(())
    });
}
