//! A data directory for one test, with a real server.

use std::env;
use std::ops::Deref;
use std::path::Path;

use protocol::{Attach, ViewerMessage};
use serde_json::{Value, json};
use testkit::server::{Server, Socket};

/// A data directory and its server. Dropping it ends the server and all workers.
pub(crate) struct House {
    // Before the house: the server must end first, because it would start new hosts.
    server: Option<Server>,
    house: testkit::House,
    settings: [&'static str; 3],
}

impl House {
    /// A house without frequent pings and without a keeper, so that workers end with their hosts.
    pub(crate) fn new() -> House {
        House::with(["30000", "10000", "false"])
    }

    /// A house with these settings: ping interval, ping timeout, and whether there is a keeper.
    pub(crate) fn with(settings: [&'static str; 3]) -> House {
        let program = env::current_exe().expect("a path").with_file_name("../examples/house");
        assert!(
            program.exists(),
            "the example `house` is not built: run `cargo test -p server`, not one test alone"
        );
        let house = testkit::House::new(program);
        // An agent that reports its activity and prints its prompt.
        let agents = r#"
[[agent]]
id = "test"
name = "Test"
command = ["sh", "-c", "printf '\\033]7501;state=working\\007'; echo \"told: $1\"; exec cat", "sh"]
prompt = ["{prompt}"]
continue = []
"#;
        std::fs::write(house.path().join("agents.toml"), agents).expect("agents.toml");
        let server = Some(serve(&house, settings));
        House { server, house, settings }
    }

    /// Kills the server with SIGKILL, and starts another one.
    pub(crate) fn kill_server(&mut self) {
        self.server.take().expect("a server").kill();
        self.server = Some(serve(&self.house, self.settings));
    }

    /// Stops the server with SIGTERM, and waits until it has ended.
    pub(crate) fn stop_server(&mut self) {
        self.server.take().expect("a server").stop();
    }

    fn server(&self) -> &Server {
        self.server.as_ref().expect("a server")
    }

    /// How much memory the server uses, in KiB.
    pub(crate) fn server_memory(&self) -> u64 {
        testkit::resident_kb(self.server().pid())
    }

    pub(crate) fn path(&self) -> &Path {
        self.house.path()
    }

    pub(crate) fn token(&self) -> &str {
        &self.server().token
    }

    /// Sends GET, which must succeed.
    pub(crate) fn get(&self, path: &str) -> Value {
        self.server().get(path).ok(200)
    }

    /// Sends POST, which must succeed.
    pub(crate) fn post(&self, path: &str, body: Value) -> Value {
        let answer = self.server().post(path, body);
        assert!((200..300).contains(&answer.status), "{path}: {answer:?}");
        serde_json::from_str(&answer.text).unwrap_or(Value::Null)
    }

    /// Sends DELETE, which must succeed.
    pub(crate) fn delete(&self, path: &str) {
        self.server().delete(path).empty(204);
    }

    /// A terminal in a session of its own that runs a shell script.
    pub(crate) fn script(&self, script: &str) -> Worker {
        let (session, worker) = self.server().terminal(self.path().to_str().expect("text"), script);
        self.worker(session.id.as_str(), worker.id.as_str())
    }

    /// The test's agent in a session of its own.
    pub(crate) fn agent(&self) -> Worker {
        let made = self.post("/api/sessions", json!({"type": "quick", "locationPath": self.path()}));
        let session = text(&made["session"]["id"]);
        let new = json!({"type": "agent", "agentId": "test", "prompt": "hello"});
        let made = self.post(&format!("/api/sessions/{session}/workers"), new);
        self.worker(&session, &text(&made["worker"]["id"]))
    }

    pub(crate) fn worker(&self, session: &str, id: &str) -> Worker {
        Worker { session: session.to_owned(), id: id.to_owned(), worker: self.house.called(id) }
    }

    /// A token for one worker.
    pub(crate) fn token_for(&self, worker: &Worker, drive: bool) -> (String, String) {
        let scope = json!({"kind": "worker", "workerId": worker.id, "drive": drive});
        let made = self.post("/api/tokens", json!({"name": "test", "scope": scope}));
        (text(&made["secret"]), text(&made["token"]["id"]))
    }

    /// A socket with the owner's token.
    pub(crate) fn socket(&self, path: &str) -> Socket {
        Socket::open(self.server(), path)
    }

    /// A socket, or the HTTP status with which it was refused.
    pub(crate) fn try_socket(&self, path: &str, token: &str) -> Result<Socket, u16> {
        Socket::open_as(self.server(), path, token)
    }

    /// Attaches to a worker with our own frames and this token.
    pub(crate) fn attach_as(&self, worker: &Worker, token: &str, attach: Attach) -> Socket {
        let path = format!("/api/workers/{}/attach", worker.id);
        let mut socket = self.try_socket(&path, token).expect("it opens");
        socket.frame(&ViewerMessage::Attach(attach));
        socket
    }

    /// Attaches to a worker with our own frames.
    pub(crate) fn attach(&self, worker: &Worker, attach: Attach) -> Socket {
        self.attach_as(worker, self.token(), attach)
    }
}

fn serve(house: &testkit::House, settings: [&str; 3]) -> Server {
    Server::run(house, house.command(["serve"].into_iter().chain(settings)))
}

/// A worker that a test started.
pub(crate) struct Worker {
    pub(crate) session: String,
    pub(crate) id: String,
    worker: testkit::Worker,
}

impl Deref for Worker {
    type Target = testkit::Worker;

    fn deref(&self) -> &testkit::Worker {
        &self.worker
    }
}

/// An Attach that requests everything.
pub(crate) fn wanting_all() -> Attach {
    Attach { history: 1000, ..Attach::full("test") }
}

/// The text of a JSON string.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a text")).to_owned()
}
