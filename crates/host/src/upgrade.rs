//! Becoming another program without anybody noticing.
//!
//! The PTY, the child, the socket and every viewer's connection stay open through the exec; what is in memory goes
//! through a file in memory. Exec cannot be undone, so the new program first proves on the real state that it can
//! read it.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use home::WorkerDir;
use jiff::Timestamp;
use model::{Epoch, Offset, TermSize};
use protocol::{HostMessage, Refusal, Refused, ViewerId};
use recording::{Reopened, Writer};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, PidfdFlags, geteuid, pidfd_open};
use serde::{Deserialize, Serialize};
use terminal::{SnapshotForm, Terminal};

use crate::detach;
use crate::input::Input;
use crate::leaving::Life;
use crate::listener::Listener;
use crate::log;
use crate::pty::{Child, Pty};
use crate::publish::Reading;
use crate::rebuild::HISTORY;
use crate::recorder::Opening;
use crate::run::{Host, Signals};
use crate::sealing;
use crate::start::{Beginning, subject};
use crate::tape::Tape;
use crate::told::Snapshot;
use crate::typists::Typists;
use crate::viewer::{Feed, Role, Ticket, Viewer, Watching};

/// The version of the state's shape. A program that does not know it says so in its probe.
const FORMAT: u32 = 1;

/// How long the model and the recorder have to finish what there is. The child waits meanwhile.
const SETTLING: Duration = Duration::from_secs(5);

/// How long a new program has to read the state.
const PROBING: Duration = Duration::from_secs(10);

/// No program that can read the state says more.
const MOST_SAID_BYTES: u64 = 4096;

/// What the new program says when it can read the state.
const FIT: &str = "fit";

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
    /// Nothing is read any more; the model and the recorder finish what there is.
    Settling { ticket: Ticket, since: Instant, screen: Option<Arc<Snapshot>>, recorded: bool },
}

/// Everything in memory but the screen and the tape, which follow it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct State {
    format: u32,
    dir: PathBuf,
    epoch: Epoch,
    at: Offset,
    size: TermSize,
    resized_at: Offset,
    started_at: Timestamp,
    printed_at: Option<Timestamp>,
    gaps: u64,
    next_viewer: u64,
    child_pid: i32,
    input: Vec<u8>,
    model_failures: u64,
    owner: Option<ViewerId>,
    asked_by: ViewerId,
    descriptors: Descriptors,
    viewers: Vec<ViewerState>,
    #[serde(default)]
    typists: Typists,
    screen_bytes: usize,
    tape_bytes: usize,
}

