//! The server's Unix socket: `abide` and agents send their tokens there, and never to the port.

use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use api::ErrorCode;
use home::{Identity, ServerNote};
use rustix::process::geteuid;
use testkit::skip;
use tungstenite::HandshakeError;
use tungstenite::client::IntoClientRequest;

use super::workshop::write_agents;
use super::{Answer, Repository, Server, Socket, trust};
use crate::house::House;

/// A user that owns nothing.
const NOBODY: u32 = 65_534;

/// What curl exits with if it cannot connect.
const NOT_CONNECTED: i32 = 7;

/// Calls of every command that asks the server.
const COMMANDS: &[&str] = &[
    "repo add project",
    "repo ls",
    "repo agree project",
    "task add --repo project something",
    "task ls",
    "task start something",
    "task retry something",
    "task cancel something",
    "task done something",
    "task reopen something",
    "task logs something",
    "task rm something",
    "session ls",
    "session import sessions.json",
    "session rm abcdefgh",
    "repo rm project",
    "open --print",
    "doctor",
    "service status",
];

/// A program on a port, which waits for connections and gets none.
struct Impostor(TcpListener);

impl Impostor {
    fn at(address: &str) -> Impostor {
        let listener = TcpListener::bind(address).expect("the port is free");
        listener.set_nonblocking(true).expect("a socket");
        Impostor(listener)
    }

    fn url(&self) -> String {
        format!("http://{}", self.0.local_addr().expect("an address"))
    }

    /// Fails with the first bytes that a program sent.
    fn got_nothing(&self, command: &str) {
        if let Ok((mut stream, _)) = self.0.accept() {
            let mut sent = vec![0; 64 << 10];
            let read = stream.read(&mut sent).unwrap_or(0);
            panic!("`abide {command}` sent to the port: {}", String::from_utf8_lossy(&sent[..read]));
        }
    }
}

/// Runs all commands, and gives what they said.
fn run_all(house: &House, impostor: &Impostor) -> Vec<(&'static str, i32, String)> {
    let run = |command: &&'static str| {
        let output = house.run(command.split(' '));
        impostor.got_nothing(command);
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        (*command, output.status.code().unwrap_or(-1), words)
    };
    COMMANDS.iter().map(run).collect()
}

/// Whether a command only looks whether there is a server.
fn only_looks(command: &str) -> bool {
    ["doctor", "service status"].contains(&command)
}

#[test]
fn s18_an_impostor_on_the_port_gets_nothing_from_any_command() {
    let house = House::new();
    let _repository = Repository::new(house.path(), "project");
    fs::write(house.path().join("sessions.json"), "[]").unwrap();
    for group in ["repo", "task", "session"] {
        let help = house.output([group, "--help"]);
        let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        for line in commands.take_while(|line| !line.is_empty()) {
            let name = line.split_whitespace().next().expect("a name");
            let call = format!("{group} {name} ");
            let is_there = COMMANDS.iter().any(|command| format!("{command} ").starts_with(&call));
            assert!(is_there || name == "help", "the list lacks `{call}`");
        }
    }

    // The server is killed, and another program takes its port.
    let server = Server::start(&house);
    let address = server.authority().to_owned();
    server.kill();
    let impostor = Impostor::at(&address);
    let refused = |words: &str| {
        for (command, code, said) in run_all(&house, &impostor) {
            assert!(code != 0 || only_looks(command) || command == "session ls", "{command}: {said}");
            assert!(code == 0 || only_looks(command) || said.contains(words), "{command}: {said}");
        }
    };
    refused("no server runs");

    // The same, with a process that is there under the server's number; and a server of a release without a socket.
    let identity = Identity::own().unwrap();
    let note = |socket: Option<&str>| {
        let (url, socket) = (impostor.url(), socket.map(str::to_owned));
        ServerNote { url, socket, identity: identity.clone(), release: "0.0.0".into() }.write(&house.home())
    };
    note(Some(ServerNote::SOCKET)).unwrap();
    refused("cannot reach the server");
    note(None).unwrap();
    refused("has no socket in the data directory");
    fs::remove_file(house.home().server_note()).unwrap();

    // A server that runs is asked over its socket alone.
    let _server = Server::start(&house);
    let running = ServerNote::running(&house.home()).unwrap();
    ServerNote { url: impostor.url(), ..running }.write(&house.home()).unwrap();
    for (command, code, said) in run_all(&house, &impostor) {
        // There is nothing that they could do this to.
        let can_be_refused =
            ["task start", "task retry", "task cancel", "task done", "task reopen", "session rm"];
        let is_refused = can_be_refused.iter().any(|other| command.starts_with(other));
        assert!(code == 0 || is_refused || only_looks(command), "{command}: {code} {said}");
    }
}

#[test]
fn s18_no_other_user_reaches_the_socket() {
    let house = House::new();
    let server = Server::start(&house);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&server.socket), mode(house.path())), (0o600, 0o700));
    if !geteuid().is_root() {
        return skip("only root can start a process of another user");
    }
    let curl = |user: u32| {
        let mut curl = Command::new("curl");
        curl.args(["-sS", "-m", "30", "http://localhost/api/health", "--unix-socket"]).arg(&server.socket);
        let output = curl.current_dir("/").uid(user).gid(user).output().ok()?;
        Some((output.status.code()?, String::from_utf8_lossy(&output.stdout).into_owned()))
    };
    let Some(own) = curl(0) else { return skip("no curl") };
    assert!(own.0 == 0 && own.1.contains("\"release\""), "{own:?}");
    let other = || curl(NOBODY).expect("curl runs");
    assert_eq!(other(), (NOT_CONNECTED, String::new()));
    // Nor does one whom the directory lets in.
    fs::set_permissions(house.path(), fs::Permissions::from_mode(0o711)).unwrap();
    assert_eq!(other(), (NOT_CONNECTED, String::new()));
    // And should the socket's mode let one in, the server does not speak to them.
    fs::set_permissions(&server.socket, fs::Permissions::from_mode(0o666)).unwrap();
    let (code, answer) = other();
    assert!(code != 0 && answer.is_empty(), "{code} {answer}");
    assert_eq!(curl(0).expect("curl runs"), own);
}

