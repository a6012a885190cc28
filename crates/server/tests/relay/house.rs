//! A data directory of its own for a test, with a real server on it.

use std::collections::VecDeque;
use std::env;
use std::fmt::Debug;
use std::io::{BufRead, BufReader, ErrorKind};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use home::{Home, WorkerDir};
use protocol::{Attach, Decoder, Form, HostMessage, StatusReport, VERSION, ViewerMessage};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::WAIT;
use tungstenite::handshake::client::Request;
use tungstenite::protocol::CloseFrame;
use tungstenite::{Message, WebSocket};

/// A data directory, and the server that serves it. When it goes, server and workers go.
pub(crate) struct House {
    dir: TempDir,
    server: Child,
    address: String,
    settings: [&'static str; 3],
}

impl House {
    /// One whose viewers are hardly ever pinged, and whose workers go with their hosts.
    pub(crate) fn new() -> House {
        House::with(["30000", "10000", "false"])
    }

    /// One with these settings: how often viewers are pinged, how long they may take, whether there is a keeper.
    pub(crate) fn with(settings: [&'static str; 3]) -> House {
        let dir = TempDir::new().expect("a temporary directory");
        // A program that says what it is doing, and what it was told.
        let agents = r#"
[[agent]]
id = "test"
name = "Test"
command = ["sh", "-c", "printf '\\033]7501;state=working\\007'; echo \"told: $1\"; exec cat", "sh"]
prompt = ["{prompt}"]
continue = []
"#;
        std::fs::write(dir.path().join("agents.toml"), agents).expect("agents.toml");
        let (server, address) = serve(&dir, settings);
        House { dir, server, address, settings }
    }

    /// Kills the server, which can do nothing about it, and starts another one.
    pub(crate) fn kill_server(&mut self) {
        self.server.kill().expect("the server runs");
        self.server.wait().expect("it is gone");
        (self.server, self.address) = serve(&self.dir, self.settings);
    }

    /// Asks the server to leave, and waits until it has.
    pub(crate) fn stop_server(&mut self) {
        kill_process(self.server_pid(), Signal::TERM).expect("the server runs");
        let left = self.server.wait().expect("the server ends");
        assert!(left.success(), "{left}");
    }

    fn server_pid(&self) -> Pid {
        Pid::from_raw(self.server.id().cast_signed()).expect("a process")
    }

    /// How much memory the server uses, in KiB.
    pub(crate) fn server_memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.id())).expect("it runs");
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a line on memory");
        line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().to_owned()
    }

    pub(crate) fn token(&self) -> String {
        let text = std::fs::read_to_string(self.dir.path().join("token")).expect("the owner's token");
        text.trim().to_owned()
    }

    /// Asks the server for something, which must go well.
    pub(crate) fn get(&self, path: &str) -> Value {
        let answer = ureq::get(format!("http://{}{path}", self.address))
            .header("authorization", format!("Bearer {}", self.token()))
            .call();
        answer.unwrap_or_else(|error| panic!("{path}: {error}")).body_mut().read_json().expect("JSON")
    }

    /// Tells the server to do something, which must go well.
    pub(crate) fn post(&self, path: &str, body: Value) -> Value {
        let answer = ureq::post(format!("http://{}{path}", self.address))
            .header("authorization", format!("Bearer {}", self.token()))
            .config()
            .http_status_as_error(false)
            .build()
            .send_json(&body);
        let mut answer = answer.unwrap_or_else(|error| panic!("{path}: {error}"));
        let status = answer.status();
        let text = answer.body_mut().read_to_string().expect("text");
        assert!(status.is_success(), "{path} {body}: {status} {text}");
        serde_json::from_str(&text).unwrap_or(Value::Null)
    }

    /// Takes something away, which must go well.
    pub(crate) fn delete(&self, path: &str) {
        ureq::delete(format!("http://{}{path}", self.address))
            .header("authorization", format!("Bearer {}", self.token()))
            .call()
            .unwrap_or_else(|error| panic!("{path}: {error}"));
    }

    /// A new session in the data directory.
    pub(crate) fn session(&self) -> String {
        let made = self.post("/api/sessions", json!({"type": "quick", "locationPath": self.path()}));
        text(&made["session"]["id"])
    }

    /// A terminal in a session of its own that runs a shell script.
    pub(crate) fn script(&self, script: &str) -> Worker {
        let session = self.session();
        let new = json!({"type": "terminal", "command": ["sh", "-c", script]});
        let made = self.post(&format!("/api/sessions/{session}/workers"), new);
        self.worker(session, &made["worker"]["id"])
    }

    /// The test's agent in a session of its own.
    pub(crate) fn agent(&self) -> Worker {
        let session = self.session();
        let new = json!({"type": "agent", "agentId": "test", "prompt": "hello"});
        let made = self.post(&format!("/api/sessions/{session}/workers"), new);
        self.worker(session, &made["worker"]["id"])
    }

    pub(crate) fn worker(&self, session: String, id: &Value) -> Worker {
        let id = text(id);
        let dir = Home::at(self.dir.path()).worker(id.parse().expect("an id"));
        Worker { session, id, dir }
    }

    /// A token for one worker.
    pub(crate) fn token_for(&self, worker: &Worker, drive: bool) -> (String, String) {
        let scope = json!({"kind": "worker", "workerId": worker.id, "drive": drive});
        let made = self.post("/api/tokens", json!({"name": "test", "scope": scope}));
        (text(&made["secret"]), text(&made["token"]["id"]))
    }

    /// A socket that is the owner's.
    pub(crate) fn socket(&self, path: &str) -> Socket {
        self.socket_of(path, &self.token())
    }

    /// A socket of whoever has this token.
    pub(crate) fn socket_of(&self, path: &str, token: &str) -> Socket {
        self.try_socket(path, token).unwrap_or_else(|status| panic!("{path}: {status}"))
    }

    /// A socket, or the HTTP status with which it was refused.
    pub(crate) fn try_socket(&self, path: &str, token: &str) -> Result<Socket, u16> {
        let stream = TcpStream::connect(&self.address).expect("the server listens");
        stream.set_read_timeout(Some(WAIT)).expect("a deadline");
        let request = Request::builder()
            .uri(format!("ws://{}{path}", self.address))
            .header("host", &self.address)
            .header("connection", "Upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", tungstenite::handshake::client::generate_key())
            .header("authorization", format!("Bearer {token}"))
            .body(())
            .expect("a request");
        match tungstenite::client(request, stream) {
            Ok((inner, _)) => Ok(Socket { inner, messages: VecDeque::new() }),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
                Err(answer.status().as_u16())
            }
            Err(error) => panic!("{path}: {error}"),
        }
    }

    /// Attaches to a worker with our own frames, as this token's holder.
    pub(crate) fn attach_as(&self, worker: &Worker, token: &str, attach: Attach) -> Socket {
        let mut socket = self.socket_of(&format!("/api/workers/{}/attach", worker.id), token);
        socket.frame(&ViewerMessage::Attach(attach));
        socket
    }

    /// Attaches to a worker with our own frames.
    pub(crate) fn attach(&self, worker: &Worker, attach: Attach) -> Socket {
        self.attach_as(worker, &self.token(), attach)
    }
}

