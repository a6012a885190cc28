//! A server with a few routes, and a client that sends exactly the given bytes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use model::{OwnerId, SessionId, WorkerId};
use server::gate::{Clock, Gate, Wait};
use server::listen::{Limits, Listening, serve};
use server::policy::RouteEntry;
use server::tokens::{Secret, Tokens};
use store::{Database, NewSession, NewWorker, Scope, SessionKind, Store, WorkerKind};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::routes;

/// Longer than anything here takes.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// The real time, but short waits end at once and are counted.
#[derive(Default)]
pub(crate) struct CountedWaits(Mutex<Vec<Duration>>);

impl CountedWaits {
    /// The short waits so far, in milliseconds.
    pub(crate) fn waits(&self) -> Vec<u128> {
        self.0.lock().unwrap().iter().map(Duration::as_millis).collect()
    }
}

impl Clock for CountedWaits {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn wall(&self) -> Timestamp {
        Timestamp::now()
    }

    fn wait(&self, time: Duration) -> Wait {
        // Longer waits are deadlines of sockets and checks of a token's expiry.
        if time > Duration::from_secs(2) {
            return Box::pin(tokio::time::sleep(time));
        }
        self.0.lock().unwrap().push(time);
        Box::pin(std::future::ready(()))
    }
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) gate: Gate,
    pub(crate) entries: Vec<RouteEntry>,
    pub(crate) clock: Arc<CountedWaits>,
    /// Everything that the handlers behind the gate received.
    pub(crate) seen: routes::Seen,
    /// A token that permits everything, and two tokens for one worker.
    pub(crate) owner: Secret,
    pub(crate) driver: Secret,
    pub(crate) watcher: Secret,
    /// The worker of those two tokens, and another one.
    pub(crate) own: WorkerId,
    pub(crate) other: WorkerId,
    runtime: Runtime,
    /// Where its socket is.
    dir: TempDir,
}

/// The parts of an answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// The code of a problem, or nothing.
    pub(crate) fn code(&self) -> String {
        let body: serde_json::Value = serde_json::from_str(&self.body).unwrap_or_default();
        body["error"]["code"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

impl Server {
    pub(crate) fn start() -> Server {
        Server::start_with(Limits::default())
    }

    pub(crate) fn start_with(limits: Limits) -> Server {
        let runtime = Runtime::new().unwrap();
        let clock = Arc::new(CountedWaits::default());
        let database = Database::in_memory();
        let store = database.of(OwnerId::ONLY);
        let [own, other] = [1, 2].map(|number| add_worker(&store, number));
        let tokens = Tokens::new(Arc::new(database), clock.clone());
        let make =
            |scope| runtime.block_on(tokens.make(OwnerId::ONLY, "a test", scope, None)).unwrap().secret;
        let owner = make(Scope::All);
        let driver = make(Scope::Worker { worker: own, drive: true });
        let watcher = make(Scope::Worker { worker: own, drive: false });

        let listening = Listening::at("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listening.addresses()[0];
        let dir = TempDir::new().unwrap();
        let listening = listening.and_socket(UnixListener::bind(socket_in(&dir)).unwrap());
        let gate = Gate::new(listening.names(), tokens, clock.clone());
        let seen = routes::Seen::default();
        let (router, entries) = routes::router(seen.clone());
        let doors = runtime.block_on(async { listening.doors(limits) }).unwrap();
        let served = gate.clone();
        runtime.spawn(async move { serve(doors, &served, router, std::future::pending()).await });
        Server { address, gate, entries, clock, seen, owner, driver, watcher, own, other, runtime, dir }
    }

    pub(crate) fn host(&self) -> String {
        format!("localhost:{}", self.address.port())
    }

    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream
    }

    /// Sends bytes and reads one answer, until the server closes.
    pub(crate) fn send(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        read_answer(&mut stream).unwrap_or_else(|| panic!("no answer to {request:?}"))
    }

    /// Sends a request with this first line and these headers, and `Host`.
    pub(crate) fn ask(&self, line: &str, headers: &[(&str, &str)]) -> Answer {
        self.ask_with_body(line, headers, "")
    }

    pub(crate) fn ask_with_body(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        self.send(&self.request(line, headers, body))
    }

    /// The same, over the Unix socket.
    pub(crate) fn ask_at_socket(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let request = self.request(line, headers, body).replace(&self.host(), "localhost");
        let mut stream = UnixStream::connect(socket_in(&self.dir)).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        read_answer(&mut stream).unwrap_or_else(|| panic!("no answer to {request:?}"))
    }

    fn request(&self, line: &str, headers: &[(&str, &str)], body: &str) -> String {
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length =
            if body.is_empty() { String::new() } else { format!("content-length: {}\r\n", body.len()) };
        let host = self.host();
        format!("{line} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{headers}{length}\r\n{body}")
    }

    pub(crate) fn bearer(secret: &Secret) -> String {
        format!("Bearer {}", secret.expose())
    }

    /// A request with the owner's token.
    pub(crate) fn ask_as_owner(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let bearer = Server::bearer(&self.owner);
        let headers: Vec<_> = headers.iter().copied().chain([("authorization", bearer.as_str())]).collect();
        self.ask_with_body(line, &headers, body)
    }
}

fn socket_in(dir: &TempDir) -> PathBuf {
    dir.path().join("socket")
}

/// Reads one answer. None if the server closes the connection without one.
pub(crate) fn read_answer(stream: &mut impl Read) -> Option<Answer> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let answer = Answer {
                status: head.split(' ').nth(1)?.parse().ok()?,
                head: head.to_owned(),
                body: body.to_owned(),
            };
            let length = answer.header("content-length").and_then(|length| length.parse().ok());
            if length.is_none_or(|length: usize| body.len() >= length) {
                return Some(answer);
            }
        }
        let mut piece = [0; 4096];
        match stream.read(&mut piece) {
            Ok(0) => return None,
            Ok(read) => bytes.extend(&piece[..read]),
            // A reset is a close too.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
            Err(error) => panic!("{error} after {text:?}"),
        }
    }
}

fn add_worker(store: &Store, number: u8) -> WorkerId {
    let id = WorkerId::from_random([number; 8]);
    let session = NewSession {
        id: SessionId::from_random([number; 8]),
        kind: SessionKind::Quick,
        location: "/".into(),
        title: None,
    };
    let worker =
        NewWorker { id, kind: WorkerKind::Terminal, name: format!("w{number}"), command: vec!["sh".into()] };
    store.create_session(&session, Some(&worker), Timestamp::now()).unwrap();
    id
}
