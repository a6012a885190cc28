//! Becoming a host: fresh, in place of one that was killed, or as the program that a host becomes.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use home::{Identity, Meta, Report, StartFailure, WorkerDir};
use jiff::Timestamp;
use model::{Epoch, Offset, TermSize};
use protocol::{ProgramReport, RecordingReport};
use recording::{Reopened, Writer};
use rustix::event::epoll::EventFlags;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::Pid;
use terminal::{SnapshotForm, Terminal};

use crate::answer;
use crate::detach;
use crate::follower::Follower;
use crate::input::Input;
use crate::leaving::Life;
use crate::listener::Listener;
use crate::log;
use crate::pty::{Child, Pty};
use crate::publish::Reading;
use crate::rebuild::{HISTORY, Rebuild};
use crate::recorder::{self, Opening, Recorder, Subject};
use crate::run::{self, Host, Signals};
use crate::sealing::Sealing;
use crate::tape::Tape;
use crate::told::Board;
use crate::upgrade;
use crate::viewers::Viewers;

/// Somebody may be sealing the recording of a host that was killed, and is done by then.
const SEALING: Duration = Duration::from_secs(10);

/// How long the starter may take to hand over what a killed host left.
const HANDOVER: Duration = Duration::from_secs(10);

/// What a host is started as.
enum Role {
    Fresh,
    /// In place of one that was killed, whose child has this number.
    Adopting {
        child: Pid,
    },
}