fn serve(dir: &TempDir, settings: [&str; 3]) -> (Child, String) {
    let program = env::current_exe().expect("a path").with_file_name("../examples/house");
    assert!(
        program.exists(),
        "the example `house` is not built: run `cargo test -p server`, not one test alone"
    );
    let mut server = Command::new(program)
        .arg("serve")
        .args(settings)
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap_or_default())
        .env("HOME", dir.path())
        .env("ABIDE_HOME", dir.path())
        .env("SHELL", "/bin/sh")
        .env("LANG", "C.UTF-8")
        .current_dir(dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut ready = String::new();
    let mut out = BufReader::new(server.stdout.take().expect("its output"));
    out.read_line(&mut ready).expect("a line");
    let address = ready.strip_prefix("ready http://").and_then(|rest| rest.split_once('/'));
    let (name, _) = address.unwrap_or_else(|| panic!("the server is not ready: {ready:?}"));
    // The page's name leads to this machine in browsers alone.
    let (_, port) = name.rsplit_once(':').expect("a port");
    (server, format!("127.0.0.1:{port}"))
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        let home = Home::at(self.dir.path());
        kill_keepers(&home);
        for dir in home.worker_dirs().unwrap_or_default() {
            let child = viewer::status(&dir.socket()).map(|status| status.child_pid).ok();
            if let Some(identity) = dir.identity() {
                let _ = identity.signal(Signal::KILL);
            }
            if let Some(child) = child.and_then(|pid| Pid::from_raw(pid.cast_signed())) {
                let _ = kill_process_group(child, Signal::KILL);
            }
        }
    }
}

/// Keepers first, or they would bring back what is killed. They are known by their data directory.
fn kill_keepers(home: &Home) {
    let variable = format!("ABIDE_HOME={}", home.root().display());
    let processes = std::fs::read_dir("/proc").expect("/proc");
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    for pid in pids {
        let read = |file: &str| std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let has = |bytes: &[u8], word: &[u8]| bytes.split(|byte| *byte == 0).any(|part| part == word);
        if has(&read("cmdline"), b"keeper") && has(&read("environ"), variable.as_bytes()) {
            let _ = kill_process(Pid::from_raw(pid.cast_signed()).expect("a process"), Signal::KILL);
        }
    }
}

/// A worker that a test started.
pub(crate) struct Worker {
    pub(crate) session: String,
    pub(crate) id: String,
    pub(crate) dir: WorkerDir,
}

impl Worker {
    /// What its host tells about itself.
    pub(crate) fn status(&self) -> StatusReport {
        viewer::status(&self.dir.socket()).expect("the host answers")
    }

    /// Kills its host as nothing can be caught.
    pub(crate) fn kill_host(&self) {
        let identity = self.dir.identity().expect("a host");
        assert_eq!(identity.signal(Signal::KILL), Ok(true), "the host runs");
    }
}

