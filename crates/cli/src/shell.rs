//! `abide debug shell`: a program in a PTY of its own, with the terminal model beside it.
//!
//! Bytes go through unchanged, so the outer terminal answers the program's queries; what the model would
//! answer is dropped.

mod pty;

use std::collections::VecDeque;
use std::env;
use std::ffi::OsString;

use anyhow::{Context, Result};
use rustix::event::{PollFd, PollFlags};
use terminal::{HistoryLimit, SnapshotForm, Terminal};

use crate::failure::Failure;
use crate::open_outer::open_outer;
use crate::wakes;
use outer::{Key, Keys, LEAVE_ALTERNATE, Outer, Signals, plain};
use pty::{End, Pty};

/// The most typed bytes that wait for a program which does not read; beyond it we stop reading keys, as the
/// kernel would.
const TYPED_BYTES: usize = 64 << 10;

/// How much is read at once; a PTY never gives more than 4095 bytes.
const CHUNK_BYTES: usize = 4096;

/// Lines that a taller window can bring back, as most terminals do.
const HISTORY: HistoryLimit = HistoryLimit { lines: 10_000, bytes: 16 << 20 };

/// More than a PTY holds. It holds all output from before a program's end, and a process left behind in its
/// terminal can print for ever.
const LAST_BYTES: usize = 64 << 10;

/// The shell of a user whose account names none.
const DEFAULT_SHELL: &str = "/bin/sh";

/// Has keys sent plainly on the main screen too: each screen has a keyboard mode of its own.
const PLAIN_KEYS: &[u8] = b"\x1b[=0u";

/// The hint for a call without a terminal.
const NO_TERMINAL: &str = "start it in a terminal; `abide debug snapshot` takes a stream of bytes";

/// The control key before ours.
const PREFIX: char = '\\';

/// Runs the command, or the user's shell, to its end; gives the exit code to end with.
pub(crate) fn run(command: &[OsString]) -> Result<u8, Failure> {
    let outer = open_outer(NO_TERMINAL)?;
    let signals = Signals::listen().context("cannot listen for signals")?;
    let size = outer.size()?;
    let shell = [env::var_os("SHELL").filter(|shell| !shell.is_empty()).unwrap_or(DEFAULT_SHELL.into())];
    let pty = Pty::start(if command.is_empty() { &shell } else { command }, outer.settings(), size)?;
    outer.make_raw()?;
    let model = Terminal::new(size, HISTORY);
    let keys = Keys::new(PREFIX, [('r', Ours::Redraw), ('q', Ours::HangUp)]);
    let shell = Shell { outer, pty, signals, model, keys, typed: VecDeque::new(), redrawn: false };
    Ok(shell.run()?.code())
}

/// Our keys.
#[derive(Clone, Copy)]
enum Ours {
    /// Ctrl-\ r: draw the screen from the model.
    Redraw,
    /// Ctrl-\ q: hang up.
    HangUp,
}

/// All that can wake the loop.
#[derive(Clone, Copy)]
enum Wake {
    /// The program has printed something.
    Printed,
    /// The program can take typed bytes.
    Room,
    /// The outer terminal has another size, or another program had it for a while.
    Window,
    /// The person typed, or the outer terminal is gone.
    Typed,
    /// A signal asks us to leave.
    Asked,
    /// The program has ended.
    Ended,
}

/// What the loop does next.
enum Next {
    /// Waits for more.
    Wait,
    /// Hangs up, as a terminal window does when it is closed.
    HangUp,
    /// Shows what is left, and ends as the program did.
    End,
}

struct Shell {
    outer: Outer,
    pty: Pty,
    signals: Signals,
    model: Terminal,
    keys: Keys<Ours>,
    /// Typed bytes that the program has not taken yet.
    typed: VecDeque<u8>,
    /// Whether the outer screen was drawn from the model, and so is the outer terminal's alternate screen.
    redrawn: bool,
}

impl Shell {
    fn run(mut self) -> Result<End> {
        loop {
            match self.turn()? {
                Next::Wait => {}
                Next::HangUp => {
                    let end = self.pty.hang_up()?;
                    reset(&self.outer, &self.model);
                    return Ok(end);
                }
                Next::End => {
                    self.show_last()?;
                    let end = self.pty.collect()?;
                    if self.redrawn || self.model.on_alternate_screen() || matches!(end, End::Killed(_)) {
                        reset(&self.outer, &self.model);
                    }
                    return Ok(end);
                }
            }
        }
    }

    /// Waits, and handles all that happened.
    fn turn(&mut self) -> Result<Next> {
        for wake in self.wait()? {
            match self.handle(wake)? {
                Next::Wait => {}
                next => return Ok(next),
            }
        }
        Ok(Next::Wait)
    }

