//! The terminal we were started in.

use std::os::fd::BorrowedFd;

use anyhow::{Context, Result, anyhow};
use model::TermSize;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, read, write};
use rustix::stdio::{stdin, stdout};
use rustix::termios::{OptionalActions, Termios, isatty, tcgetattr, tcgetwinsize, tcsetattr};

use crate::failure::Failure;

/// The user's own terminal on standard input and output; it gets its settings back when this is dropped.
pub(super) struct Outer {
    settings: Termios,
}

impl Outer {
    /// Takes up the terminal, and remembers its settings.
    pub(super) fn open() -> Result<Outer, Failure> {
        if !isatty(stdin()) || !isatty(stdout()) {
            let failure = Failure::from(anyhow!("standard input and output are not a terminal"));
            return Err(
                failure.hint("start it in a terminal; `abide debug snapshot` takes a stream of bytes")
            );
        }
        let settings = tcgetattr(stdin()).context("cannot read the terminal's settings")?;
        Ok(Outer { settings })
    }

    /// The settings the terminal had when we came.
    pub(super) fn settings(&self) -> &Termios {
        &self.settings
    }

    /// Keys come as they are typed, and output goes out as it is.
    pub(super) fn make_raw(&self) -> Result<()> {
        let mut raw = self.settings.clone();
        raw.make_raw();
        tcsetattr(stdin(), OptionalActions::Drain, &raw).context("cannot put the terminal into raw mode")
    }

    /// The terminal's size now; one that does not know its size counts as 80×24.
    pub(super) fn size(&self) -> Result<TermSize> {
        let size = tcgetwinsize(stdin()).context("cannot read the terminal's size")?;
        let or = |number: u16, default: u16| if number == 0 { default } else { number };
        Ok(TermSize::clamped(or(size.ws_col, 80), or(size.ws_row, 24)))
    }

    /// Where keys come from, to be waited for.
    pub(super) fn input(&self) -> BorrowedFd<'static> {
        stdin()
    }

    /// Reads what was typed; nothing when the terminal is gone.
    pub(super) fn read<'a>(&self, chunk: &'a mut [u8]) -> Option<&'a [u8]> {
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

    /// Writes all the bytes; an error means that the terminal is gone.
    pub(super) fn write(&self, mut bytes: &[u8]) -> Result<(), Errno> {
        while !bytes.is_empty() {
            match write(stdout(), bytes) {
                Ok(length) => bytes = &bytes[length..],
                Err(Errno::INTR) => {}
                // Whoever shares this terminal may have made it non-blocking.
                Err(Errno::AGAIN) => drop(poll(&mut [PollFd::new(&stdout(), PollFlags::OUT)], None)),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Drop for Outer {
    fn drop(&mut self) {
        // Fails only when the terminal is gone, and then nobody misses its settings.
        let _ = tcsetattr(stdin(), OptionalActions::Drain, &self.settings);
    }
}
