//! The terminal we were started in.

mod keys;
mod plain;
mod press;
mod signals;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use model::TermSize;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, read, write};
use rustix::stdio::{stdin, stdout};
use rustix::termios::{OptionalActions, Termios, isatty, tcgetattr, tcgetwinsize, tcsetattr};

use crate::failure::Failure;

pub(crate) use keys::{Key, Keys};
pub(crate) use plain::{LEAVE_ALTERNATE, plain};
pub(crate) use signals::Signals;

/// The user's own terminal on standard input and output; it gets its settings back when this is dropped.
pub(crate) struct Outer {
    settings: Termios,
    output: OwnedFd,
}

impl Outer {
    /// Takes up the terminal, and remembers its settings. The hint is for whoever started us without one.
    pub(crate) fn open(hint: &str) -> Result<Outer, Failure> {
        if !isatty(stdin()) || !isatty(stdout()) {
            let failure = Failure::from(anyhow!("standard input and output are not a terminal"));
            return Err(failure.hint(hint));
        }
        let settings = tcgetattr(stdin()).context("cannot read the terminal's settings")?;
        Ok(Outer { settings, output: open_output().context("cannot open the terminal")? })
    }

    /// The settings the terminal had when we came.
    pub(crate) fn settings(&self) -> &Termios {
        &self.settings
    }

    /// Keys come as they are typed, and output goes out as it is.
    pub(crate) fn make_raw(&self) -> Result<()> {
        let mut raw = self.settings.clone();
        raw.make_raw();
        tcsetattr(stdin(), OptionalActions::Drain, &raw).context("cannot put the terminal into raw mode")
    }

    /// Gives the terminal the settings it had.
    pub(crate) fn restore_settings(&self) {
        // Fails only when the terminal is gone, and then nobody misses its settings.
        let _ = tcsetattr(stdin(), OptionalActions::Drain, &self.settings);
    }

    /// The terminal's size now; one that does not know its size counts as 80×24.
    pub(crate) fn size(&self) -> Result<TermSize> {
        size_of(stdin()).context("cannot read the terminal's size")
    }

    /// Where keys come from, to be waited for.
    pub(crate) fn input(&self) -> BorrowedFd<'static> {
        stdin()
    }

    /// Where output goes, to be waited for.
    pub(crate) fn output(&self) -> BorrowedFd<'_> {
        self.output.as_fd()
    }

    /// Reads what was typed; nothing when the terminal is gone.
    pub(crate) fn read<'a>(&self, chunk: &'a mut [u8]) -> Option<&'a [u8]> {
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
    pub(crate) fn write_some(&self, bytes: &[u8]) -> Result<usize, Errno> {
        match write(&self.output, bytes) {
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            written => written,
        }
    }

    /// Writes all the bytes, if the terminal takes them within this time; an error means that it is gone or takes
    /// nothing.
    pub(crate) fn write(&self, bytes: &[u8], within: Option<Duration>) -> Result<(), Errno> {
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

/// The terminal on standard output, opened anew, so that writing to it does not wait and yet nobody who shares
/// standard output notices. Where it may not be opened (it is another user's), standard output itself: then writes
/// wait.
pub(crate) fn open_output() -> Result<OwnedFd, std::io::Error> {
    let flags = OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match rustix::fs::open("/proc/self/fd/1", flags, Mode::empty()) {
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
