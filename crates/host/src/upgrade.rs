//! The upgrade: this process becomes another program, and neither child nor viewers notice.
//!
//! The PTY, the child, the socket and every viewer's connection stay open through the exec; what is in memory goes
//! through a file in memory. Exec cannot be undone, so the new program first proves on the real state that it can
//! read it.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use model::Offset;
use protocol::{HostMessage, Refusal, Refused, ViewerId};
use rustix::io::{FdFlags, fcntl_setfd};
use terminal::SnapshotForm;

use crate::detach;
use crate::ending::Life;
use crate::host::Host;
use crate::log;
use crate::output::Reading;
use crate::sealing;
use crate::snapshots::{Depth, Ticket};
use crate::told::Snapshot;

mod probe;
mod resume;
mod state;
mod viewer_state;

pub(crate) use probe::probe;
use probe::{PROBING, check_trustworthy, run_probe};
pub(crate) use resume::resume;

/// How long the model and the recorder have to take in the output so far. The child waits meanwhile.
const SETTLING: Duration = Duration::from_secs(5);

/// How far an upgrade is.
#[derive(Debug)]
pub(crate) struct Upgrading {
    asked_by: ViewerId,
    program: PathBuf,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// The screen for the probe is being drawn.
    Drawing { ticket: Ticket, since: Instant },
    /// The new program looks at the state.
    Probing { since: Instant },
    /// The host reads nothing any more; the model and the recorder take in the output so far.
    Settling { ticket: Ticket, since: Instant, screen: Option<Arc<Snapshot>>, recorded: bool },
}

impl Host {
    /// A viewer asks us to become another program.
    pub(crate) fn begin_upgrade(&mut self, id: ViewerId, upgrade: protocol::Upgrade) -> io::Result<()> {
        let program = PathBuf::from(upgrade.program);
        if self.upgrading.is_some() || !matches!(self.life, Life::Live) {
            let why = "another upgrade is under way, or the worker is about to end";
            return self.refuse_upgrade(id, why.into());
        }
        if let Err(why) = check_trustworthy(&program) {
            return self.refuse_upgrade(id, why);
        }
        let ticket = self.ask_for_all();
        let stage = Stage::Drawing { ticket, since: Instant::now() };
        self.upgrading = Some(Upgrading { asked_by: id, program, stage });
        Ok(())
    }

    pub(crate) fn refuse_upgrade(&mut self, id: ViewerId, why: String) -> io::Result<()> {
        log::line(&format!("not upgraded: {why}"));
        self.say(id, &HostMessage::Refused(Refused { code: Refusal::Upgrade, message: why }))
    }

    pub(crate) fn ask_for_all(&mut self) -> Ticket {
        let ticket = self.next_ticket();
        self.follower.snapshot(self.end(), SnapshotForm::Full { history: usize::MAX }, ticket, Depth::Model);
        ticket
    }

