//! A viewer with a terminal of its own, as a test sees it.

use std::time::{Duration, Instant};

use model::{Offset, TermSize};
use protocol::{Attach, Exited, Form, HostMessage, ViewerMessage, Welcome};
use terminal::{HistoryLimit, Terminal};
use viewer::{Connection, Received};

use crate::{WAIT, Worker, receive, watching};

/// An attached viewer that shows what it is sent in a terminal.
pub struct Watcher {
    /// Its connection to the host.
    pub connection: Connection,
    /// The host's first message.
    pub welcome: Welcome,
    /// What it shows.
    pub terminal: Terminal,
    /// Everything up to here was shown.
    pub at: Offset,
    /// Output that came, without snapshots.
    pub output: Vec<u8>,
    /// The bytes of the last snapshot.
    pub snapshot: Vec<u8>,
    /// How many snapshots came.
    pub snapshots: usize,
    /// The output that the last snapshot stands for.
    pub drawn_at: Offset,
    /// How the child ended.
    pub exited: Option<Exited>,
    /// Everything that is neither snapshot nor output.
    pub messages: Vec<HostMessage>,
    /// Output is thrown away once it is shown.
    pub forget_output: bool,
    part: Vec<u8>,
}

impl Watcher {
    /// Attaches.
    pub fn attach(worker: &Worker, attach: Attach) -> Watcher {
        let mut connection = worker.connect();
        connection.send(&ViewerMessage::Attach(attach)).expect("the host listens");
        let HostMessage::Welcome(welcome) = receive(&mut connection) else { panic!("no welcome") };
        let terminal = fresh(welcome.size);
        Watcher {
            connection,
            at: welcome.offset,
            welcome,
            terminal,
            output: Vec::new(),
            snapshot: Vec::new(),
            snapshots: 0,
            drawn_at: Offset(0),
            exited: None,
            messages: Vec::new(),
            forget_output: false,
            part: Vec::new(),
        }
    }

    /// Attaches to see everything and change nothing.
    pub fn watch(worker: &Worker) -> Watcher {
        Watcher::attach(worker, watching())
    }

    /// Attaches to type, with a screen of this size.
    pub fn at_keyboard(worker: &Worker, cols: u16, rows: u16) -> Watcher {
        let size = Some(TermSize::clamped(cols, rows));
        Watcher::attach(worker, Attach { read_only: false, size, form: Form::Full, ..watching() })
    }

    /// Types something.
    pub fn send(&mut self, bytes: &[u8]) {
        self.say(&ViewerMessage::Input(bytes.to_vec()));
    }

    /// Says something to the host.
    pub fn say(&mut self, message: &ViewerMessage) {
        self.connection.send(message).expect("the host listens");
    }

    /// Takes in one message; false when none came in time or no more will come.
    pub fn step(&mut self, within: Duration) -> bool {
        match self.connection.receive_before(Instant::now() + within).expect("the host speaks the protocol") {
            Received::Message(message) => {
                self.take(message);
                true
            }
            Received::Closed | Received::Late => false,
        }
    }

    /// Takes in a message.
    pub fn take(&mut self, message: HostMessage) {
        match message {
            HostMessage::Snapshot { at, last, bytes } => {
                self.part.extend(bytes);
                if last {
                    self.snapshot = std::mem::take(&mut self.part);
                    self.snapshots += 1;
                    self.terminal = fresh(self.terminal.size());
                    self.terminal.feed(&self.snapshot);
                    self.at = at;
                    self.drawn_at = at;
                }
            }
            HostMessage::Output { at, bytes } => {
                assert_eq!(at, self.at, "output follows the shown bytes");
                self.terminal.feed(&bytes);
                self.at += bytes.len();
                if !self.forget_output {
                    self.output.extend(bytes);
                }
            }
            HostMessage::Resized(resized) => {
                self.terminal = fresh(resized.size);
                self.part.clear();
                self.messages.push(HostMessage::Resized(resized));
            }
            HostMessage::Exited(exited) => self.exited = Some(exited),
            message => self.messages.push(message),
        }
    }

    /// Takes in messages until something is so.
    pub fn wait_until(&mut self, what: &str, mut done: impl FnMut(&Watcher) -> bool) {
        let deadline = Instant::now() + WAIT;
        while !done(self) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(self.step(left), "{what}: not seen; the screen shows:\n{}", self.terminal.text(50));
        }
    }

    /// Takes in messages until the screen shows this text.
    pub fn wait_for(&mut self, text: &str) {
        self.wait_until(text, |watcher| watcher.terminal.text(1000).contains(text));
    }

    /// Takes in messages until the first screen has come.
    pub fn wait_for_snapshot(&mut self) {
        self.wait_until("a snapshot", |watcher| watcher.snapshots > 0);
    }

    /// Takes in messages until the child's end is told.
    pub fn wait_for_exit(&mut self) -> Exited {
        self.wait_until("the end", |watcher| watcher.exited.is_some());
        self.exited.expect("told")
    }

    /// Takes in everything that the host has to say now.
    pub fn catch_up(&mut self) {
        self.say(&ViewerMessage::Ping(99));
        self.wait_until("a pong", |watcher| watcher.messages.contains(&HostMessage::Pong(99)));
        self.messages.retain(|message| *message != HostMessage::Pong(99));
    }
}

fn fresh(size: TermSize) -> Terminal {
    Terminal::new(size, HistoryLimit { lines: 100_000, bytes: 64 << 20 })
}
