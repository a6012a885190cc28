//! Sockets: one worker behind every door that leads to it, with a real host and a real program.

mod dashboard;
mod ends;
mod order;
mod rights;
mod screens;

use std::fs;
use std::time::{Duration, Instant};

use api::{SessionStatus, Task};
use model::{Epoch, Offset, TermSize, WorkerId};
use protocol::{Attach, Decoder, HostMessage, ViewerMessage};
use serde_json::{Value, json};
use terminal::{HistoryLimit, Terminal};
use testkit::WAIT;
use tungstenite::Message;

use super::{Repository, Server, Socket};
use crate::house::{House, Worker, watching};

/// A server with a task whose agent is a script.
struct Stage {
    // In this order: the server goes before its house.
    server: Server,
    house: House,
    task: Task,
    worker: WorkerId,
}

impl Stage {
    fn new(script: &str) -> Stage {
        Stage::with(House::new(), &[], script)
    }

    /// One whose server has these variables.
    fn with(house: House, variables: &[(&str, &str)], script: &str) -> Stage {
        let agent = format!(
            "[[agent]]\nid = \"actor\"\nname = \"Actor\"\ncommand = [\"sh\", \"-c\", '''{script}''']\n"
        );
        fs::write(house.path().join("agents.toml"), agent).expect("the file");
        let repository = Repository::new(house.path(), "project");
        let server = Server::start_with(&house, variables);
        let added: api::Repository =
            server.post("/api/repositories", json!({"path": repository.text()})).ok(201);
        let task = json!({"projectId": added.id, "title": "A play", "agentId": "actor"});
        let task: Task = server.post("/api/tasks", task).ok(201);
        let _: Task = server.step(&format!("/api/tasks/{}/activate", task.id)).ok(200);
        let _: Task = server.step(&format!("/api/tasks/{}/session/start", task.id)).ok(202);
        let task = server.wait_for_task(task.id, "a session that runs", |task| {
            assert_ne!(task.session_status, Some(SessionStatus::Failed), "{task:?}");
            matches!(task.session_status, Some(SessionStatus::Running | SessionStatus::WaitingForInput))
        });
        let worker = task.worker_id.expect("it has a worker");
        Stage { server, house, task, worker }
    }

    /// The size of the worker's terminal, or any if it has ended.
    fn size(&self) -> TermSize {
        viewer::status(&self.host().dir.socket()).map_or(TermSize::clamped(80, 24), |status| status.size)
    }

    /// The worker, as its host's neighbours see it.
    fn host(&self) -> Worker {
        self.house.called(self.worker.as_str())
    }
}

/// A way to a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Door {
    /// Our own frames.
    Frames,
    /// A task's terminal as a plain pipe.
    Pipe,
    /// One worker in JSON.
    Json,
    /// Many terminals in JSON.
    Terminals,
}

const DOORS: [Door; 4] = [Door::Frames, Door::Pipe, Door::Json, Door::Terminals];

impl Door {
    fn path(self, stage: &Stage) -> String {
        let (task, worker) = (&stage.task, stage.worker);
        match self {
            Door::Frames => format!("/api/workers/{worker}/attach"),
            Door::Pipe => format!("/api/tasks/{}/terminal", task.id),
            Door::Json => {
                format!("/ws/session/{}/worker/{worker}", task.session_id.expect("it has a session"))
            }
            Door::Terminals => "/ws/terminals".into(),
        }
    }
}

/// A viewer with an emulator that watches through a door.
struct Seat {
    door: Door,
    socket: Socket,
    worker: WorkerId,
    task: Task,
    terminal: Terminal,
    /// Everything that was shown, in the order in which it came.
    shown: Vec<u8>,
    /// How often it began anew.
    snapshots: usize,
    /// Where it could go on, if that is known.
    at: Option<Offset>,
    epoch: Option<Epoch>,
    /// Frames that show nothing.
    heard: Vec<HostMessage>,
    /// Messages that show nothing.
    said: Vec<Value>,
}

impl Seat {
    /// Comes in as the owner, and waits for the first screen.
    fn take(stage: &Stage, door: Door) -> Seat {
        let mut seat =
            Seat::take_as(stage, door, &stage.server.token).unwrap_or_else(|status| panic!("{status}"));
        seat.wait_until("the first screen", |seat| {
            seat.snapshots > 0 || seat.door == Door::Pipe && !seat.shown.is_empty()
        });
        seat
    }

    /// Comes in with this token; the status, if it is not let in.
    fn take_as(stage: &Stage, door: Door, secret: &str) -> Result<Seat, u16> {
        let bearer = format!("Bearer {secret}");
        let socket = Socket::try_open(&stage.server, &door.path(stage), &[("authorization", &bearer)])?;
        let mut seat = Seat {
            door,
            socket,
            worker: stage.worker,
            task: stage.task.clone(),
            terminal: fresh(stage.size()),
            shown: Vec::new(),
            snapshots: 0,
            at: None,
            epoch: None,
            heard: Vec::new(),
            said: Vec::new(),
        };
        match door {
            Door::Frames => seat.attach(None, None),
            Door::Terminals => seat.reattach(None, None),
            Door::Pipe | Door::Json => {}
        }
        Ok(seat)
    }

    /// Through frames: attaches with what it has.
    fn attach(&mut self, since: Option<Offset>, epoch: Option<Epoch>) {
        let attach = Attach { read_only: false, since, epoch, events: true, ..watching() };
        self.socket.frame(&ViewerMessage::Attach(attach));
    }

    /// Among many terminals: attaches with what it has.
    fn reattach(&mut self, since: Option<Offset>, epoch: Option<Epoch>) {
        let worker = self.worker;
        self.socket
            .say(&json!({"type": "reattach_session", "workerId": worker, "since": since, "epoch": epoch}));
    }

