//! The address of a server that comes and goes.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use serde::de::DeserializeOwned;
use serde_json::Value;
use testkit::{Random, WAIT};
use ureq::Agent;
use ureq::http::Method;

use crate::house::{House, signal, wait_for};
use crate::server::Answer;

/// The address of a server that is killed and started again. It stays the same: no process may keep the port of a killed
/// server.
pub(super) struct Door<'h> {
    house: &'h House,
    pub(super) address: String,
    pub(super) token: String,
    agent: Agent,
    log: PathBuf,
}

/// A server's process.
pub(super) struct Process {
    child: Child,
    log: PathBuf,
}

impl<'h> Door<'h> {
    /// One at a port that is free, and that no outgoing connection is given by chance.
    pub(super) fn new(house: &'h House, random: &mut Random) -> Door<'h> {
        let ports = std::iter::repeat_with(|| random.between(20_000, 32_000));
        let mut addresses = ports.map(|port| format!("127.0.0.1:{port}"));
        let address =
            addresses.find(|address| TcpListener::bind(address).is_ok()).expect("ports do not run out");
        let config = Agent::config_builder().http_status_as_error(false).proxy(None);
        let config = config.timeout_global(Some(WAIT));
        let log = house.path().join("server.log");
        Door { house, address, token: String::new(), agent: config.build().into(), log }
    }

    /// Reads the token that the first server wrote.
    pub(super) fn learn_token(&mut self) {
        let token = fs::read_to_string(self.house.path().join("token")).expect("a token");
        self.token = token.trim().to_owned();
    }

    /// Starts a server, and does not wait for it.
    pub(super) fn spawn(&self) -> Process {
        let mut command = self.house.command(["serve", "--listen", &self.address]);
        let log = OpenOptions::new().create(true).append(true).open(&self.log).expect("a log");
        let child = command.stdout(Stdio::piped()).stderr(log).spawn().expect("abide runs");
        Process { child, log: self.log.clone() }
    }

    /// Starts a server, and waits until it can be reached.
    pub(super) fn serve(&self) -> Process {
        self.spawn().ready()
    }

    /// Sends a request to the present server. `None` if no server runs, or if it is killed before it has answered.
    pub(super) fn ask(&self, method: Method, path: &str, body: Option<Value>) -> Option<Answer> {
        let url = format!("http://{}", self.address);
        testkit::server::ask(&self.agent, &url, method, path, body, Some(&self.token)).ok()
    }

    /// Asks whichever server is there, and leaves at once.
    pub(super) fn ask_and_leave(&self, path: &str, body: &Value) {
        let Ok(mut stream) = TcpStream::connect(&self.address) else { return };
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        );
        let _ = stream.write_all(request.as_bytes());
    }

    /// Asks a server that is there.
    pub(super) fn must<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        status: u16,
    ) -> T {
        self.ask(method, path, body).expect("an answer").ok(status)
    }

    /// What there is at a path.
    pub(super) fn get<T: DeserializeOwned>(&self, path: &str) -> T {
        self.must(Method::GET, path, None, 200)
    }

    /// No server failed in a way of its own.
    pub(super) fn check_log(&self) {
        let log = fs::read_to_string(&self.log).expect("a log");
        let is_bad = |line: &&str| line.contains("panicked") || line.contains(" ERROR ");
        let bad: Vec<&str> = log.lines().filter(is_bad).collect();
        assert!(bad.is_empty(), "{}", bad.join("\n"));
    }
}

impl Process {
    /// Waits until it can be reached.
    pub(super) fn ready(mut self) -> Process {
        let mut line = String::new();
        let out = self.child.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut line).expect("its output");
        let log = || fs::read_to_string(&self.log).unwrap_or_default();
        assert!(line.starts_with("ready "), "not ready: {line:?}\n{}", log());
        self
    }

    /// Kills it with SIGKILL, without any warning.
    pub(super) fn kill(mut self) {
        self.child.kill().expect("it is ours");
        self.child.wait().expect("it is ours");
    }

    /// Asks it to end, and waits for that.
    pub(super) fn stop(mut self) {
        signal(self.child.id(), Signal::TERM);
        let status = wait_for("the server's end", || self.child.try_wait().expect("it is ours"));
        assert!(status.success(), "{status}");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The pause before a client looks for a server again.
pub(super) const NO_SERVER_PAUSE: Duration = Duration::from_millis(5);