/// Runs a host: `host DIR [--adopt PID]`, `host --resume FD` or `host --probe`.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    match words[..] {
        ["--probe"] => return upgrade::probe(),
        ["--resume", state] => return ended(upgrade::resume(state)),
        _ => {}
    }
    let role = match words[..] {
        [_, "--adopt", child] => {
            child.parse().ok().and_then(Pid::from_raw).map(|child| Role::Adopting { child })
        }
        [] => None,
        _ => Some(Role::Fresh),
    };
    let dir = arguments.first().map(PathBuf::from).and_then(|path| WorkerDir::at(&path));
    let (Some(dir), Some(role)) = (dir, role) else {
        eprintln!("error: `abide host` is started by abide itself");
        eprintln!("hint: start a worker with `abide new`");
        return ExitCode::from(2);
    };
    let (mut starter, inherited) = match detach::leave(dir.path()) {
        Ok(left) => left,
        Err(error) => {
            log::line(&format!("cannot leave the parent: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let started = match role {
        Role::Fresh => start(dir, inherited),
        Role::Adopting { child } => adopt(dir, child, &starter),
    };
    match started.and_then(|host| registered(host, &starter)) {
        Ok(host) => ended(go(host, starter)),
        Err(failure) => {
            log::line(&format!("not started: {failure}"));
            report(&mut starter, &Report::Failed(failure));
            ExitCode::FAILURE
        }
    }
}

fn ended(result: io::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            log::line(&format!("the host fails: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// The last that can fail while there is somebody to be told why.
fn registered(host: Host, starter: &UnixStream) -> Result<Host, StartFailure> {
    host.register()
        .and_then(|()| starter.set_nonblocking(true))
        .map_err(|error| other("cannot wait for events", &error))?;
    Ok(host)
}

/// Tells the starter, who becomes the first to connect.
fn go(mut host: Host, mut starter: UnixStream) -> io::Result<()> {
    report(&mut starter, &Report::Ready);
    if let Err(error) = host.welcome(starter) {
        log::line(&format!("cannot serve who started this worker: {error}"));
    }
    for viewer in host.viewers.iter_mut() {
        viewer.is_starter = true;
    }
    host.run()
}

fn report(starter: &mut UnixStream, report: &Report) {
    let mut line = serde_json::to_vec(report).unwrap_or_default();
    line.push(b'\n');
    // Whoever does not wait for it does not need it.
    let _ = starter.write_all(&line);
}

fn start(dir: WorkerDir, inherited: detach::Inherited) -> Result<Host, StartFailure> {
    // Whoever reads who we are may signal us.
    let signals = Signals::listen().map_err(|error| other("cannot listen for signals", &error))?;
    let (meta, lock) = take(&dir, Duration::ZERO)?;
    let pty = Pty::open(meta.size)?;
    let subject = subject(&dir, &meta, Epoch(1), meta.size);
    let terminal = Terminal::new(meta.size, HISTORY);
    let screen = terminal.snapshot(SnapshotForm::Full { history: 0 });
    let child = pty.start(&meta, inherited)?;
    let listener = Listener::bind(&dir).map_err(|error| {
        child.kill();
        other("cannot make the socket", &error)
    })?;
    let beginning = Beginning {
        at: Offset(0),
        tape: Tape::new(Offset(0)),
        terminal,
        subject,
        opening: Opening::Fresh { screen },
        gaps: 0,
        pty,
        child,
        listener,
        signals,
        lock,
        started_at: Timestamp::now(),
    };
    beginning.host(dir, meta).map_err(|error| other("cannot start", &error))
}

/// Takes up the child of a host that was killed. The screen comes from the recording; the epoch grows, since viewers
/// may have seen what was never recorded.
fn adopt(dir: WorkerDir, child: Pid, starter: &UnixStream) -> Result<Host, StartFailure> {
    let (terminal, pidfd) =
        receive_descriptors(starter).map_err(|error| other("nothing was handed over", &error))?;
    let signals = Signals::listen().map_err(|error| other("cannot listen for signals", &error))?;
    let (meta, lock) = take(&dir, SEALING)?;
    let pty = Pty::around(terminal).map_err(|error| other("cannot take up the PTY", &error.into()))?;
    let listener = Listener::bind(&dir).map_err(|error| other("cannot make the socket", &error))?;
    let reopened = Writer::reopen(&dir.recording()).unwrap_or_else(|error| {
        log::line(&format!("cannot read the recording: {error}"));
        None
    });
    let (at, epoch, recorded_size) = match &reopened {
        Some(Reopened { at, epoch, size, .. }) => (*at, *epoch, *size),
        None => (Offset(0), Epoch(1), meta.size),
    };
    let epoch = epoch.next();
    // The last change of size may not have been recorded any more.
    let size = pty.size().unwrap_or(recorded_size);
    let tape = Tape::new(at);
    let rebuild = Rebuild::new(dir.recording(), Arc::new(RwLock::new(Tape::new(at))), size);
    let terminal = rebuild.terminal();
    let subject = subject(&dir, &meta, epoch, size);
    let opening = match reopened {
        Some(Reopened { writer: Some(mut writer), .. }) => {
            let time = recorder::now_us();
            let marked = writer.gap(at, time, None).and_then(|()| writer.epoch(at, time, epoch));
            let marked = marked.and_then(|()| writer.resize(at, time, size));
            marked.map_or_else(Opening::Failed, |()| Opening::Going(writer))
        }
        _ => Opening::AfterDeath { screen: terminal.snapshot(SnapshotForm::Full { history: 0 }) },
    };
    log::line(&format!("adopted child {} after {at} bytes, epoch {}", child.as_raw_nonzero(), epoch.0));
    let beginning = Beginning {
        at,
        tape,
        terminal,
        subject,
        opening,
        gaps: 1,
        pty,
        child: Child::take_up(child, pidfd),
        listener,
        signals,
        lock,
        started_at: meta.started_at,
    };
    beginning.host(dir, meta).map_err(|error| other("cannot start", &error))
}

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
        let program: ProgramReport = answer::program(&terminal);
        let rebuild = Rebuild::new(dir.recording(), Arc::clone(&tape), size);
        let epoch = subject.epoch;
        let sealing = Sealing::new(dir.clone(), self.child.pid);
        let recorder =
            Recorder::start(subject, sealing, opening, gaps, at, Arc::clone(&tape), Arc::clone(&board))?;
        let follower =
            Follower::start(terminal, at, Arc::clone(&tape), Arc::clone(&board), recorder.thread(), rebuild)?;
        let (events, timer) = run::events()?;
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
            input: Input::default(),
            size,
            resized_at: Offset(0),
            resizes: 0,
            life: Life::Live,
            reading: Reading::On,
            pty_awaited: EventFlags::IN,
            tape,
            board,
            follower,
            recorder,
            program,
            recording: RecordingReport { gaps, ..RecordingReport::default() },
            model_failures: 0,
            listener: self.listener,
            viewers: Viewers::default(),
            requests: Vec::new(),
            next_ticket: 0,
            model_awaited: None,
            upgrading: None,
            somebody_left: false,
            mentioned: false,
            recorder_left_behind: false,
            spare: File::open("/dev/null").ok(),
            events,
            timer,
            timer_at: None,
            signals: self.signals,
            chunk: Vec::new(),
        })
    }
}

/// Makes sure that nobody else runs the worker, and writes down that we do.
fn take(dir: &WorkerDir, patience: Duration) -> Result<(Meta, File), StartFailure> {
    let meta = dir.meta().map_err(|error| other("cannot read what was asked for", &error))?;
    let lock = dir.lock_within(patience).map_err(|error| other("cannot take the lock", &error))?;
    let lock = lock.ok_or(StartFailure::AlreadyHosted)?;
    let identity =
        Identity::own().ok_or(StartFailure::Other { reason: "/proc does not say who we are".into() })?;
    if let Err(error) = dir.write_identity(&lock, &identity) {
        log::line(&format!("cannot write down who we are: {error}"));
    }
    Ok((meta, lock))
}

/// What the recording is of.
pub(crate) fn subject(dir: &WorkerDir, meta: &Meta, epoch: Epoch, size: TermSize) -> Subject {
    Subject { dir: dir.clone(), epoch, size, most_bytes: meta.recording_bytes }
}

/// The PTY and the child's descriptor, from whoever held the lease.
fn receive_descriptors(starter: &UnixStream) -> io::Result<(OwnedFd, OwnedFd)> {
    starter.set_read_timeout(Some(HANDOVER))?;
    let mut byte = [0];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut into = [io::IoSliceMut::new(&mut byte)];
    recvmsg(starter, &mut into, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    starter.set_read_timeout(None)?;
    let descriptors: Vec<OwnedFd> = ancillary
        .drain()
        .filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
            _ => None,
        })
        .flatten()
        .collect();
    let [terminal, pidfd] =
        <[OwnedFd; 2]>::try_from(descriptors).map_err(|_| io::Error::other("no descriptors"))?;
    Ok((terminal, pidfd))
}

fn other(what: &str, error: &io::Error) -> StartFailure {
    StartFailure::Other { reason: format!("{what}: {error}") }
}
