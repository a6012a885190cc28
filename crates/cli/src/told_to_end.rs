//! Clearing up when a signal ends this program, for commands that have no loop of their own.

use std::io;
use std::os::unix::net::UnixStream;
use std::thread;

use rustix::event::{PollFd, PollFlags};
use rustix::process::Signal;
use signal_hook::low_level::{emulate_default_handler, pipe};
use system::processes;

use crate::wakes;

/// The signals that ask a program to end.
const ASKING: [Signal; 4] = [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM];

/// From now on, a signal that would end this program first clears up, in a thread of its own. Then the program ends as
/// the signal would have ended it. A signal that our caller had us ignore (`nohup`) stays ignored.
///
/// # Errors
///
/// When the system has no descriptors or threads left.
pub(crate) fn clear_up(clear_up: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let mut told = Vec::new();
    for signal in ASKING.into_iter().filter(|signal| processes::dies_of(processes::this(), *signal)) {
        let (ours, handler) = UnixStream::pair()?;
        pipe::register(signal.as_raw(), handler)?;
        told.push((signal, ours));
    }
    thread::Builder::new().name("signals".into()).spawn(move || {
        let polled =
            || told.iter().map(|(signal, told)| (*signal, PollFd::new(told, PollFlags::IN))).collect();
        let signal = loop {
            match wakes::wait(polled()) {
                Ok(signals) => {
                    if let Some(signal) = signals.first() {
                        break *signal;
                    }
                }
                Err(_) => return,
            }
        };
        clear_up();
        let _ = emulate_default_handler(signal.as_raw());
    })?;
    Ok(())
}