/// What a viewer asks for that wants everything.
pub(crate) fn wanting_all() -> Attach {
    Attach {
        version: VERSION,
        epoch: None,
        since: None,
        history: 1000,
        form: Form::Full,
        read_only: false,
        size: None,
        ack: false,
        events: false,
        quiet: false,
        typist: None,
        name: "test".into(),
    }
}

/// One end of a WebSocket.
pub(crate) struct Socket {
    inner: WebSocket<TcpStream>,
    /// Messages of frames that came and were not looked at yet.
    messages: VecDeque<HostMessage>,
}

/// How a socket was closed: the code and the reason.
pub(crate) type Closed = (u16, String);

impl Socket {
    pub(crate) fn send(&mut self, message: Message) {
        // A server that has closed already says why when it is read.
        let _ = self.inner.send(message);
    }

    pub(crate) fn json(&mut self, message: Value) {
        self.send(Message::text(message.to_string()));
    }

    pub(crate) fn frame(&mut self, message: &ViewerMessage) {
        self.send(Message::binary(message.to_bytes()));
    }

    /// The next message that is no ping.
    pub(crate) fn next(&mut self) -> Result<Message, Closed> {
        loop {
            match self.inner.read() {
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Ok(Message::Close(Some(CloseFrame { code, reason }))) => {
                    // The answer to it is sent with the next flush.
                    let _ = self.inner.flush();
                    return Err((code.into(), reason.to_string()));
                }
                Ok(Message::Close(None)) => return Err((1005, String::new())),
                Ok(message) => return Ok(message),
                Err(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => {
                    panic!("nothing came within {WAIT:?}")
                }
                Err(_) => return Err((1006, String::new())),
            }
        }
    }

    /// The next message of the host.
    pub(crate) fn host(&mut self) -> Result<HostMessage, Closed> {
        loop {
            if let Some(message) = self.messages.pop_front() {
                return Ok(message);
            }
            let Message::Binary(bytes) = self.next()? else { panic!("frames come in binary messages") };
            let mut decoder = Decoder::default();
            decoder.push(&bytes);
            let frame = decoder.next_frame().expect("a frame").expect("a whole frame");
            self.messages.extend(HostMessage::read(frame).expect("a message"));
            assert!(decoder.unfinished().is_empty(), "one frame in each message");
        }
    }

    /// Takes in messages of the host until one is wanted.
    pub(crate) fn until<T>(&mut self, what: &str, wanted: impl Fn(HostMessage) -> Option<T>) -> T {
        loop {
            match self.host() {
                Ok(message) => {
                    if let Some(found) = wanted(message) {
                        return found;
                    }
                }
                Err(closed) => panic!("{what}: the socket was closed: {closed:?}"),
            }
        }
    }

    /// Takes in what is shown until a text is on it.
    pub(crate) fn until_shown(&mut self, text: &str) -> String {
        let mut shown = String::new();
        while !shown.contains(text) {
            match self.host() {
                Ok(HostMessage::Output { bytes, .. } | HostMessage::Snapshot { bytes, .. }) => {
                    shown.push_str(&String::from_utf8_lossy(&bytes));
                }
                Ok(_) => {}
                Err(closed) => panic!("{text:?} is not shown: {closed:?}\n{shown:?}"),
            }
        }
        shown
    }

    /// The next message, which is JSON.
    pub(crate) fn next_json(&mut self) -> Result<Value, Closed> {
        match self.next()? {
            Message::Text(text) => Ok(serde_json::from_str(&text).expect("JSON")),
            other => panic!("this is not text: {other:?}"),
        }
    }

    /// Takes in JSON until one is of this type.
    pub(crate) fn until_type(&mut self, kind: &str) -> Value {
        self.until_json(kind, |message| message["type"] == kind)
    }

    /// Takes in JSON until one is wanted.
    pub(crate) fn until_json(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            match self.next_json() {
                Ok(message) if wanted(&message) => return message,
                Ok(_) => {}
                Err(closed) => panic!("{what}: the socket was closed: {closed:?}"),
            }
        }
    }

    /// Takes in JSON until a text is in what is shown, of one worker if it is named.
    pub(crate) fn until_data(&mut self, worker: Option<&str>, text: &str) -> String {
        let mut shown = String::new();
        while !shown.contains(text) {
            match self.next_json() {
                Ok(message) if worker.is_none_or(|worker| message["workerId"] == worker) => {
                    shown.push_str(message["data"].as_str().unwrap_or_default());
                }
                Ok(_) => {}
                Err(closed) => panic!("{text:?} is not shown: {closed:?}\n{shown:?}"),
            }
        }
        shown
    }

    /// Takes in everything until the socket is closed, and says how.
    pub(crate) fn until_closed(&mut self) -> Closed {
        loop {
            if let Err(closed) = self.next() {
                return closed;
            }
        }
    }
}

/// A text in JSON.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

/// Looks until there is something, with a deadline.
pub(crate) fn wait_for<T: Debug>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + WAIT;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what}: not seen within {WAIT:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
