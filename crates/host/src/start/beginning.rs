//! What every host begins with.

use std::fs::File;
use std::io::{self};
use std::sync::{Arc, RwLock};

use home::{Meta, WorkerDir};
use jiff::Timestamp;
use model::Offset;
use protocol::{ProgramReport, RecordingReport};
use system::{Events, Ready, Timer};
use terminal::Terminal;

use crate::ending::Life;
use crate::follower::Follower;
use crate::follower::Rebuild;
use crate::follower::reports;
use crate::host::Host;
use crate::input::Input;
use crate::listener::Listener;
use crate::log::Visits;
use crate::output::Reading;
use crate::pty::{Child, Pty};
use crate::recorder::{Opening, Recorder, Subject};
use crate::requests::Withdrawn;
use crate::run::Signals;
use crate::sealing::Sealing;
use crate::tape::Tape;
use crate::told::Board;
use crate::viewers::Viewers;

/// What every host begins with.
pub(crate) struct Beginning {
    pub(crate) at: Offset,
    pub(crate) tape: Tape,
    pub(crate) terminal: Terminal,
    pub(crate) subject: Subject,
    pub(crate) opening: Opening,
    /// How often output is known to be missing.
    pub(crate) gaps: u64,
    pub(crate) pty: Pty,
    pub(crate) child: Child,
    pub(crate) listener: Listener,
    pub(crate) signals: Signals,
    pub(crate) lock: File,
    pub(crate) started_at: Timestamp,
}

impl Beginning {
    pub(crate) fn host(self, dir: WorkerDir, meta: Meta) -> io::Result<Host> {
        let Beginning { at, tape, terminal, subject, opening, gaps, .. } = self;
        let tape = Arc::new(RwLock::new(tape));
        let board = Arc::new(Board::new()?);
        let size = terminal.size();
        let program: ProgramReport = reports::program(&terminal);
        let rebuild = Rebuild::new(dir.recording(), Arc::clone(&tape), size);
        let epoch = subject.epoch;
        let sealing = Sealing::new(dir.clone(), self.child.pid);
        let recorder =
            Recorder::start(subject, sealing, opening, gaps, at, Arc::clone(&tape), Arc::clone(&board))?;
        let follower =
            Follower::start(terminal, at, Arc::clone(&tape), Arc::clone(&board), recorder.thread(), rebuild)?;
        Ok(Host {
            dir,
            meta,
            lock: self.lock,
            epoch,
            started_at: self.started_at,
            printed_at: None,
            left_alone_since: None,
            pty: self.pty,
            child: self.child,
            visits: Visits::default(),
            input: Input::default(),
            withdrawn: Withdrawn::default(),
            size,
            resized_at: Offset(0),
            resizes: 0,
            life: Life::Live,
            reading: Reading::On,
            pty_awaited: Ready::READ,
            tape,
            board,
            follower,
            recorder,
            program,
            prompt: None,
            recording: RecordingReport { gaps, ..RecordingReport::default() },
            model_failures: 0,
            listener: self.listener,
            viewers: Viewers::default(),
            requests: Vec::new(),
            next_ticket: 0,
            model_awaited: None,
            upgrading: None,
            viewer_left: false,
            mentioned: false,
            recorder_left_behind: false,
            spare: File::open("/dev/null").ok(),
            events: Events::new()?,
            timer: Timer::new()?,
            timer_at: None,
            signals: self.signals,
            chunk: Vec::new(),
        })
    }
}