#[derive(Serialize, Deserialize)]
struct Descriptors {
    terminal: RawFd,
    child: RawFd,
    listener: RawFd,
    lock: RawFd,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ViewerState {
    id: ViewerId,
    descriptor: RawFd,
    role: RoleState,
    unfinished: Vec<u8>,
    unsent: Vec<u8>,
    typed_bytes: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum RoleState {
    Asking,
    Leasing,
    #[serde(rename_all = "camelCase")]
    Watching {
        name: String,
        read_only: bool,
        /// Lines of history in a full snapshot; nothing for one of the screen.
        history: Option<usize>,
        events: bool,
        size: Option<TermSize>,
        acked: Option<Offset>,
        drawn: Offset,
        /// Output goes on here; if nowhere, the screen is drawn anew.
        live_at: Option<Offset>,
        #[serde(default)]
        quiet: bool,
        since: Timestamp,
        active: u64,
        resyncs: u64,
        #[serde(default)]
        typist: Option<String>,
    },
}

impl Host {
    /// Somebody wants us to become another program.
    pub(crate) fn begin_upgrade(&mut self, id: ViewerId, upgrade: protocol::Upgrade) -> io::Result<()> {
        let program = PathBuf::from(upgrade.program);
        if self.upgrading.is_some() || !matches!(self.life, Life::Live) {
            let why = "another upgrade is under way, or the worker is about to end";
            return self.refuse_upgrade(id, why.into());
        }
        if let Err(why) = is_trustworthy(&program) {
            return self.refuse_upgrade(id, why);
        }
        let ticket = self.ask_for_all();
        let stage = Stage::Drawing { ticket, since: Instant::now() };
        self.upgrading = Some(Upgrading { asked_by: id, program, stage });
        Ok(())
    }

    fn refuse_upgrade(&mut self, id: ViewerId, why: String) -> io::Result<()> {
        log::line(&format!("not upgraded: {why}"));
        self.say(id, &HostMessage::Refused(Refused { code: Refusal::Upgrade, message: why }))
    }

    fn ask_for_all(&mut self) -> Ticket {
        self.next_ticket += 1;
        let ticket = Ticket(self.next_ticket);
        self.follower.snapshot(self.end(), SnapshotForm::Full { history: usize::MAX }, ticket, false);
        ticket
    }

    /// A screen was drawn; true if it was for the upgrade.
    pub(crate) fn settle_upgrade(&mut self, snapshot: &Arc<Snapshot>) -> io::Result<bool> {
        let Some(upgrading) = &mut self.upgrading else { return Ok(false) };
        match &mut upgrading.stage {
            Stage::Drawing { ticket, .. } if *ticket == snapshot.ticket => {
                upgrading.stage = Stage::Probing { since: Instant::now() };
                if let Err(error) = self.probe(snapshot) {
                    self.give_up_upgrade(&format!("the new program cannot be probed: {error}"))?;
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
    fn probe(&mut self, snapshot: &Snapshot) -> io::Result<()> {
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
    fn become_if_settled(&mut self) -> io::Result<()> {
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

    /// All goes on as it was, and whoever asked is told why.
    pub(crate) fn give_up_upgrade(&mut self, why: &str) -> io::Result<()> {
        let Some(upgrading) = self.upgrading.take() else { return Ok(()) };
        if self.reading == Reading::HeldByUpgrade {
            self.hold(Reading::On)?;
        }
        self.refuse_upgrade(upgrading.asked_by, why.to_owned())
    }

    /// Comes back only when it failed.
    fn exec(&self, program: &Path, state: &File) -> io::Error {
        let kept: Vec<BorrowedFd<'_>> =
            [self.pty.as_fd(), self.child.as_fd(), self.listener.as_fd(), self.lock.as_fd(), state.as_fd()]
                .into_iter()
                .chain(self.viewers.iter().map(AsFd::as_fd))
                .collect();
        // Whoever is started while these are open would inherit them.
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

    /// Everything in memory, in a file in memory.
    fn save(&self, screen: &[u8], asked_by: ViewerId) -> io::Result<File> {
        let tape = self.tape();
        let last = Host::last_of_tape(&tape);
        let state = State {
            format: FORMAT,
            dir: self.dir.path().to_owned(),
            epoch: self.epoch,
            at: tape.end(),
            size: self.size,
            resized_at: self.resized_at,
            started_at: self.started_at,
            printed_at: self.printed_at,
            gaps: self.recording.gaps,
            next_viewer: self.viewers.next_id(),
            child_pid: self.child.pid.as_raw_nonzero().get(),
            input: self.input.waiting(),
            model_failures: self.model_failures,
            owner: self.viewers.owner,
            asked_by,
            descriptors: Descriptors {
                terminal: self.pty.as_fd().as_raw_fd(),
                child: self.child.as_fd().as_raw_fd(),
                listener: self.listener.as_fd().as_raw_fd(),
                lock: self.lock.as_raw_fd(),
            },
            viewers: self.viewers.iter().filter_map(ViewerState::of).collect(),
            typists: self.viewers.typists.clone(),
            screen_bytes: screen.len(),
            tape_bytes: last.len(),
        };
        let mut file = File::from(memfd_create("state", MemfdFlags::CLOEXEC)?);
        let json = serde_json::to_vec(&state)?;
        file.write_all(&(json.len() as u64).to_le_bytes())?;
        file.write_all(&json)?;
        file.write_all(screen)?;
        file.write_all(&last)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }
}

impl ViewerState {
    /// A viewer in the middle of a snapshot is not taken along: it connects again, which is simpler than halves.
    fn of(viewer: &Viewer) -> Option<ViewerState> {
        let role = match &viewer.role {
            Role::Asking => RoleState::Asking,
            Role::Leasing => RoleState::Leasing,
            Role::Watching(watching) => RoleState::Watching {
                name: watching.name.clone(),
                read_only: watching.read_only,
                history: match watching.form {
                    SnapshotForm::Full { history } => Some(history),
                    SnapshotForm::Screen => None,
                },
                events: watching.events,
                size: watching.size,
                acked: watching.acked,
                drawn: watching.drawn,
                live_at: match watching.feed {
                    Feed::Live { at } => Some(at),
                    Feed::Behind | Feed::Waiting { .. } | Feed::Quiet => None,
                    Feed::Drawing { sent: 0, .. } => None,
                    Feed::Drawing { .. } => return None,
                },
                quiet: matches!(watching.feed, Feed::Quiet),
                since: watching.since,
                active: watching.active,
                resyncs: watching.resyncs,
                typist: watching.typist.clone(),
            },
        };
        Some(ViewerState {
            id: viewer.id,
            descriptor: viewer.as_fd().as_raw_fd(),
            role,
            unfinished: viewer.unfinished().to_vec(),
            unsent: viewer.unsent().to_vec(),
            typed_bytes: viewer.typed_bytes,
        })
    }

    fn viewer(self) -> io::Result<Viewer> {
        let role = match self.role {
            RoleState::Asking => Role::Asking,
            RoleState::Leasing => Role::Leasing,
            RoleState::Watching {
                name,
                read_only,
                history,
                events,
                size,
                acked,
                drawn,
                live_at,
                quiet,
                since,
                active,
                resyncs,
                typist,
            } => Role::Watching(Watching {
                name,
                read_only,
                form: history.map_or(SnapshotForm::Screen, |history| SnapshotForm::Full { history }),
                events,
                size,
                acked,
                drawn,
                feed: match live_at {
                    _ if quiet => Feed::Quiet,
                    Some(at) => Feed::Live { at },
                    None => Feed::Behind,
                },
                since,
                active,
                resyncs,
                redraw: false,
                was_too_late: false,
                told_exit: false,
                typist,
            }),
        };
        let stream = UnixStream::from(detach::take_up(self.descriptor)?);
        let mut viewer = Viewer::resume(self.id, stream, role, &self.unfinished, self.unsent);
        viewer.typed_bytes = self.typed_bytes;
        Ok(viewer)
    }
}

/// Whether we may become this program: it is the user's or root's, and nobody else can change it.
fn is_trustworthy(program: &Path) -> Result<(), String> {
    let name = program.display();
    if !program.is_absolute() {
        return Err(format!("`{name}` is not an absolute path"));
    }
    let file = fs::metadata(program).map_err(|error| format!("cannot look at `{name}`: {error}"))?;
    let is_ours = file.uid() == geteuid().as_raw() || file.uid() == 0;
    if !file.is_file() || !is_ours || file.mode() & 0o022 != 0 {
        return Err(format!("`{name}` is not a program that only you or root can change"));
    }
    Ok(())
}

/// Runs the new program on the state, and hears what it says.
fn run_probe(program: &Path, state: File) -> Result<(), String> {
    let name = program.display();
    let cannot = |error: io::Error| format!("cannot run `{name}`: {error}");
    let mut command = Command::new(program);
    command.args(["host", "--probe"]).stdin(Stdio::from(state)).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut probe = command.spawn().map_err(cannot)?;
    let pidfd = pidfd_open(Pid::from_child(&probe), PidfdFlags::empty());
    let wait = Timespec::try_from(PROBING).ok();
    let ended = pidfd.is_ok_and(|pidfd| {
        poll(&mut [PollFd::new(&pidfd, PollFlags::IN)], wait.as_ref()).is_ok_and(|ready| ready > 0)
    });
    if !ended {
        let _ = probe.kill();
    }
    let status = probe.wait().map_err(cannot)?;
    let mut said = Vec::new();
    if let Some(output) = probe.stdout.take() {
        // Somebody it started may hold the pipe open and say nothing; it has ended, so nobody waits for that.
        rustix::io::ioctl_fionbio(&output, true).map_err(|error| cannot(error.into()))?;
        let _ = output.take(MOST_SAID_BYTES).read_to_end(&mut said);
    }
    let said = String::from_utf8_lossy(&said);
    if status.success() && said.trim() == FIT {
        Ok(())
    } else {
        Err(format!("`{name}` cannot read our state: {}", model::display_safe(said.trim())))
    }
}

/// `host --probe`: says whether this program could take over the state on standard input.
pub(crate) fn probe() -> ExitCode {
    let read = read_state(&mut io::stdin().lock()).and_then(|(state, screen, _)| {
        WorkerDir::at(&state.dir).ok_or(io::ErrorKind::NotFound)?.meta()?;
        Ok(terminal(state.size, &screen).size() == state.size)
    });
    match read {
        Ok(true) => {
            println!("{FIT}");
            ExitCode::SUCCESS
        }
        Ok(false) => {
            println!("the screen is another");
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn read_state(file: &mut impl Read) -> io::Result<(State, Vec<u8>, Vec<u8>)> {
    let mut length = [0; 8];
    file.read_exact(&mut length)?;
    let mut json = Vec::new();
    file.by_ref().take(u64::from_le_bytes(length)).read_to_end(&mut json)?;
    let state: State = serde_json::from_slice(&json)?;
    if state.format != FORMAT {
        return Err(io::Error::other(format!("state of format {}, not {FORMAT}", state.format)));
    }
    let mut screen = vec![0; state.screen_bytes];
    file.read_exact(&mut screen)?;
    let mut tape = vec![0; state.tape_bytes];
    file.read_exact(&mut tape)?;
    Ok((state, screen, tape))
}

/// The terminal that a snapshot stands for. Its answers are dropped: nobody asked.
fn terminal(size: TermSize, screen: &[u8]) -> Terminal {
    let mut terminal = Terminal::new(size, HISTORY);
    terminal.feed(screen);
    terminal.take_replies();
    terminal.take_signals();
    terminal
}

/// `host --resume FD`: goes on as the host that we were.
pub(crate) fn resume(state: &str) -> io::Result<()> {
    let descriptor: RawFd = state.parse().map_err(|_| io::Error::other("no descriptor"))?;
    let mut file = File::from(detach::take_up(descriptor)?);
    let (state, screen, tape) = read_state(&mut file)?;
    drop(file);
    let kept: Vec<RawFd> = [
        state.descriptors.terminal,
        state.descriptors.child,
        state.descriptors.listener,
        state.descriptors.lock,
    ]
    .into_iter()
    .chain(state.viewers.iter().map(|viewer| viewer.descriptor))
    .collect();
    detach::resume(&kept);
    resumed(state, &screen, &tape)?.run()
}

fn resumed(state: State, screen: &[u8], last: &[u8]) -> io::Result<Host> {
    let gone = || io::Error::other("what was there before the upgrade is gone");
    let dir = WorkerDir::at(&state.dir).ok_or_else(gone)?;
    let meta = dir.meta()?;
    let subject = subject(&dir, &meta, state.epoch, state.size);
    sealing::reap_left(Pid::from_raw(state.child_pid).ok_or_else(gone)?);
    let opening = match Writer::reopen(&dir.recording()) {
        Ok(Some(Reopened { at, writer: Some(writer), .. })) if at == state.at => Opening::Going(writer),
        // Somebody took it away, or the disk had failed: another segment begins with the screen.
        Ok(_) => Opening::Fresh { screen: screen.to_vec() },
        Err(error) => Opening::Failed(error),
    };
    let mut tape = Tape::new(Offset(state.at.0 - last.len() as u64));
    tape.append(last);
    let beginning = Beginning {
        at: state.at,
        tape,
        terminal: terminal(state.size, screen),
        subject,
        opening,
        gaps: state.gaps,
        pty: Pty::around(detach::take_up(state.descriptors.terminal)?)?,
        child: Child::take_up(
            Pid::from_raw(state.child_pid).ok_or_else(gone)?,
            detach::take_up(state.descriptors.child)?,
        ),
        listener: Listener::resume(detach::take_up(state.descriptors.listener)?),
        signals: Signals::listen()?,
        lock: File::from(detach::take_up(state.descriptors.lock)?),
        started_at: state.started_at,
    };
    let mut host = beginning.host(dir, meta)?;
    host.input = Input::resume(state.input);
    host.resized_at = state.resized_at;
    host.model_failures = state.model_failures;
    host.printed_at = state.printed_at;
    host.viewers.go_on_from(state.next_viewer);
    for viewer in state.viewers {
        host.viewers.resume(viewer.viewer()?);
    }
    host.viewers.owner = state.owner;
    let here = host.viewers.ids();
    host.viewers.typists = state.typists;
    host.viewers.typists.keep_viewers(|id| here.contains(&id));
    host.register()?;
    log::line(&format!("went on as release {} after {} bytes", env!("CARGO_PKG_VERSION"), state.at));
    let report = HostMessage::Status(Box::new(host.status()));
    host.say(state.asked_by, &report)?;
    host.await_pty()?;
    host.pump_every()?;
    Ok(host)
}
