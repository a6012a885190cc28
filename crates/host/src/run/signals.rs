//! Signals that are sent to the host.

use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGUSR1};

use crate::host::Host;
use crate::log;

/// Signals, as descriptors.
#[derive(Debug)]
pub(crate) struct Signals {
    /// A process does not find our socket.
    pub(super) missed: UnixStream,
    /// A process asks us to end.
    pub(super) asked: UnixStream,
}

impl Signals {
    /// From here on, signals are told through descriptors. Those that a terminal or a peer sends for no good reason
    /// are caught and forgotten; ignoring them would be inherited by the child.
    pub(crate) fn listen() -> io::Result<Signals> {
        let listen_for = |numbers: &[i32]| -> io::Result<UnixStream> {
            let (ours, handlers) = UnixStream::pair()?;
            ours.set_nonblocking(true)?;
            for number in numbers {
                signal_hook::low_level::pipe::register(*number, handlers.try_clone()?)?;
            }
            Ok(ours)
        };
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE] {
            signal_hook::flag::register(number, Arc::default())?;
        }
        Ok(Signals { missed: listen_for(&[SIGUSR1])?, asked: listen_for(&[SIGTERM])? })
    }

    fn take(stream: &UnixStream) -> bool {
        let mut stream = stream;
        let mut any = false;
        while stream.read(&mut [0; 64]).is_ok_and(|length| length > 0) {
            any = true;
        }
        any
    }
}

impl Host {
    pub(crate) fn heed_signals(&mut self) -> io::Result<()> {
        if Signals::take(&self.signals.missed) {
            self.bind_again()?;
        }
        if Signals::take(&self.signals.asked) {
            log::line("a signal asks to end the worker");
            self.begin_ending()?;
        }
        Ok(())
    }
}