    fn keys(&mut self, keys: &str) {
        let worker = self.worker;
        match self.door {
            Door::Frames => self.socket.frame(&ViewerMessage::Input(keys.as_bytes().to_vec())),
            Door::Pipe => self.socket.text(keys),
            Door::Json => self.socket.say(&json!({"type": "input", "data": keys})),
            Door::Terminals => self.socket.say(&json!({"type": "input", "workerId": worker, "data": keys})),
        }
    }

    /// Gives the worker a size, as this door does that.
    fn resize(&mut self, server: &Server, cols: u16, rows: u16) {
        let (worker, size) = (self.worker, json!({"cols": cols, "rows": rows}));
        match self.door {
            Door::Frames => {
                self.socket.frame(&ViewerMessage::Resize(TermSize::clamped(cols, rows)));
                self.socket.frame(&ViewerMessage::Focus);
            }
            Door::Pipe => {
                server.post(&format!("/api/tasks/{}/terminal/resize", self.task.id), size).empty(204);
            }
            Door::Json => self.socket.say(&json!({"type": "resize", "cols": cols, "rows": rows})),
            Door::Terminals => {
                self.socket.say(&json!({"type": "resize", "workerId": worker, "cols": cols, "rows": rows}));
            }
        }
    }

    /// Gives its emulator another size, as a viewer does that has just asked for one.
    fn be(&mut self, cols: u16, rows: u16) {
        self.terminal = fresh(TermSize::clamped(cols, rows));
    }

    /// Takes in one message, if one comes soon.
    fn step(&mut self) {
        match self.socket.next_within(Duration::from_millis(50)) {
            None => {}
            Some(Message::Binary(bytes)) if self.door == Door::Pipe => {
                assert!(str::from_utf8(&bytes).is_ok(), "whole characters: {bytes:?}");
                self.show(&bytes);
            }
            Some(Message::Binary(bytes)) if self.door == Door::Frames => {
                let mut decoder = Decoder::default();
                decoder.push(&bytes);
                let frame = decoder.next_frame().expect("a frame").expect("a whole one");
                self.hear(HostMessage::read(frame).expect("a message").expect("one that we know"));
            }
            Some(Message::Text(text)) if matches!(self.door, Door::Json | Door::Terminals) => {
                self.read(serde_json::from_str(&text).expect("JSON"));
            }
            Some(other) => panic!("{:?} does not say this: {other:?}", self.door),
        }
    }

    fn hear(&mut self, message: HostMessage) {
        match message {
            HostMessage::Welcome(welcome) => {
                self.terminal = fresh(welcome.size);
                self.epoch = Some(welcome.epoch);
                self.heard.push(HostMessage::Welcome(welcome));
            }
            HostMessage::Snapshot { at, last, bytes } => {
                self.show(&bytes);
                self.snapshots += usize::from(last);
                self.at = Some(at);
            }
            HostMessage::Output { at, bytes } => {
                assert!(self.at.is_none_or(|before| before == at), "output follows the shown bytes");
                self.at = Some(at + bytes.len());
                self.show(&bytes);
            }
            HostMessage::Resized(resized) => self.terminal = fresh(resized.size),
            other => self.heard.push(other),
        }
    }

    fn read(&mut self, message: Value) {
        let kind = message["type"].as_str().expect("a type").to_owned();
        match kind.as_str() {
            "history" | "scrollback" | "output" => {
                if kind != "output" {
                    self.terminal = fresh(self.terminal.size());
                    self.snapshots += 1;
                }
                self.show(message["data"].as_str().expect("text").as_bytes());
                self.at = message["offset"].as_u64().map(Offset).or(self.at);
            }
            "resized" => {
                let side =
                    |name: &str| u16::try_from(message[name].as_u64().expect("a number")).expect("a size");
                self.be(side("cols"), side("rows"));
            }
            _ => {
                if kind == "session_reattached" {
                    self.epoch = serde_json::from_value(message["epoch"].clone()).expect("an epoch");
                }
                self.said.push(message);
            }
        }
    }

    fn show(&mut self, bytes: &[u8]) {
        self.terminal.feed(bytes);
        self.shown.extend(bytes);
    }

    fn wait_until(&mut self, what: &str, mut is_so: impl FnMut(&Seat) -> bool) {
        let deadline = Instant::now() + WAIT;
        while !is_so(self) {
            let closed = &self.socket.closed;
            assert!(
                Instant::now() < deadline && closed.is_none(),
                "{:?}: {what}: not seen (closed {closed:?}, said {:?}); the screen shows:\n{}",
                self.door,
                self.said,
                self.terminal.text(50)
            );
            self.step();
        }
    }

    fn wait_for(&mut self, text: &str) {
        self.wait_until(text, |seat| seat.terminal.text(1000).contains(text));
    }

    /// Waits until something was said that shows nothing.
    fn wait_to_hear(&mut self, kind: &str) -> Value {
        self.wait_until(kind, |seat| seat.said.iter().any(|message| message["type"] == kind));
        let at = self.said.iter().position(|message| message["type"] == kind).expect("it was said");
        self.said.remove(at)
    }

    /// Takes in everything up to the socket's end, and says with which code that came.
    fn wait_for_close(&mut self) -> u16 {
        let deadline = Instant::now() + WAIT;
        loop {
            if let Some((code, _)) = self.socket.closed {
                return code;
            }
            assert!(Instant::now() < deadline, "{:?}: it is still open", self.door);
            self.step();
        }
    }
}

fn fresh(size: TermSize) -> Terminal {
    Terminal::new(size, HistoryLimit { lines: 2000, bytes: 8 << 20 })
}
