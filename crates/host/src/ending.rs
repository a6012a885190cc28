//! The worker's end: the child ends, by itself or by force; the host saves its output, tells every viewer, and ends.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use home::ExitNote;
use jiff::Timestamp;
use protocol::{Exited, HostMessage};

use crate::host::Host;
use crate::log;
use crate::output::Reading;
use crate::viewer::{Feed, Role, Viewer};

mod ladder;
mod survivors;

use ladder::Ending;

/// How long a disk may take for the last bytes before the host tells the viewers anyway. The host stays until the disk
/// has them.
const SAVING: Duration = Duration::from_secs(5);

/// How long viewers have to take the last bytes. What they miss is in the recording.
const FAREWELL: Duration = Duration::from_secs(10);

/// Where the worker is in its life.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Life {
    /// The child runs.
    Live,
    /// A viewer or a signal asked to end it.
    Ending(Ending),
    /// It has ended, and the recorder writes the last of it.
    Saving { exited: Exited, since: Instant },
    /// Everything is on disk, or takes too long for that, and viewers are told.
    Told { exited: Exited, since: Instant },
}

impl Host {
    /// Whether the child has ended.
    pub(crate) fn has_exited(&self) -> bool {
        matches!(self.life, Life::Saving { .. } | Life::Told { .. })
    }

    fn grace(&self) -> Duration {
        Duration::from_millis(self.meta.grace_ms)
    }

    /// Begins to end the worker.
    pub(crate) fn begin_ending(&mut self) -> io::Result<()> {
        if let Life::Live = self.life {
            let (signal, ending) = Ending::begin(Instant::now());
            self.life = Life::Ending(ending);
            self.signal_child(signal);
            // A stopped job cannot end before it goes on.
            self.signal_child(rustix::process::Signal::CONT);
        }
        Ok(())
    }

    /// When the next step of the ladder is due.
    pub(crate) fn ending_due(&self) -> Option<Instant> {
        match self.life {
            Life::Ending(ending) => ending.due(self.grace()),
            _ => None,
        }
    }

    /// Takes the next step of the ladder.
    pub(crate) fn step_ending(&mut self, now: Instant) -> io::Result<()> {
        if let Life::Ending(ending) = self.life
            && let Some((signal, ending)) = ending.step(now, self.grace())
        {
            self.life = Life::Ending(ending);
            self.signal_child(signal);
        }
        Ok(())
    }

    fn signal_child(&self, signal: rustix::process::Signal) {
        if let Err(error) = self.child.signal(signal, self.pty.foreground()) {
            log::line(&format!("cannot send signal {} to the child: {error}", signal.as_raw()));
        }
    }

    /// The child has ended: everything it printed is read, then its end is recorded.
    pub(crate) fn child_ended(&mut self) -> io::Result<()> {
        if self.has_exited() {
            return Ok(());
        }
        self.events.delete(&self.child)?;
        self.give_up_upgrade("the worker has ended")?;
        let exited = Exited { status: self.child.status(), at: Timestamp::now() };
        self.drain_last()?;
        self.reading = Reading::Over;
        self.events.delete(&self.pty)?;
        let on_request = matches!(self.life, Life::Ending(_));
        self.life = Life::Saving { exited, since: Instant::now() };
        let child_pid = self.child.pid.as_raw_nonzero().get().cast_unsigned();
        let note = ExitNote {
            status: exited.status,
            at: exited.at,
            offset: self.end(),
            survivors: survivors::count(self.meta.worker, child_pid),
            on_request,
        };
        self.recorder.exit(self.end(), note);
        log::line(&format!("the child {}", exited.status));
        Ok(())
    }

    /// Tells every viewer how the worker ended, once that is on disk.
    pub(crate) fn tell_exit_if_saved(&mut self) -> io::Result<()> {
        match self.life {
            Life::Saving { exited, .. } if self.recorder.is_over() => self.tell_exit(exited),
            _ => Ok(()),
        }
    }

    /// Tells every viewer how the worker ended.
    fn tell_exit(&mut self, exited: Exited) -> io::Result<()> {
        self.life = Life::Told { exited, since: Instant::now() };
        let leasing = self.viewers.iter().filter(|viewer| matches!(viewer.role, Role::Leasing));
        for id in leasing.map(|viewer| viewer.id).collect::<Vec<_>>() {
            self.say(id, &HostMessage::Returned)?;
        }
        self.pump_viewers()
    }

    /// What viewers are told of the end, once it is time.
    pub(crate) fn exited_message(&self) -> Option<HostMessage> {
        match self.life {
            Life::Told { exited, .. } => Some(HostMessage::Exited(exited)),
            Life::Live | Life::Ending(_) | Life::Saving { .. } => None,
        }
    }

    /// When the host stops waiting for viewers or for the disk.
    pub(crate) fn leaving_due(&self) -> Option<Instant> {
        match self.life {
            Life::Saving { since, .. } => Some(since + self.follower.patience(SAVING)),
            Life::Told { since, .. } if self.recorder.is_over() => Some(since + FAREWELL),
            // A disk that takes its time is waited for, without a date.
            Life::Told { .. } | Life::Live | Life::Ending(_) => None,
        }
    }

    /// The disk or a viewer takes too long.
    pub(crate) fn hurry(&mut self) -> io::Result<()> {
        match self.life {
            Life::Saving { exited, .. } => {
                log::line("the disk takes too long to write the end of the recording");
                // Or the model does, for the screen of a new segment.
                self.recorder.give_up_segments();
                self.tell_exit(exited)
            }
            // They get no more time.
            Life::Told { .. } | Life::Live | Life::Ending(_) => Ok(()),
        }
    }

    /// Whether there is nothing left to do. A host that left before its recording is over would take the exit along.
    pub(crate) fn is_over(&self) -> bool {
        let Life::Told { since, .. } = self.life else { return false };
        if !self.recorder.is_over() {
            return false;
        }
        let is_done = |viewer: &Viewer| match &viewer.role {
            Role::Watching(watching) => matches!(watching.feed, Feed::Ended) && viewer.line.is_flushed(),
            Role::Asking | Role::Leasing => viewer.line.is_flushed(),
            Role::Starting => false,
        };
        since.elapsed() >= FAREWELL || self.viewers.iter().all(is_done)
    }

    /// Removes the socket.
    pub(crate) fn leave(&self) {
        let _ = fs::remove_file(self.dir.socket());
    }
}
