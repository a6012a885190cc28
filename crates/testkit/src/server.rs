//! A real server that a test started, its answers, and WebSockets to it.

mod socket;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};

use api::{ErrorCode, Problem};
use rustix::process::{Pid, Signal, kill_process};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::{Method, Request};

use crate::{House, wait_for};

pub use socket::{Closed, Socket};

/// A server that runs. When it goes, it is killed; its workers are the house's.
pub struct Server {
    process: Child,
    /// Where it is reached, as in `http://127.0.0.1:1234`.
    pub url: String,
    /// Where its Unix socket is.
    pub socket: PathBuf,
    /// The code for one browser.
    pub code: String,
    /// The owner's token.
    pub token: String,
    agent: Agent,
    said: Option<JoinHandle<String>>,
}

/// What it answered.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The body.
    pub text: String,
}

impl Server {
    /// Starts one, and waits until it says that it is ready.
    pub fn start(house: &House) -> Server {
        Server::start_with(house, &[])
    }

    /// The same, with variables.
    pub fn start_with(house: &House, variables: &[(&str, &str)]) -> Server {
        let mut command = house.command(["serve", "--listen", "127.0.0.1:0"]);
        command.envs(variables.iter().copied());
        Server::run(house, command)
    }

    /// The same, by a command that is ready to run.
    pub fn run(house: &House, mut command: Command) -> Server {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("abide runs");
        let mut out = BufReader::new(process.stdout.take().expect("its output"));
        let mut words = process.stderr.take().expect("its words");
        let said = thread::spawn(move || {
            let mut text = String::new();
            // What it says is shown when it does not start.
            let _ = words.read_to_string(&mut text);
            text
        });
        let mut line = String::new();
        out.read_line(&mut line).expect("its output");
        let Some((url, code)) = line.strip_prefix("ready ").and_then(|rest| rest.trim().split_once("/#"))
        else {
            let _ = process.kill();
            panic!("not ready: {line:?}\n{}", said.join().unwrap_or_default());
        };
        let token = fs::read_to_string(house.path().join("token")).unwrap_or_default().trim().to_owned();
        let config = Agent::config_builder().http_status_as_error(false).proxy(None).build();
        let (url, code) = (url.to_owned(), code.to_owned());
        let socket = house.home().server_socket();
        Server { process, url, socket, code, token, agent: config.into(), said: Some(said) }
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// `127.0.0.1:1234`.
    pub fn authority(&self) -> &str {
        self.url.strip_prefix("http://").expect("a plain address")
    }

    /// Kills it with SIGKILL, without any warning.
    pub fn kill(mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it is ours");
    }

    /// Waits until it has ended by itself or by a signal, and says how.
    pub fn ended(mut self) -> ExitStatus {
        wait_for("the server's end", || self.process.try_wait().expect("it is ours"))
    }

    /// Asks it to end, waits for that, and gives what it said all its life.
    pub fn words(mut self) -> String {
        let said = self.said.take();
        self.stop();
        said.and_then(|said| said.join().ok()).expect("its words")
    }

    /// Asks it to end, and waits for that.
    pub fn stop(mut self) {
        kill_process(Pid::from_child(&self.process), Signal::TERM).expect("it runs");
        let status = wait_for("the server's end", || self.process.try_wait().expect("it is ours"));
        assert!(status.success(), "{status}");
    }

    /// GET with the owner's token.
    pub fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None, Some(&self.token))
    }

    /// POST with the owner's token.
    pub fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body), Some(&self.token))
    }

    /// A step that needs no body.
    pub fn step(&self, path: &str) -> Answer {
        self.send(Method::POST, path, None, Some(&self.token))
    }

    /// PATCH with the owner's token.
    pub fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PATCH, path, Some(body), Some(&self.token))
    }

    /// DELETE with the owner's token.
    pub fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None, Some(&self.token))
    }

    /// Any request, with any token or none.
    pub fn send(&self, method: Method, path: &str, body: Option<Value>, token: Option<&str>) -> Answer {
        ask(&self.agent, &self.url, method, path, body, token)
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// A GET request with a token that may end meanwhile. None if the server closed the connection without an answer, as
    /// it does with all connections of a token that ends.
    pub fn get_unless_closed(&self, path: &str, token: &str) -> Option<Answer> {
        match ask(&self.agent, &self.url, Method::GET, path, None, Some(token)) {
            Ok(answer) => Some(answer),
            Err(ureq::Error::Io(_)) => None,
            Err(error) => panic!("{path}: {error}"),
        }
    }

    /// Makes a quick session in a directory, with a terminal that runs a script.
    pub fn terminal(&self, directory: &str, script: &str) -> (api::Session, api::Worker) {
        let session = json!({"type": "quick", "locationPath": directory});
        let session: api::SessionReply = self.post("/api/sessions", session).ok(201);
        let worker = json!({"type": "terminal", "command": ["sh", "-c", script]});
        let path = format!("/api/sessions/{}/workers", session.session.id);
        let worker: api::WorkerReply = self.post(&path, worker).ok(201);
        (session.session, worker.worker)
    }

    /// Looks at a worker until something is so.
    pub fn wait_for_worker(
        &self,
        id: model::WorkerId,
        what: &str,
        is_so: impl Fn(&api::Worker) -> bool,
    ) -> api::Worker {
        wait_for(what, || {
            let worker: api::Worker = self.get(&format!("/api/workers/{id}")).ok(200);
            is_so(&worker).then_some(worker)
        })
    }

    /// Looks at a task until something is so.
    pub fn wait_for_task(
        &self,
        id: model::TaskId,
        what: &str,
        is_so: impl Fn(&api::Task) -> bool,
    ) -> api::Task {
        wait_for(what, || {
            let task: api::Task = self.get(&format!("/api/tasks/{id}")).ok(200);
            is_so(&task).then_some(task)
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Sends a request to a server, and reads the whole answer.
///
/// # Errors
///
/// When the server is not there, or leaves before it has answered.
pub fn ask(
    agent: &Agent,
    url: &str,
    method: Method,
    path: &str,
    body: Option<Value>,
    token: Option<&str>,
) -> Result<Answer, ureq::Error> {
    let mut request = Request::builder().method(method).uri(format!("{url}{path}"));
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    if body.is_some() {
        request = request.header("content-type", "application/json");
    }
    let body = body.map(|body| body.to_string()).unwrap_or_default();
    let mut answer = agent.run(request.body(body)?)?;
    let text = answer.body_mut().with_config().limit(64 << 20).read_to_string()?;
    Ok(Answer { status: answer.status().as_u16(), text })
}

impl Answer {
    /// What it is, if it has this status.
    pub fn ok<T: DeserializeOwned>(self, status: u16) -> T {
        assert_eq!(self.status, status, "{}", self.text);
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// Nothing, with this status.
    pub fn empty(self, status: u16) {
        assert_eq!((self.status, self.text.as_str()), (status, ""));
    }

    /// The problem that it is, with this code and the status that belongs to it.
    pub fn problem(self, code: ErrorCode) -> Problem {
        let problem: Problem = serde_json::from_str(&self.text)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.text));
        assert_eq!(problem.code(), code, "{problem:?}");
        assert_eq!(self.status, code.status(), "{problem:?}");
        problem
    }
}
