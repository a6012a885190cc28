//! Listening sockets that a service manager hands over, as systemd does it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use super::Server;
use crate::house::{House, wait_for};

/// `abide serve`, with this socket as the one that its service manager holds. The shell has it as its input, and gives it
/// the number that the protocol wants.
fn serve_with(house: &House, socket: &TcpListener) -> Command {
    let serve = house.command(["serve"]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec 3<&0 < /dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec \"$@\"", "sh"]);
    shell.arg(serve.get_program()).args(serve.get_args());
    house.settle(&mut shell);
    shell.stdin(Stdio::from(OwnedFd::from(socket.try_clone().unwrap())));
    shell
}

#[test]
fn s18_a_port_that_a_service_manager_holds_never_falls_free() {
    let house = House::new();
    // Our names do not lead here, so one socket is enough.
    let socket = TcpListener::bind("127.0.0.2:0").unwrap();
    let address = socket.local_addr().unwrap();
    let server = Server::run(&house, serve_with(&house, &socket));
    assert_eq!(server.authority(), address.to_string());
    let (_, worker) =
        server.terminal("/", "echo \"[$LISTEN_FDS$LISTEN_PID]\"; ls -l /proc/self/fd; echo listed; read x");
    let _: api::Health = server.get("/api/health").ok(200);
    server.kill();

    // No other program gets the port, and a client that connects now waits for the next server.
    TcpListener::bind(address).unwrap_err();
    let mut early = TcpStream::connect(address).unwrap();
    write!(early, "GET /api/health HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    let server = Server::run(&house, serve_with(&house, &socket));
    early.set_read_timeout(Some(testkit::WAIT)).unwrap();
    let mut answer = String::new();
    early.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let found: api::Worker = server.get(&format!("/api/workers/{}", worker.id)).ok(200);
    assert_eq!(found.id, worker.id);
    let screen = wait_for("the terminal's descriptors", || {
        let screen = house.output(["screen", worker.id.as_str()]);
        screen.contains("\nlisted").then_some(screen)
    });
    assert!(screen.contains("[]") && !screen.contains("socket:"), "a terminal has no part in it: {screen}");
}

#[test]
fn sockets_that_cannot_be_used_are_refused_with_a_remedy() {
    let house = House::new();
    let refused = |socket: &TcpListener| {
        let refused = serve_with(&house, socket).output().unwrap();
        let words = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success(), "{words}");
        words
    };
    let words = refused(&TcpListener::bind("0.0.0.0:0").unwrap());
    assert!(words.contains("reached from other machines"), "{words}");
    if TcpListener::bind("[::1]:0").is_err() {
        return testkit::skip("this machine has no IPv6 loopback");
    }
    // Browsers would look for our names at the other address first.
    let half = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = half.local_addr().unwrap().port();
    let words = refused(&half);
    assert!(words.contains(&format!("add `ListenStream=[::1]:{port}` to the socket unit")), "{words}");
}