    /// A screen was drawn; true if it was for the upgrade.
    pub(crate) fn settle_upgrade(&mut self, snapshot: &Arc<Snapshot>) -> io::Result<bool> {
        let Some(upgrading) = &mut self.upgrading else { return Ok(false) };
        match &mut upgrading.stage {
            Stage::Drawing { ticket, .. } if *ticket == snapshot.ticket => {
                upgrading.stage = Stage::Probing { since: Instant::now() };
                if let Err(error) = self.probe(snapshot) {
                    self.give_up_upgrade(&format!("cannot test the new program: {error}"))?;
                }
                Ok(true)
            }
            Stage::Settling { ticket, screen, .. } if *ticket == snapshot.ticket => {
                *screen = Some(Arc::clone(snapshot));
                self.become_if_settled()?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Has the new program look at the state, on a thread: the terminal goes on meanwhile.
    pub(crate) fn probe(&mut self, snapshot: &Snapshot) -> io::Result<()> {
        let Some(upgrading) = &self.upgrading else { return Ok(()) };
        let program = upgrading.program.clone();
        let state = self.save(&snapshot.bytes, upgrading.asked_by)?;
        let board = Arc::clone(&self.board);
        thread::Builder::new().name("probe".into()).spawn(move || {
            let probed = run_probe(&program, state);
            board.tell(|told| told.probed = Some(probed));
        })?;
        Ok(())
    }

    /// The new program has looked at the state.
    pub(crate) fn probed(&mut self, result: Result<(), String>) -> io::Result<()> {
        if self.upgrading.is_none() {
            return Ok(());
        }
        if let Err(why) = result {
            return self.give_up_upgrade(&why);
        }
        if !matches!(self.life, Life::Live) {
            return self.give_up_upgrade("the worker is about to end");
        }
        self.hold(Reading::HeldByUpgrade)?;
        let ticket = self.ask_for_all();
        self.recorder.tell_when_written(self.end());
        if let Some(upgrading) = &mut self.upgrading {
            let since = Instant::now();
            upgrading.stage = Stage::Settling { ticket, since, screen: None, recorded: false };
        }
        Ok(())
    }

    /// The recorder has written everything up to here.
    pub(crate) fn recorder_settled(&mut self, offset: Offset) -> io::Result<()> {
        let end = self.end();
        if let Some(Upgrading { stage: Stage::Settling { recorded, .. }, .. }) = &mut self.upgrading
            && offset >= end
        {
            *recorded = true;
            self.become_if_settled()?;
        }
        Ok(())
    }

    /// Becomes the new program, if everything is at rest. If that fails, all goes on as it was.
    pub(crate) fn become_if_settled(&mut self) -> io::Result<()> {
        let Some(Upgrading { asked_by, program, stage }) = &self.upgrading else { return Ok(()) };
        let Stage::Settling { screen: Some(screen), recorded: true, .. } = stage else { return Ok(()) };
        if !matches!(self.life, Life::Live) {
            return self.give_up_upgrade("the worker is about to end");
        }
        let (asked_by, program, screen) = (*asked_by, program.clone(), Arc::clone(screen));
        let failed = match self.save(&screen.bytes, asked_by) {
            Ok(state) => self.exec(&program, &state),
            Err(error) => error,
        };
        self.give_up_upgrade(&format!("cannot become `{}`: {failed}", program.display()))
    }

    /// When an upgrade that does not come to its end is given up.
    pub(crate) fn upgrade_due(&self) -> Option<Instant> {
        match &self.upgrading.as_ref()?.stage {
            Stage::Drawing { since, .. } | Stage::Settling { since, .. } => Some(*since + SETTLING),
            // The probe is given up before that.
            Stage::Probing { since } => Some(*since + PROBING * 2),
        }
    }

    /// The host goes on as it was, and tells the viewer that asked why.
    pub(crate) fn give_up_upgrade(&mut self, why: &str) -> io::Result<()> {
        let Some(upgrading) = self.upgrading.take() else { return Ok(()) };
        if self.reading == Reading::HeldByUpgrade {
            self.hold(Reading::On)?;
        }
        self.refuse_upgrade(upgrading.asked_by, why.to_owned())
    }

    /// Comes back only when it failed.
    pub(crate) fn exec(&self, program: &Path, state: &File) -> io::Error {
        let kept: Vec<BorrowedFd<'_>> =
            [self.pty.as_fd(), self.child.as_fd(), self.listener.as_fd(), self.lock.as_fd(), state.as_fd()]
                .into_iter()
                .chain(self.viewers.iter().map(AsFd::as_fd))
                .collect();
        // A process that is started while these are open would inherit them.
        let _starting = sealing::hold_starts();
        let set = |flags: FdFlags| kept.iter().try_for_each(|descriptor| fcntl_setfd(descriptor, flags));
        if let Err(error) = set(FdFlags::empty()) {
            let _ = set(FdFlags::CLOEXEC);
            return error.into();
        }
        let _deaf = detach::Deaf::new();
        let error =
            Command::new(program).args(["host", "--resume"]).arg(state.as_raw_fd().to_string()).exec();
        let _ = set(FdFlags::CLOEXEC);
        error
    }
}
