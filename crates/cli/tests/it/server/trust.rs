//! Access: every route and socket of the table with every kind of token, and secrets that the server never gives out.

mod child;
mod files;
mod heads;
mod matrix;
mod owners;
mod proofs;
mod secrets;
mod sockets;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};
use std::os::unix::net::UnixStream;

use api::{NewToken, Task, Worktree};
use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
use serde_json::{Value, json};
use ureq::http::Method;

use super::{Answer, Server};

pub(crate) use secrets::environment;

/// An id that nothing has.
const UNKNOWN: &str = "00000000";

/// What the paths of routes can be about.
#[derive(Debug)]
pub(crate) struct Objects {
    ids: BTreeMap<&'static str, String>,
}

impl Objects {
    /// A task, and what it has. Waits until the server has heard of its worker from the host: from then on, what the
    /// server shows changes only when a request changes it.
    pub(crate) fn of(server: &Server, task: &Task) -> Objects {
        let worker = task.worker_id.expect("it has a worker");
        server.wait_for_worker(worker, "the server to hear of the worker", |worker| {
            worker.handle.is_some() && worker.cwd.is_some()
        });
        Objects::of_owner(server, &server.token, task)
    }

    /// The same, for a task of the owner of this token.
    fn of_owner(server: &Server, secret: &str, task: &Task) -> Objects {
        let session = task.session_id.expect("it has a session");
        let worktrees: Vec<Worktree> = server.send(Method::GET, "/api/worktrees", None, Some(secret)).ok(200);
        let worktree = worktrees.iter().find(|worktree| worktree.session_ids.contains(&session));
        let asset = page::files().iter().find_map(|file| file.name.strip_prefix("assets/"));
        let ids = [
            // Files of the page: beside it, and in their own directory.
            ("", "index.html".to_owned()),
            ("assets", asset.unwrap_or(UNKNOWN).to_owned()),
            ("tasks", task.id.to_string()),
            ("repositories", task.project_id.to_string()),
            ("worktrees", worktree.expect("it has a worktree").id.to_string()),
            ("sessions", session.to_string()),
            ("session", session.to_string()),
            ("workers", task.worker_id.expect("it has a worker").to_string()),
            ("worker", task.worker_id.expect("it has a worker").to_string()),
        ];
        Objects { ids: ids.into() }
    }

    /// The ids of things that belong to an owner.
    fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().filter(|(kind, _)| !["", "assets"].contains(kind)).map(|(_, id)| id.as_str())
    }

    /// Nothing that there is.
    fn none() -> Objects {
        Objects { ids: BTreeMap::new() }
    }

    /// A route's path with these ids in it.
    pub(crate) fn fill(&self, path: &str) -> String {
        let mut before = "";
        let parts = path.split('/').map(|part| {
            let part = match part.starts_with('{') {
                true => self.ids.get(before).map_or(UNKNOWN, String::as_str),
                false => part,
            };
            before = part;
            part
        });
        parts.collect::<Vec<_>>().join("/")
    }
}

/// All that the server knows and that is not about who looks at it.
pub(crate) fn everything(server: &Server) -> BTreeMap<&'static str, Value> {
    everything_of(server, &server.token)
}

/// The same, as the owner of this token sees it.
fn everything_of(server: &Server, secret: &str) -> BTreeMap<&'static str, Value> {
    let lists = [
        "/api/repositories",
        "/api/worktrees",
        "/api/tasks",
        "/api/sessions",
        "/api/workers",
        "/api/tokens",
        "/api/audit",
    ];
    let get = |path| {
        let mut list: Value = server.send(Method::GET, path, None, Some(secret)).ok(200);
        forget_looks(&mut list);
        (path, list)
    };
    lists.map(get).into()
}

fn forget_looks(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(forget_looks),
        Value::Object(fields) => {
            fields.remove("lastUsedAt");
            fields.remove("viewers");
            fields.values_mut().for_each(forget_looks);
        }
        _ => {}
    }
}

/// Makes a token for one worker.
fn token(server: &Server, worker: &str, drive: bool) -> NewToken {
    let scope = json!({"kind": "worker", "workerId": worker, "drive": drive});
    server.post("/api/tokens", json!({"name": "for one", "scope": scope})).ok(201)
}

/// Makes a token that is taken back at once, and gives its secret.
fn revoked(server: &Server, scope: &Value) -> String {
    let made: NewToken = server.post("/api/tokens", json!({"name": "gone", "scope": scope})).ok(201);
    server.delete(&format!("/api/tokens/{}", made.token.id)).empty(204);
    made.secret
}

/// What makes a request one for a WebSocket.
const UPGRADE: [(&str, &str); 4] = [
    ("connection", "upgrade"),
    ("upgrade", "websocket"),
    ("sec-websocket-version", "13"),
    ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
];

/// Sends a request with just these headers and this body, on one of the ways to the server; of an upgrade, only the head
/// of the answer is read.
pub(crate) fn ask(
    server: &Server,
    from: impl Into<Way>,
    line: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    ask_whole(server, from, line, headers, body).1
}

/// The same, with the head of the answer.
fn ask_whole(
    server: &Server,
    from: impl Into<Way>,
    line: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> (String, Answer) {
    let mut stream = connected(server, from.into());
    let mut head = format!("{line} HTTP/1.1\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !headers.iter().any(|(name, _)| *name == "connection") {
        head.push_str("connection: close\r\n");
    }
    if !body.is_empty() {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    stream.write_all(&[head.as_bytes(), b"\r\n", body].concat()).expect("it listens");
    let mut answer = Vec::new();
    let mut byte = [0];
    while !answer.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap_or_else(|error| panic!("{line}: {error}"));
        answer.push(byte[0]);
    }
    let whole = String::from_utf8(answer).expect("text");
    let head = whole.to_ascii_lowercase();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut text = vec![0; length.map_or(0, |length| length.parse().expect("a number"))];
    stream.read_exact(&mut text).expect("the body");
    (whole, Answer { status, text: String::from_utf8_lossy(&text).into_owned() })
}

/// How a request reaches the server.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// Over its port, from this address.
    Port(Ipv4Addr),
    /// Over its Unix socket.
    Socket,
}

impl From<Ipv4Addr> for Way {
    fn from(address: Ipv4Addr) -> Way {
        Way::Port(address)
    }
}

/// A connection of either kind.
trait Connection: Read + Write {}

impl<T: Read + Write> Connection for T {}

fn connected(server: &Server, way: Way) -> Box<dyn Connection> {
    let from = match way {
        Way::Port(from) => from,
        Way::Socket => return Box::new(UnixStream::connect(&server.socket).expect("it listens")),
    };
    let to: SocketAddr = server.authority().parse().expect("an address");
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
    bind(&socket, &SocketAddrV4::new(from, 0)).expect("all of 127/8 is ours");
    connect(&socket, &to).expect("it listens");
    Box::new(TcpStream::from(socket))
}