#[test]
fn s18_without_bearer_tokens_the_socket_still_takes_them() {
    let house = House::new();
    let repository = Repository::new(house.path(), "project");
    write_agents(&house);
    let server = &Server::start_with(&house, &[("ABIDE_BEARER_TOKENS", "false")]);
    server.get("/api/tasks").problem(ErrorCode::BearerOff);
    house.output(["repo", "add", repository.text()]);
    house.output(["task", "add", "--repo", "project", "--agent", "fake", "something"]);
    house.output(["task", "start", "something"]);
    let listed: Vec<api::Worker> = at_socket(server, "GET /api/workers", &server.token).ok(200);
    let agent = listed.first().expect("the agent runs").id;

    // The agent's own token opens its own worker there, and nothing else; and nothing at the port.
    let variables = trust::environment(&house, agent.as_str());
    let value = |name: &str| variables.iter().find(|(there, _)| there == name).expect("it is set").1.clone();
    let (socket, token) = (value("ABIDE_SOCKET"), value("ABIDE_TOKEN"));
    assert_eq!(Path::new(&socket), server.socket);
    let own = format!("/api/workers/{agent}");
    let _: api::Worker = at_socket(server, &format!("GET {own}"), &token).ok(200);
    at_socket(server, "GET /api/workers", &token).problem(ErrorCode::Forbidden);
    at_socket(server, "GET /api/workers/00000000", &token).problem(ErrorCode::NotFound);
    server.send(ureq::http::Method::GET, &own, None, Some(&token)).problem(ErrorCode::BearerOff);
    let attach = format!("{own}/attach");
    assert_eq!(Socket::open_as(server, &attach, &token).map(drop), Err(403));
    assert_eq!(websocket(server, &attach, &token), Ok(()));
    assert_eq!(websocket(server, "/ws/dashboard", &token), Err(403));
    assert_eq!(websocket(server, "/ws/dashboard", &server.token), Ok(()));

    // As its documentation says.
    let script = "printf 'Authorization: Bearer %s' \"$ABIDE_TOKEN\" | \
                  curl -sS --unix-socket \"$ABIDE_SOCKET\" -H @- \"http://localhost/api/workers/$ABIDE_WORKER\"";
    let mut curl = Command::new("sh");
    curl.args(["-c", script]).env("ABIDE_TOKEN", &token).env("ABIDE_SOCKET", &socket);
    let output = curl.env("ABIDE_WORKER", agent.as_str()).output().expect("sh runs");
    if output.status.code() == Some(127) {
        return skip("no curl");
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let found: api::Worker = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{words}"));
    assert_eq!(found.id, agent);

    // The end of the agent ends its token here too.
    house.output(["task", "done", "something"]);
    at_socket(server, &format!("GET {own}"), &token).problem(ErrorCode::Unauthenticated);
}

#[test]
fn s18_a_killed_servers_socket_does_not_stop_the_next_server() {
    let house = House::new();
    let server = Server::start(&house);
    let socket = server.socket.clone();
    server.kill();
    assert!(socket.exists(), "a killed server leaves it");
    UnixStream::connect(&socket).unwrap_err();
    assert!(house.refused(&["task", "ls"], 125).contains("no server runs"));
    let server = Server::start(&house);
    assert_eq!(house.output(["task", "ls", "--json"]), "[]\n");
    server.stop();
    assert!(!socket.exists(), "a server that ends takes it along");
    // Not even a file in its place does, or a link.
    std::os::unix::fs::symlink("/dev/null", &socket).unwrap();
    let _server = Server::start(&house);
    assert_eq!(house.output(["task", "ls", "--json"]), "[]\n");
}

#[test]
fn the_socket_works_in_a_data_directory_with_a_long_name() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("a-directory-with-a-long-name".repeat(5)).join("and-another".repeat(5));
    let house = House::at(&root);
    fs::create_dir_all(&root).unwrap();
    let server = Server::start(&house);
    assert!(server.socket.as_os_str().len() > 107);
    assert_eq!(house.output(["task", "ls", "--json"]), "[]\n");
    assert_eq!(house.run(["doctor"]).status.code(), Some(0));
}

/// Sends a request over the socket.
fn at_socket(server: &Server, line: &str, token: &str) -> Answer {
    let bearer = format!("Bearer {token}");
    let headers = [("host", "localhost"), ("authorization", bearer.as_str())];
    trust::ask(server, trust::Way::Socket, line, &headers, b"")
}

/// Opens a WebSocket over the socket; if it is refused, gives the status of that.
fn websocket(server: &Server, path: &str, token: &str) -> Result<(), u16> {
    let mut request = format!("ws://localhost{path}").into_client_request().expect("a request");
    let bearer = format!("Bearer {token}").parse().expect("a value");
    request.headers_mut().insert("authorization", bearer);
    let stream = UnixStream::connect(&server.socket).expect("it listens");
    stream.set_read_timeout(Some(testkit::WAIT)).expect("a socket");
    match tungstenite::client(request, stream) {
        Ok(_) => Ok(()),
        Err(HandshakeError::Failure(tungstenite::Error::Http(answer))) => Err(answer.status().as_u16()),
        Err(error) => panic!("{path}: {error}"),
    }
}
