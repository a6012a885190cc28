//! WebSockets at the gate.

use std::io::ErrorKind;
use std::net::TcpStream;

use model::OwnerId;
use server::gate::{CLOSE_FORBIDDEN, CLOSE_UNAUTHENTICATED};
use server::tokens::Secret;
use tungstenite::client::IntoClientRequest;
use tungstenite::handshake::client::Response;
use tungstenite::{Error, HandshakeError, Message, WebSocket, client};

use crate::server::Server;

type Socket = WebSocket<TcpStream>;

/// Opens a socket, or returns the status of the refusal.
fn open(server: &Server, path: &str, headers: &[(&'static str, &str)]) -> Result<(Socket, Response), u16> {
    let mut request = format!("ws://{}{path}", server.host()).into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    match client(request, server.connect()) {
        Ok(opened) => Ok(opened),
        Err(HandshakeError::Failure(Error::Http(answer))) => Err(answer.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

fn attach(server: &Server, headers: &[(&'static str, &str)]) -> Result<(Socket, Response), u16> {
    open(server, &format!("/api/workers/{}/attach", server.own), headers)
}

fn read(socket: &mut Socket) -> String {
    socket.read().unwrap().into_text().unwrap().to_string()
}

/// The code with which the server closes a socket.
fn closed(mut socket: Socket) -> u16 {
    loop {
        match socket.read().unwrap() {
            Message::Close(Some(frame)) => return frame.code.into(),
            Message::Close(None) => return 0,
            Message::Text(text) => panic!("the server sent {text}"),
            _ => {}
        }
    }
}

/// Waits until the connection ends in any way. Fails if it stays open.
pub(crate) fn assert_ended(socket: &mut Socket) {
    let ended = loop {
        match socket.read() {
            Ok(Message::Text(text)) => panic!("the server sent {text}"),
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    let waited = matches!(&ended, Error::Io(error) if error.kind() == ErrorKind::WouldBlock);
    assert!(!waited, "the connection is still open");
}

fn auth(secret: &Secret) -> Message {
    Message::text(format!(r#"{{"type":"auth","token":"{}"}}"#, secret.expose()))
}

#[test]
fn a_socket_accepts_its_secret_in_a_header_or_as_a_subprotocol() {
    let server = Server::start();
    for secret in [&server.owner, &server.driver, &server.watcher] {
        let (mut socket, _) = attach(&server, &[("authorization", &Server::bearer(secret))]).unwrap();
        assert_eq!(read(&mut socket), "welcome");
        let offered = format!("abide.v1, abide.bearer.{}", secret.expose());
        let (mut socket, answer) = attach(&server, &[("sec-websocket-protocol", &offered)]).unwrap();
        assert_eq!(answer.headers()["sec-websocket-protocol"], "abide.v1");
        assert!(!format!("{answer:?}").contains("abide_"));
        assert_eq!(read(&mut socket), "welcome");
    }
    let offered = format!("abide.v1, abide.bearer.{}", server.driver.expose());
    assert_eq!(open(&server, "/ws/dashboard", &[("sec-websocket-protocol", &offered)]).unwrap_err(), 403);
    let other = format!("/api/workers/{}/attach", server.other);
    assert_eq!(open(&server, &other, &[("sec-websocket-protocol", &offered)]).unwrap_err(), 404);
}

#[test]
fn s3_upgrades_pass_the_same_gate() {
    let server = Server::start();
    let bearer = Server::bearer(&server.owner);
    let with = |header| attach(&server, &[("authorization", bearer.as_str()), header]).map(drop);
    assert_eq!(with(("origin", "http://evil.example")), Err(403));
    assert_eq!(with(("origin", "null")), Err(403));
    assert_eq!(with(("sec-fetch-site", "same-site")), Err(403));
    assert_eq!(with(("host", "evil.example")), Err(421));
    assert_eq!(with(("origin", &format!("http://{}", server.host()))), Ok(()));
    let wrong = format!("abide.v1, abide.bearer.abide_00000000_{}", "A".repeat(43));
    assert_eq!(attach(&server, &[("sec-websocket-protocol", &wrong)]).map(drop), Err(401));
    assert_eq!(
        open(&server, "/ws/dashboard", &[]).map(drop),
        Err(401),
        "this route accepts no first message"
    );
}

#[test]
fn s4_a_socket_accepts_its_secret_as_the_first_message() {
    let server = Server::start();
    let (mut socket, _) = attach(&server, &[]).unwrap();
    socket.send(Message::Ping("still looking".into())).unwrap();
    socket.send(auth(&server.driver)).unwrap();
    while !matches!(socket.read().unwrap(), Message::Text(text) if text == "welcome") {}
    socket.send(Message::text("typed")).unwrap();
    assert_eq!(read(&mut socket), "typed");
}

#[test]
fn s9_messages_before_the_secret_are_dropped() {
    let server = Server::start();
    let first = [
        Message::text("typed"),
        Message::binary(vec![1]),
        Message::text("{}"),
        Message::text("x".repeat(2000)),
    ];
    for first in first {
        let (mut socket, _) = attach(&server, &[]).unwrap();
        socket.send(first).unwrap();
        // The server may have closed the socket already.
        let _ = socket.send(auth(&server.owner));
        assert_eq!(closed(socket), CLOSE_UNAUTHENTICATED);
    }
    assert!(server.seen.all().is_empty(), "{:?}", server.seen.all());
}

#[test]
fn s6_a_wrong_secret_in_the_first_message_closes_the_socket_and_is_delayed() {
    let server = Server::start();
    let wrong: Secret = format!("abide_00000000_{}", "A".repeat(43)).parse().unwrap();
    for _ in 0..7 {
        let (mut socket, _) = attach(&server, &[]).unwrap();
        socket.send(auth(&wrong)).unwrap();
        assert_eq!(closed(socket), CLOSE_UNAUTHENTICATED);
    }
    assert_eq!(server.clock.waits(), [50, 100]);
    let other = format!("/api/workers/{}/attach", server.other);
    let (mut socket, _) = open(&server, &other, &[]).unwrap();
    socket.send(auth(&server.driver)).unwrap();
    assert_eq!(closed(socket), CLOSE_FORBIDDEN, "a valid secret for another worker");
}

#[test]
fn s6_revoking_a_token_closes_its_sockets() {
    let server = Server::start();
    let (mut ended, _) = attach(&server, &[("authorization", &Server::bearer(&server.driver))]).unwrap();
    let (mut stays, _) = attach(&server, &[("authorization", &Server::bearer(&server.watcher))]).unwrap();
    assert_eq!((read(&mut ended), read(&mut stays)), ("welcome".into(), "welcome".into()));
    server.block_on(server.gate.tokens().revoke(OwnerId::ONLY, server.driver.id())).unwrap();
    assert_ended(&mut ended);
    stays.send(Message::text("still here")).unwrap();
    assert_eq!(read(&mut stays), "still here");
}

#[test]
fn s12_a_message_that_is_too_long_closes_only_its_socket() {
    let server = Server::start();
    let bearer = Server::bearer(&server.owner);
    let (mut socket, _) = attach(&server, &[("authorization", &bearer)]).unwrap();
    let (mut other, _) = attach(&server, &[("authorization", &bearer)]).unwrap();
    assert_eq!((read(&mut socket), read(&mut other)), ("welcome".into(), "welcome".into()));
    let most = "x".repeat(1024 * 1024);
    socket.send(Message::text(most.clone())).unwrap();
    assert_eq!(read(&mut socket).len(), most.len());
    let _ = socket.send(Message::text(most + &"x".repeat(100)));
    assert_ended(&mut socket);
    other.send(Message::text("still here")).unwrap();
    assert_eq!(read(&mut other), "still here");
}
