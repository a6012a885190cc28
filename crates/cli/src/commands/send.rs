//! `abide send`: types into a worker.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read};
use std::os::unix::ffi::OsStrExt;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use home::Worker;
use protocol::{HostMessage, Refusal, ViewerMessage};
use terminal::{HistoryLimit, Modes, Terminal};
use viewer::{Connection, ConnectionError, KeyModes, Received, key_bytes, paste};

use crate::failure::Failure;
use crate::workers;

/// What is typed at once: a program that reads slowly then takes long text piece by piece.
const PIECE_BYTES: usize = 4 << 10;

/// A host answers at once; one that has not by then is stopped or starved.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// How long a program may leave its input unread before we give up.
const READ_WITHIN: Duration = Duration::from_secs(5);

/// A host does not say when its program reads again, so a refused piece is sent again after this long.
const SEND_AGAIN: Duration = Duration::from_millis(20);

/// Enter, as a keyboard sends it.
const ENTER: u8 = b'\r';

/// Type text or keys into a worker
///
/// abide joins several words of text with spaces. Without text, or with `-`, it sends standard input to its end. It
/// exits when the worker has taken everything.
#[derive(Args)]
pub(super) struct Send {
    /// The worker's name, or the beginning of its id
    #[arg(value_name = "NAME")]
    name: String,
    /// The text; `-` for standard input
    #[arg(value_name = "TEXT", conflicts_with = "keys")]
    text: Vec<OsString>,
    /// Press Enter after the text; without text, only press Enter
    #[arg(long)]
    enter: bool,
    /// Send the text as a terminal pastes it: without control characters, and in brackets if the program asks for them
    #[arg(long, conflicts_with = "keys")]
    paste: bool,
    /// Press keys, given by name: for example `Up Enter C-c F5 M-x`
    #[arg(long, num_args = 1.., value_name = "KEY")]
    keys: Vec<String>,
}

impl Send {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let worker = workers::called(&workers::home()?, &self.name)?;
        let text = self.text()?;
        let mut typist = Typist::attach(&worker)?;
        let modes = typist.modes()?;
        let mut bytes = match text {
            Some(text) if self.paste => paste(&text, modes.bracketed_paste),
            Some(text) => text,
            None => keys(&self.keys, &modes)?,
        };
        if self.enter {
            bytes.push(ENTER);
        }
        typist.type_all(&bytes)?;
        Ok(0)
    }

    /// The text to send; nothing if keys are to be pressed.
    fn text(&self) -> Result<Option<Vec<u8>>, Failure> {
        match &self.text[..] {
            [] if !self.keys.is_empty() => Ok(None),
            [] if self.enter => Ok(Some(Vec::new())),
            [] => standard_input().map(Some),
            [only] if only == "-" => standard_input().map(Some),
            words => {
                let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
                Ok(Some(words.join(&b' ')))
            }
        }
    }
}

fn standard_input() -> Result<Vec<u8>, Failure> {
    let mut input = io::stdin().lock();
    if input.is_terminal() {
        eprintln!("hint: reading from the terminal; end with Ctrl-D, or give the text on the command line");
    }
    let mut text = Vec::new();
    input.read_to_end(&mut text).context("cannot read standard input")?;
    Ok(text)
}

fn keys(names: &[String], modes: &Modes) -> Result<Vec<u8>, Failure> {
    let modes = KeyModes { application_cursor: modes.application_cursor };
    let pressed: Result<Vec<Vec<u8>>, _> = names.iter().map(|name| key_bytes(name, modes)).collect();
    match pressed {
        Ok(pressed) => Ok(pressed.concat()),
        Err(error) => Err(Failure::usage(error).hint("to send text, leave out `--keys`")),
    }
}

/// The sender of typed text.
struct Typist<'a> {
    worker: &'a Worker,
    connection: Connection,
    size: model::TermSize,
    /// The number of the last ping.
    token: u64,
}

/// The result of sending one piece.
enum Taken {
    Whole,
    /// The program does not read, and the host has no more room.
    Full,
}

