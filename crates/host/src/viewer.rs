//! One connection: its purpose, and how much it was sent.

use std::io::IoSlice;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use model::Offset;
use protocol::{HostMessage, ViewerId, output_header};
use system::Ready;

use crate::snapshots::RowsAsked;
use crate::tape::Tape;

mod line;
mod watching;

pub(crate) use line::{Line, Outlet};
use watching::Next;
pub(crate) use watching::{Access, Feed, Pace, Prints, Watching};

/// What a connection is for.
#[derive(Clone, Debug)]
pub(crate) enum Role {
    /// It has not said so yet, or asks now and then.
    Asking,
    /// The same, of the process that started us. It may still attach, so the host does not leave before it does.
    Starting,
    /// It watches.
    Watching(Watching),
    /// It holds a lease.
    Leasing,
}

/// What a viewer needs after it was sent its waiting bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing until something happens.
    Nothing,
    /// The screen as it is now.
    Snapshot,
    /// To be let go: it has read nothing for too long.
    Goodbye,
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Viewer {
    pub(crate) id: ViewerId,
    pub(crate) line: Line,
    pub(crate) role: Role,
    /// Until when it is not waited for.
    pub(crate) slow_until: Option<Instant>,
    /// How many bytes it has typed.
    pub(crate) typed_bytes: u64,
    /// The text of the screen that it waits for.
    pub(crate) rows_asked: Option<RowsAsked>,
    /// What the kernel tells about its socket.
    pub(crate) awaited: Ready,
}

impl Viewer {
    pub(crate) fn new(id: ViewerId, stream: UnixStream) -> Viewer {
        Viewer::resume(id, Line::new(stream), Role::Asking, 0)
    }

    /// A connection that was there before this process became another program.
    pub(crate) fn resume(id: ViewerId, line: Line, role: Role, typed_bytes: u64) -> Viewer {
        Viewer { id, line, role, slow_until: None, typed_bytes, rows_asked: None, awaited: Ready::READ }
    }

    pub(crate) fn watching(&self) -> Option<&Watching> {
        match &self.role {
            Role::Watching(watching) => Some(watching),
            Role::Asking | Role::Starting | Role::Leasing => None,
        }
    }

    pub(crate) fn watching_mut(&mut self) -> Option<&mut Watching> {
        match &mut self.role {
            Role::Watching(watching) => Some(watching),
            Role::Asking | Role::Starting | Role::Leasing => None,
        }
    }

    /// Whether it may still attach or take a lease.
    pub(crate) fn is_undecided(&self) -> bool {
        matches!(self.role, Role::Asking | Role::Starting)
    }

    /// Who it is, for the log: its number, what it calls itself, and its process.
    pub(crate) fn who(&self) -> String {
        let name = self.watching().map_or("-", |watching| &watching.name);
        format!("viewer {} ({}, process {})", self.id.0, model::display_safe(name), self.line.peer())
    }

    /// Whether nothing that it types may reach the child.
    pub(crate) fn is_read_only(&self) -> bool {
        self.watching().is_some_and(|watching| !watching.may_type())
    }

    /// The output it has not been sent yet, in bytes.
    pub(crate) fn behind(&self, end: Offset) -> usize {
        match self.watching().map(|watching| &watching.feed) {
            Some(Feed::Live { at }) => end - *at,
            _ => 0,
        }
    }

    /// Sends as many waiting bytes as its socket takes.
    pub(crate) fn pump(&mut self, tape: &Tape, exited: Option<&HostMessage>) -> Needs {
        let mut outlet = self.line.flush();
        while outlet == Outlet::Open {
            self.let_fall_behind(tape);
            let Role::Watching(watching) = &mut self.role else { return Needs::Nothing };
            outlet = match watching.next(tape.end(), exited) {
                Next::Output { at, length } => {
                    let header = output_header(at, length);
                    let mut parts = vec![IoSlice::new(&header)];
                    tape.io_slices(at, length, &mut parts);
                    self.line.send_frame(&parts)
                }
                Next::Message(message) => {
                    self.line.say(&message);
                    self.line.flush()
                }
                Next::Snapshot => return Needs::Snapshot,
                Next::Nothing => return Needs::Nothing,
            };
        }
        if outlet == Outlet::Closed
            && let Some(watching) = self.watching_mut()
        {
            watching.leave();
        }
        Needs::Nothing
    }

    /// Drops what a viewer with a full socket would still have to be sent, if that is no longer on the tape.
    pub(crate) fn let_fall_behind(&mut self, tape: &Tape) {
        if let Some(watching) = self.watching_mut() {
            watching.fall_behind(tape.start());
        }
    }
}

impl AsFd for Viewer {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.line.as_fd()
    }
}
