//! Signals, as descriptors that the loop can wait for.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGWINCH};
use signal_hook::low_level::pipe;

/// The signals we care for; each makes its descriptor readable.
pub struct Signals {
    window: UnixStream,
    asked: UnixStream,
}

impl Signals {
    /// From here on, a changed window and a wish that we leave are told through descriptors.
    pub fn listen() -> io::Result<Signals> {
        Ok(Signals {
            window: listen_for(&[SIGWINCH, SIGCONT])?,
            asked: listen_for(&[SIGHUP, SIGINT, SIGTERM])?,
        })
    }

    /// Readable when the outer terminal's size has changed, or another program may have used the terminal while we were
    /// stopped.
    pub fn window(&self) -> BorrowedFd<'_> {
        self.window.as_fd()
    }

    /// Readable when a signal asks us to leave.
    pub fn asked(&self) -> BorrowedFd<'_> {
        self.asked.as_fd()
    }

    /// Makes `window` wait for the next change.
    pub fn clear_window(&mut self) {
        while self.window.read(&mut [0; 64]).is_ok_and(|length| length > 0) {}
    }
}

fn listen_for(signals: &[i32]) -> io::Result<UnixStream> {
    let (ours, handlers) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    for signal in signals {
        pipe::register(*signal, handlers.try_clone()?)?;
    }
    Ok(ours)
}
