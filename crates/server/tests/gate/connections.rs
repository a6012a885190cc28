//! Connections before they have sent a secret.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use server::listen::Limits;
use tungstenite::{Message, client};

use crate::server::{Server, read_answer};
use crate::sockets::assert_ended;

fn is_closed(stream: &mut TcpStream) -> bool {
    match stream.read(&mut [0; 64]) {
        Ok(read) => read == 0,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

fn request(server: &Server, line: &str, secret: bool) -> String {
    let bearer =
        if secret { format!("authorization: {}\r\n", Server::bearer(&server.owner)) } else { String::new() };
    format!("{line} HTTP/1.1\r\nhost: {}\r\n{bearer}\r\n", server.host())
}

fn soon() -> Limits {
    Limits { anonymous_for: Duration::from_secs(2), ..Limits::default() }
}

#[test]
fn v3_silence_before_login_closes_the_connection() {
    let server = Server::start_with(soon());
    let mut silent = server.connect();
    let mut slow = server.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nhost: lo").unwrap();
    let mut idle = server.connect();
    idle.write_all(request(&server, "GET /", false).as_bytes()).unwrap();
    assert_eq!(read_answer(&mut idle).unwrap().body, "the page");
    let mut slow_body = server.connect();
    let head = request(&server, "POST /api/codes/exchange", false);
    let head =
        head.trim_end().to_owned() + "\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n\"";
    slow_body.write_all(head.as_bytes()).unwrap();
    for stream in [&mut silent, &mut slow, &mut idle] {
        assert!(is_closed(stream));
    }
    while !is_closed(&mut slow_body) {}
}

#[test]
fn v3_a_socket_that_sends_no_token_is_closed() {
    let server = Server::start_with(soon());
    let uri = format!("ws://{}/api/workers/{}/attach", server.host(), server.own);
    let (mut socket, _) = client(uri, server.connect()).unwrap();
    assert_ended(&mut socket);
}

#[test]
fn a_connection_that_has_sent_a_secret_may_be_silent() {
    let server = Server::start_with(soon());
    let mut admitted = server.connect();
    admitted.write_all(request(&server, "GET /api/things", true).as_bytes()).unwrap();
    assert_eq!(read_answer(&mut admitted).unwrap().status, 200);
    let uri = format!("ws://{}/api/workers/{}/attach", server.host(), server.own);
    let (mut socket, _) = client(uri, server.connect()).unwrap();
    let token = server.owner.expose();
    socket.send(Message::text(format!(r#"{{"type":"auth","token":"{token}"}}"#))).unwrap();
    assert_eq!(socket.read().unwrap().into_text().unwrap(), "welcome");

    // When a later silent connection is closed, the time limit has passed for these two as well.
    assert!(is_closed(&mut server.connect()));
    admitted.write_all(request(&server, "GET /api/things", true).as_bytes()).unwrap();
    assert_eq!(read_answer(&mut admitted).unwrap().status, 200);
    socket.send(Message::text("still here")).unwrap();
    assert_eq!(socket.read().unwrap().into_text().unwrap(), "still here");
}

#[test]
fn s12_a_new_connection_replaces_the_oldest_without_a_secret() {
    let server = Server::start_with(Limits { own_anonymous: 3, ..Limits::default() });
    let mut admitted = server.connect();
    admitted.write_all(request(&server, "GET /api/things", true).as_bytes()).unwrap();
    assert_eq!(read_answer(&mut admitted).unwrap().status, 200);
    let mut silent: Vec<TcpStream> = (0..3).map(|_| server.connect()).collect();
    // Connections are accepted in order, so this request comes after them.
    assert_eq!(server.ask_as_owner("GET /api/things", &[], "").status, 200);
    assert!(is_closed(&mut silent[0]), "the oldest");
    silent[1].write_all(request(&server, "GET /", false).as_bytes()).unwrap();
    assert_eq!(read_answer(&mut silent[1]).unwrap().body, "the page", "the second connection stays");
    admitted.write_all(request(&server, "GET /api/things", true).as_bytes()).unwrap();
    assert_eq!(read_answer(&mut admitted).unwrap().status, 200, "a connection with a secret stays");
}

#[test]
fn s19_a_browser_that_comes_back_with_all_its_terminals_at_once_loses_none() {
    // Eight tabs with twenty terminals each, and some more for what pages load.
    const MANY: usize = 200;
    let server = Server::start_with(Limits::default());
    let mut waiting: Vec<TcpStream> = (0..MANY).map(|_| server.connect()).collect();
    // Connections are accepted in order, so this request comes after them.
    assert_eq!(server.ask_as_owner("GET /api/things", &[], "").status, 200);
    for connection in &mut waiting {
        connection.write_all(request(&server, "GET /api/things", true).as_bytes()).unwrap();
        assert_eq!(read_answer(connection).unwrap().status, 200);
    }
}

#[test]
fn s12_a_connection_over_the_limit_gets_an_error() {
    let server = Server::start_with(Limits { connections: 1, ..Limits::default() });
    let mut first = server.connect();
    first.write_all(request(&server, "GET /", false).as_bytes()).unwrap();
    assert_eq!(read_answer(&mut first).unwrap().body, "the page");
    for _ in 0..20 {
        let mut newcomer = server.connect();
        newcomer.peek(&mut [0]).unwrap();
        newcomer.write_all(request(&server, "GET /", false).as_bytes()).unwrap();
        let refused = read_answer(&mut newcomer).unwrap();
        assert_eq!((refused.status, refused.code().as_str()), (503, "unavailable"));
    }
    first.write_all(request(&server, "GET /", false).as_bytes()).unwrap();
    assert_eq!(read_answer(&mut first).unwrap().body, "the page", "the first connection stays");
}

#[test]
fn s12_the_server_reads_only_so_much_without_a_secret() {
    let patient = Duration::from_secs(600);
    let limits = Limits { anonymous_bytes: 10_000, anonymous_for: patient, ..Limits::default() };
    let server = Server::start_with(limits);
    let mut endless = server.connect();
    // The server may close the connection during this write.
    let _ = endless.write_all(format!("GET / HTTP/1.1\r\nx-endless: {}", "x".repeat(100_000)).as_bytes());
    assert!(is_closed(&mut endless));
    assert_eq!(server.ask("GET /", &[]).body, "the page", "other connections are not affected");
}
