//! The loop: keys go to the host, and its output goes to the outer terminal.

use std::mem;

use anyhow::{Context, Result};
use home::WorkerDir;
use model::{Epoch, ExitStatus, TermSize};
use protocol::{Attach, HostMessage, Refusal, ViewerMessage, Welcome};
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use viewer::{AskError, AttachError, Connection, ConnectionError, ReadSome};

use super::backlog::Backlog;
use super::link::{Input, Link};
use super::reconnect::Reconnect;
use super::{Request, attach_as};
use crate::wakes;
use outer::Takeover;
use outer::{Key, Keys, Needs, Picture, Signals};
use viewer::reach::Unreached;

/// How much is read from the outer terminal at once; a paste comes in few pieces.
const TYPED_BYTES: usize = 64 << 10;

/// As long as so much waits for the outer terminal, the host is not read from: it then drops what we are too slow
/// for, and sends the screen anew.
const UNSHOWN_BYTES: usize = 64 << 10;

/// The most that is kept of what is typed while there is no host to take it.
const HELD_BYTES: usize = 64 << 10;

/// A host that closes so many connections in a row, with nothing but a welcome on each, does not want us.
const MOST_CLOSED: u32 = 5;

const BELL: u8 = 0x07;

/// How a worker's time on our screen ended.
pub(super) enum End {
    /// The person detached, a signal asked us to leave, or the outer terminal closed.
    Detached,
    /// The child ended.
    Exited(ExitStatus),
    /// The host is gone.
    Lost(Unreached),
}

/// A worker on the outer terminal.
pub(super) struct Attachment<'a> {
    takeover: &'a Takeover,
    signals: Signals,
    keys: Keys<Detach>,
    read_only: bool,
    dir: WorkerDir,
    host: Host,
    epoch: Epoch,
    /// Connections that were closed since the host last said something.
    closed_in_a_row: u32,
    picture: Picture,
    /// What the outer terminal has not taken yet.
    unshown: Backlog,
    /// Input typed while there was no host to take it.
    held: Vec<u8>,
    /// Room for what is typed.
    chunk: Box<[u8]>,
    is_guarded: bool,
}

/// The one key of ours.
#[derive(Clone, Copy)]
struct Detach;

/// The host, as far as we are from it.
enum Host {
    /// We are attached.
    Here(Link),
    /// It let go of us: it changes its program, or another one takes its place.
    Away {
        again: Reconnect,
        /// How we attach again.
        attach: Attach,
    },
}

/// All that can wake the loop.
#[derive(Clone, Copy)]
enum Wake {
    /// The person typed, or the outer terminal is gone.
    Typed,
    /// The host has said something or closed the connection.
    Said,
    /// The host takes messages again.
    HostRoom,
    /// The search for a host is over.
    Searched,
    /// The outer terminal takes output again.
    Room,
    /// The outer terminal has another size, or another program had it for a while.
    Window,
    /// A signal asks us to leave.
    Asked,
}

/// What the loop does next.
enum Next {
    /// Waits for more.
    Wait,
    /// Stops, for this reason.
    Stop(End),
}

