//! The one loop.
//!
//! Everything that can wake a host is a [`Wake`]. What a wake leads to is in the other files of this crate, which add
//! to [`Host`]: `output` (what the child prints), `input` (what is typed), `requests` (what viewers ask), `snapshots`,
//! `size`, `ending`.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use system::Ready;

use crate::host::Host;
use crate::output::LEFT_ALONE;
use crate::viewer::Viewer;

mod dates;
mod signals;
mod wake;

pub(crate) use signals::Signals;
pub(crate) use wake::Wake;

impl Host {
    /// Waits for everything that is always waited for.
    pub(crate) fn register(&self) -> io::Result<()> {
        let add = |source: BorrowedFd<'_>, wake: Wake| self.events.add(source, wake.number(), Ready::READ);
        add(self.pty.as_fd(), Wake::Pty)?;
        add(self.listener.as_fd(), Wake::Listener)?;
        add(self.child.as_fd(), Wake::Child)?;
        add(self.board.waker().as_fd(), Wake::Told)?;
        add(self.signals.missed.as_fd(), Wake::Signal)?;
        add(self.signals.asked.as_fd(), Wake::Signal)?;
        add(self.timer.as_fd(), Wake::Timer)?;
        for viewer in self.viewers.iter() {
            self.await_viewer(viewer)?;
        }
        Ok(())
    }

    /// Waits for what a viewer says.
    pub(crate) fn await_viewer(&self, viewer: &Viewer) -> io::Result<()> {
        self.events.add(viewer, Wake::Viewer(viewer.id).number(), Ready::READ)
    }

    /// Runs to the worker's end.
    pub(crate) fn run(mut self) -> io::Result<()> {
        let mut woken = Vec::new();
        while !self.is_over() {
            self.arm_timer()?;
            let soon = self.left_alone_since.map(|_| LEFT_ALONE);
            self.events.wait(soon, &mut woken)?;
            if woken.is_empty() && self.left_alone_since.is_some() {
                self.wake_model();
            }
            for event in woken.drain(..) {
                self.handle(Wake::of(event.number), event.ready)?;
            }
            self.tidy_up()?;
            if std::mem::take(&mut self.mentioned) {
                self.pump_viewers()?;
            }
        }
        self.leave();
        Ok(())
    }

    pub(crate) fn handle(&mut self, wake: Wake, ready: Ready) -> io::Result<()> {
        match wake {
            Wake::Pty => {
                if ready.write {
                    self.pass_input()?;
                }
                if ready.read {
                    self.drain_pty()?;
                }
            }
            Wake::Listener => self.accept()?,
            Wake::Child => self.child_ended()?,
            Wake::Told => self.hear()?,
            Wake::Signal => self.heed_signals()?,
            Wake::Timer => self.keep_dates()?,
            Wake::Viewer(id) => {
                if ready.read {
                    self.listen_to(id)?;
                }
                if ready.write {
                    self.pump(id)?;
                    self.heed_frames(id)?;
                    self.go_on_if_possible()?;
                }
            }
        }
        Ok(())
    }
}