impl<'a> Typist<'a> {
    fn attach(worker: &'a Worker) -> Result<Typist<'a>, Failure> {
        let (connection, welcome) = workers::attach(worker, &workers::quietly("send", false, 0))?;
        Ok(Typist { worker, connection, size: welcome.size, token: 0 })
    }

    /// The modes that the bytes of keys and of pasted text depend on.
    fn modes(&mut self) -> Result<Modes, Failure> {
        let deadline = Instant::now() + ANSWER_WITHIN;
        let mut terminal = Terminal::new(self.size, HistoryLimit { lines: 0, bytes: 0 });
        loop {
            match self.receive(deadline)? {
                HostMessage::Snapshot { last, bytes, .. } => {
                    terminal.feed(&bytes);
                    if last {
                        return Ok(terminal.modes().clone());
                    }
                }
                HostMessage::Exited(exited) => {
                    return Err(workers::ended_failure(self.worker, exited.status));
                }
                HostMessage::Refused(refused) => return Err(workers::refusal(self.worker, &refused)),
                _ => {}
            }
        }
    }

    fn type_all(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let mut typed = 0;
        let mut taken_at = Instant::now();
        for piece in bytes.chunks(PIECE_BYTES) {
            while matches!(self.type_piece(piece)?, Taken::Full) {
                if taken_at.elapsed() > READ_WITHIN {
                    return Err(self.unread(typed, bytes.len()));
                }
                thread::sleep(SEND_AGAIN);
            }
            typed += piece.len();
            taken_at = Instant::now();
        }
        Ok(())
    }

    /// Sends a piece, and waits until the host has taken or refused it.
    fn type_piece(&mut self, piece: &[u8]) -> Result<Taken, Failure> {
        self.token += 1;
        self.say(&ViewerMessage::Input(piece.to_vec()))?;
        self.say(&ViewerMessage::Ping(self.token))?;
        let deadline = Instant::now() + ANSWER_WITHIN;
        let mut taken = Taken::Whole;
        loop {
            match self.receive(deadline)? {
                HostMessage::Refused(refused) if refused.code == Refusal::InputFull => taken = Taken::Full,
                HostMessage::Refused(refused) => return Err(workers::refusal(self.worker, &refused)),
                HostMessage::Exited(exited) => {
                    return Err(workers::ended_failure(self.worker, exited.status));
                }
                HostMessage::Pong(token) if token == self.token => return Ok(taken),
                _ => {}
            }
        }
    }

    fn say(&mut self, message: &ViewerMessage) -> Result<(), Failure> {
        match self.connection.send(message) {
            // What the host said before it closed the connection says why.
            Ok(()) | Err(ConnectionError::Closed) => Ok(()),
            Err(error) => Err(self.broken(error)),
        }
    }

    fn receive(&mut self, deadline: Instant) -> Result<HostMessage, Failure> {
        match self.connection.receive_before(deadline) {
            Ok(Received::Message(message)) => Ok(message),
            Ok(Received::Closed) => Err(self.broken(ConnectionError::Closed)),
            Ok(Received::Late) => {
                let pid = self.worker.dir.identity().map_or(0, |identity| identity.pid);
                Err(workers::not_answering(self.worker, pid))
            }
            Err(error) => Err(self.broken(error)),
        }
    }

    fn broken(&self, error: ConnectionError) -> Failure {
        if let Some(note) = self.worker.dir.exit_note() {
            return workers::ended_failure(self.worker, note.status);
        }
        let context = format!("cannot go on typing into worker `{}`", self.worker.meta.name);
        Failure::from(anyhow::Error::from(error).context(context))
            .hint("look with `abide screen` how much arrived, and send the rest")
    }

    fn unread(&self, typed: usize, all: usize) -> Failure {
        let name = &self.worker.meta.name;
        Failure::no(format!(
            "the program in worker `{name}` does not read its input; {typed} of {all} bytes were sent"
        ))
        .hint(format!(
            "see what it does with `abide screen {name}`; `abide send {name} --keys C-c` interrupts it"
        ))
    }
}