impl<'a> Attachment<'a> {
    /// A worker whose host has just welcomed us, as viewers whose terminal has this size.
    pub(super) fn new(
        takeover: &'a Takeover,
        signals: Signals,
        request: &Request,
        (connection, welcome): (Connection, Welcome),
        size: TermSize,
    ) -> Attachment<'a> {
        Attachment {
            takeover,
            signals,
            keys: Keys::new(request.detach.prefix(), [(request.detach.letter(), Detach)]),
            read_only: request.read_only,
            dir: request.worker.dir.clone(),
            host: Host::Here(Link::new(connection)),
            epoch: welcome.epoch,
            closed_in_a_row: 0,
            picture: Picture::new(welcome.size, size),
            unshown: Backlog::default(),
            held: Vec::new(),
            chunk: vec![0; TYPED_BYTES].into(),
            is_guarded: false,
        }
    }

    /// Shows the worker until the person leaves or the worker ends.
    pub(super) fn run(mut self) -> Result<End> {
        // The first screen may have come with the welcome.
        let mut next = self.take_in_read()?;
        loop {
            if let Next::Stop(end) = next {
                return Ok(end);
            }
            if self.show().is_err() {
                return Ok(End::Detached);
            }
            if !self.is_guarded && self.picture.since().is_some() {
                // Not before the first screen is there: starting a process takes time.
                self.is_guarded = true;
                self.takeover.start_guard();
            }
            next = self.turn()?;
        }
    }

    /// Waits, and handles all that happened.
    fn turn(&mut self) -> Result<Next> {
        for wake in self.wait()? {
            if let Next::Stop(end) = self.handle(wake)? {
                return Ok(Next::Stop(end));
            }
        }
        Ok(Next::Wait)
    }

    /// Waits; gives what happened, keys first.
    fn wait(&self) -> Result<Vec<Wake>> {
        let outer = self.takeover.outer();
        let mut polled = vec![
            (Wake::Typed, PollFd::from_borrowed_fd(outer.input(), PollFlags::IN)),
            (Wake::Window, PollFd::from_borrowed_fd(self.signals.window(), PollFlags::IN)),
            (Wake::Asked, PollFd::from_borrowed_fd(self.signals.asked(), PollFlags::IN)),
        ];
        if !self.unshown.is_empty() {
            polled.push((Wake::Room, PollFd::from_borrowed_fd(outer.output(), PollFlags::OUT)));
        }
        match &self.host {
            Host::Here(link) => {
                if link.wants_room() {
                    polled.push((Wake::HostRoom, PollFd::from_borrowed_fd(link.socket(), PollFlags::OUT)));
                }
                if self.unshown.len() < UNSHOWN_BYTES {
                    polled.push((Wake::Said, PollFd::from_borrowed_fd(link.socket(), PollFlags::IN)));
                }
            }
            Host::Away { again, .. } => {
                polled.push((Wake::Searched, PollFd::from_borrowed_fd(again.done(), PollFlags::IN)));
            }
        }
        wakes::wait(polled)
    }

    fn handle(&mut self, wake: Wake) -> Result<Next> {
        match wake {
            Wake::Typed => return Ok(self.take_typed()),
            Wake::Said => return self.listen(),
            Wake::HostRoom => {
                if let Host::Here(link) = &mut self.host {
                    link.flush();
                }
            }
            Wake::Searched => return self.meet_again(),
            // After every turn, what can be shown is.
            Wake::Room => {}
            Wake::Window if self.follow_window().is_err() => return Ok(Next::Stop(End::Detached)),
            Wake::Window => {}
            Wake::Asked => return Ok(Next::Stop(End::Detached)),
        }
        Ok(Next::Wait)
    }

    /// Gives the outer terminal what it takes now; an error means that it is gone.
    fn show(&mut self) -> Result<(), Errno> {
        let outer = self.takeover.outer();
        self.unshown.pass(|bytes| outer.write_some(bytes))?;
        // A window is painted as it is when it can be seen: what came between is not.
        if self.unshown.is_empty() {
            self.picture.paint(self.unshown.end());
            self.unshown.pass(|bytes| outer.write_some(bytes))?;
        }
        Ok(())
    }

    fn take_typed(&mut self) -> Next {
        let Some(bytes) = self.takeover.outer().read(&mut self.chunk) else {
            return Next::Stop(End::Detached);
        };
        for key in self.keys.take(bytes) {
            match key {
                Key::Typed(bytes) if !self.read_only => self.send_typed(&bytes),
                Key::Typed(_) => {}
                Key::Ours(Detach) => return Next::Stop(End::Detached),
            }
        }
        Next::Wait
    }

    fn send_typed(&mut self, bytes: &[u8]) {
        let input = match &mut self.host {
            Host::Here(link) => link.send_input(bytes),
            Host::Away { .. } => Input::Unsent,
        };
        match input {
            Input::Sent => {}
            Input::Unsent if self.held.len() + bytes.len() <= HELD_BYTES => self.held.extend(bytes),
            Input::Unsent | Input::Dropped => self.unshown.end().push(BELL),
        }
    }

    /// Takes the outer terminal as it is now; an error means that it is gone.
    fn follow_window(&mut self) -> Result<()> {
        self.signals.clear_window();
        self.takeover.outer().make_raw()?;
        let size = self.takeover.outer().size()?;
        let needs = self.picture.resize_outer(size);
        if !self.read_only {
            self.send(&ViewerMessage::Resize(size));
        }
        self.ask_for(needs);
        Ok(())
    }

    /// Reads what the host has said.
    fn listen(&mut self) -> Result<Next> {
        let Host::Here(link) = &mut self.host else { return Ok(Next::Wait) };
        match link.read_some() {
            Ok(ReadSome::Bytes) => self.take_in_read(),
            Ok(ReadSome::NotYet) => Ok(Next::Wait),
            Ok(ReadSome::Closed) | Err(ConnectionError::Closed | ConnectionError::Io(_)) => {
                self.look_for_host()
            }
            Err(error) => Err(error).context("cannot understand the host"),
        }
    }

    /// Takes in all messages that were read.
    fn take_in_read(&mut self) -> Result<Next> {
        let mut is_deaf = false;
        loop {
            let Host::Here(link) = &mut self.host else { return Ok(Next::Wait) };
            match link.next_message().context("cannot understand the host")? {
                None => break,
                Some(HostMessage::Exited(exited)) => return Ok(Next::Stop(End::Exited(exited.status))),
                Some(HostMessage::Refused(refused)) => is_deaf |= refused.code == Refusal::InputFull,
                Some(message) => self.take_in(message),
            }
        }
        if is_deaf {
            self.unshown.end().push(BELL);
        }
        Ok(Next::Wait)
    }

    fn take_in(&mut self, message: HostMessage) {
        self.closed_in_a_row = 0;
        match message {
            HostMessage::Snapshot { at, last, bytes } => {
                self.picture.snapshot(at, last, &bytes, self.unshown.end());
            }
            HostMessage::Output { at, bytes } => {
                let needs = self.picture.output(at, &bytes, self.unshown.end());
                self.ask_for(needs);
            }
            HostMessage::Resized(resized) => self.picture.resize_worker(resized.size),
            // Nothing that is to be seen.
            _ => {}
        }
    }

    fn ask_for(&mut self, needs: Needs) {
        if needs == Needs::Snapshot {
            self.send(&ViewerMessage::Redraw);
        }
    }

    /// Tells the host; one that is away learns what it must know when we attach again.
    fn send(&mut self, message: &ViewerMessage) {
        if let Host::Here(link) = &mut self.host {
            link.send(message);
        }
    }

    /// Looks for the host that closed the connection without saying that the child ended.
    fn look_for_host(&mut self) -> Result<Next> {
        self.closed_in_a_row += 1;
        if self.closed_in_a_row > MOST_CLOSED {
            return Ok(Next::Stop(End::Lost(AttachError::from(AskError::Closed).into())));
        }
        self.picture.cut_off();
        let attach = Attach {
            epoch: Some(self.epoch),
            since: self.picture.since(),
            ..attach_as(self.read_only, self.picture.outer())
        };
        let again =
            Reconnect::begin(self.dir.clone(), attach.clone()).context("cannot look for the host again")?;
        self.host = Host::Away { again, attach };
        Ok(Next::Wait)
    }

    /// Goes on with the host that was found.
    fn meet_again(&mut self) -> Result<Next> {
        let Host::Away { again, attach } = &self.host else { return Ok(Next::Wait) };
        let (connection, welcome) = match again.outcome() {
            Ok(found) => found,
            Err(Unreached::Exited(note)) => return Ok(Next::Stop(End::Exited(note.status))),
            Err(error) => return Ok(Next::Stop(End::Lost(error))),
        };
        let attached_as = attach.clone();
        self.host = Host::Here(Link::new(connection));
        self.epoch = welcome.epoch;
        if self.picture.worker() != welcome.size {
            self.picture.resize_worker(welcome.size);
        }
        if attached_as.size.is_some_and(|size| size != self.picture.outer()) {
            self.send(&ViewerMessage::Resize(self.picture.outer()));
        }
        if self.picture.since() != attached_as.since {
            self.send(&ViewerMessage::Redraw);
        }
        let held = mem::take(&mut self.held);
        if !held.is_empty() {
            self.send_typed(&held);
        }
        self.take_in_read()
    }
}
