//! The terminal we were started in.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use model::TermSize;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, read, write};
use rustix::stdio::{stdin, stdout};
use rustix::termios::{OptionalActions, Termios, isatty, tcgetattr, tcgetwinsize, tcsetattr};
use thiserror::Error;

/// Why the terminal cannot be taken up.
#[derive(Debug, Error)]
pub enum OpenError {
    /// There is none.
    #[error("standard input and output are not a terminal")]
    NoTerminal,
    /// Its settings cannot be read.
    #[error("cannot read the terminal's settings")]
    Settings(#[source] Errno),
    /// It cannot be opened.
    #[error("cannot open the terminal")]
    Output(#[source] std::io::Error),
}

/// The user's own terminal on standard input and output; it gets its settings back when this is dropped.
pub struct Outer {
    settings: Termios,
    output: OwnedFd,
}

impl Outer {
    /// Takes up the terminal, and remembers its settings.
    ///
    /// # Errors
    ///
    /// When standard input or output is no terminal, or the system refuses.
    pub fn open() -> Result<Outer, OpenError> {
        if !isatty(stdin()) || !isatty(stdout()) {
            return Err(OpenError::NoTerminal);
        }
        let settings = tcgetattr(stdin()).map_err(OpenError::Settings)?;
        Ok(Outer { settings, output: open_output().map_err(OpenError::Output)? })
    }

    /// The settings the terminal had when we came.
    pub fn settings(&self) -> &Termios {
        &self.settings
    }

    /// Keys come as they are typed, and output goes out as it is.
    pub fn make_raw(&self) -> Result<()> {
        let mut raw = self.settings.clone();
        raw.make_raw();
        tcsetattr(stdin(), OptionalActions::Drain, &raw).context("cannot put the terminal into raw mode")
    }

    /// Gives the terminal the settings it had.
    pub fn restore_settings(&self) {
        // Fails only when the terminal is gone, and then its settings do not matter.
        let _ = tcsetattr(stdin(), OptionalActions::Drain, &self.settings);
    }

    /// The terminal's size now; one that does not know its size counts as 80×24.
    pub fn size(&self) -> Result<TermSize> {
        size_of(stdin()).context("cannot read the terminal's size")
    }

    /// Where keys come from, to be waited for.
    pub fn input(&self) -> BorrowedFd<'static> {
        stdin()
    }

    /// Where output goes, to be waited for.
    pub fn output(&self) -> BorrowedFd<'_> {
        self.output.as_fd()
    }

    /// Reads typed bytes; nothing when the terminal is gone.
    pub fn read<'a>(&self, chunk: &'a mut [u8]) -> Option<&'a [u8]> {
        loop {
            match read(stdin(), &mut *chunk) {
                Ok(0) => return None,
                Ok(length) => return Some(&chunk[..length]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Some(&[]),
                Err(_) => return None,
            }
        }
    }

    /// Writes as many bytes as the terminal takes now, and says how many; an error means that it is gone.
    pub fn write_some(&self, bytes: &[u8]) -> Result<usize, Errno> {
        match write(&self.output, bytes) {
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            written => written,
        }
    }

    /// Writes all the bytes, if the terminal takes them within this time; an error means that it is gone or takes
    /// nothing.
    pub fn write(&self, bytes: &[u8], within: Option<Duration>) -> Result<(), Errno> {
        write_all(self.output(), bytes, within)
    }
}

impl Drop for Outer {
    fn drop(&mut self) {
        self.restore_settings();
    }
}

/// A terminal's size; one that does not know its size counts as 80×24.
pub(crate) fn size_of(terminal: BorrowedFd<'_>) -> Result<TermSize, Errno> {
    let size = tcgetwinsize(terminal)?;
    let or = |number: u16, default: u16| if number == 0 { default } else { number };
    Ok(TermSize::clamped(or(size.ws_col, 80), or(size.ws_row, 24)))
}

/// The terminal on standard output, opened anew, so that writing to it does not wait and yet no program that shares
/// standard output notices. Where it may not be opened (it is another user's), standard output itself: then writes
/// wait.
pub(crate) fn open_output() -> Result<OwnedFd, std::io::Error> {
    let flags = OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match rustix::fs::open(system::descriptors::path(stdout()), flags, Mode::empty()) {
        Ok(output) => Ok(output),
        Err(_) => stdout().try_clone_to_owned(),
    }
}

/// Writes all the bytes, if the terminal takes them within this time.
pub(crate) fn write_all(
    terminal: BorrowedFd<'_>,
    mut bytes: &[u8],
    within: Option<Duration>,
) -> Result<(), Errno> {
    let deadline = within.map(|within| Instant::now() + within);
    while !bytes.is_empty() {
        match write(terminal, bytes) {
            Ok(length) => bytes = &bytes[length..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait_for_room(terminal, deadline)?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn wait_for_room(terminal: BorrowedFd<'_>, deadline: Option<Instant>) -> Result<(), Errno> {
    let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let timeout = left.and_then(|left| Timespec::try_from(left).ok());
    match poll(&mut [PollFd::from_borrowed_fd(terminal, PollFlags::OUT)], timeout.as_ref()) {
        Ok(0) => Err(Errno::TIMEDOUT),
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error),
    }
}