    fn wait(&self) -> Result<Vec<Wake>> {
        let wanted = |is_wanted: bool, flags| if is_wanted { flags } else { PollFlags::empty() };
        let room = wanted(!self.typed.is_empty(), PollFlags::OUT);
        let typed = wanted(self.typed.len() < TYPED_BYTES, PollFlags::IN);
        let polled = vec![
            (Wake::Printed, PollFd::from_borrowed_fd(self.pty.terminal(), PollFlags::IN)),
            (Wake::Room, PollFd::from_borrowed_fd(self.pty.terminal(), room)),
            (Wake::Window, PollFd::from_borrowed_fd(self.signals.window(), PollFlags::IN)),
            (Wake::Typed, PollFd::from_borrowed_fd(self.outer.input(), typed)),
            (Wake::Asked, PollFd::from_borrowed_fd(self.signals.asked(), PollFlags::IN)),
            (Wake::Ended, PollFd::from_borrowed_fd(self.pty.child(), PollFlags::IN)),
        ];
        wakes::wait(polled)
    }

    fn handle(&mut self, wake: Wake) -> Result<Next> {
        match wake {
            Wake::Printed => self.show_printed(),
            Wake::Room => self.pass_typed().map(|()| Next::Wait),
            Wake::Window => self.follow_window(),
            Wake::Typed => self.take_typed(),
            Wake::Asked => Ok(Next::HangUp),
            Wake::Ended => Ok(Next::End),
        }
    }

    /// Passes on a piece of what the program has printed.
    fn show_printed(&mut self) -> Result<Next> {
        let mut chunk = [0; CHUNK_BYTES];
        let bytes = self.pty.read(&mut chunk)?;
        Ok(self.show(bytes))
    }

    /// Passes on all that a program which has ended has printed.
    fn show_last(&mut self) -> Result<()> {
        let mut chunk = [0; CHUNK_BYTES];
        let mut shown = 0;
        while shown < LAST_BYTES {
            let bytes = self.pty.read(&mut chunk)?;
            if bytes.is_empty() || matches!(self.show(bytes), Next::HangUp) {
                break;
            }
            shown += bytes.len();
        }
        Ok(())
    }

    fn show(&mut self, bytes: &[u8]) -> Next {
        if self.outer.write(bytes, None).is_err() {
            return Next::HangUp;
        }
        let was_alternate = self.model.on_alternate_screen();
        self.model.feed(bytes);
        self.model.take_replies();
        self.model.take_signals();
        // A program that changes screens takes the outer terminal off the screen we drew on.
        if self.redrawn && self.model.on_alternate_screen() != was_alternate {
            return self.redraw();
        }
        Next::Wait
    }

    fn take_typed(&mut self) -> Result<Next> {
        let mut chunk = [0; CHUNK_BYTES];
        let Some(bytes) = self.outer.read(&mut chunk) else { return Ok(Next::HangUp) };
        for key in self.keys.take(bytes) {
            let next = match key {
                Key::Typed(bytes) => {
                    self.typed.extend(bytes);
                    Next::Wait
                }
                Key::Ours(Ours::Redraw) => self.redraw(),
                Key::Ours(Ours::HangUp) => Next::HangUp,
            };
            if !matches!(next, Next::Wait) {
                return Ok(next);
            }
        }
        self.pass_typed()?;
        Ok(Next::Wait)
    }

    /// Gives the program as many of the typed bytes as it takes.
    fn pass_typed(&mut self) -> Result<()> {
        let written = self.pty.write(self.typed.make_contiguous())?;
        self.typed.drain(..written);
        Ok(())
    }

    fn follow_window(&mut self) -> Result<Next> {
        self.signals.clear_window();
        self.outer.make_raw()?;
        let size = self.outer.size()?;
        self.pty.resize(size)?;
        self.model.resize(size);
        // On its alternate screen, where we drew, the outer terminal does not wrap lines anew.
        Ok(if self.redrawn { self.redraw() } else { Next::Wait })
    }

    /// Draws the outer screen from the model.
    fn redraw(&mut self) -> Next {
        self.redrawn = true;
        match self.outer.write(&self.model.snapshot(SnapshotForm::Screen), None) {
            Ok(()) => Next::Wait,
            Err(_) => Next::HangUp,
        }
    }
}

/// Takes the outer terminal out of every mode that the program left behind, and back to its main screen.
fn reset(outer: &Outer, model: &Terminal) {
    // Fails only when the terminal is gone.
    let _ = outer.write(&[&plain(model.size()), LEAVE_ALTERNATE, PLAIN_KEYS].concat(), None);
}
