//! Starting a host, and hearing from it whether it could.

use std::ffi::OsString;
use std::io::{self, IoSlice, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use jiff::Timestamp;
use model::{MaskPolicy, SessionId, SizePolicy, TermSize, WorkerId, WorkerName};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::environment::child_environment;
use crate::meta::{Meta, Session};
use crate::private::PrivateError;
use crate::root::{Home, HomeError};
use crate::worker_dir::WorkerDir;

/// A host that has said nothing for so long never will.
const SILENCE: Duration = Duration::from_secs(30);

/// No host reports more than this.
const REPORT_BYTES: usize = 64 << 10;

/// A worker to be started.
#[derive(Debug)]
pub struct NewWorker {
    /// Its id, if the caller has chosen and stored one; by default a new one.
    pub id: Option<WorkerId>,
    /// The session it belongs to; if nothing is said, a quick one of its own.
    pub session: Option<Session>,
    /// The agent that it is, by its definition's id.
    pub agent: Option<String>,
    /// What to call it; if nothing is said, after its program.
    pub name: Option<WorkerName>,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Where it starts.
    pub cwd: PathBuf,
    /// How large its terminal is at first.
    pub size: TermSize,
    /// Who decides on that later.
    pub size_policy: SizePolicy,
    /// How long it has to end by itself before it is forced.
    pub grace_ms: u64,
    /// How large its recording may become.
    pub recording_bytes: u64,
    /// Whether it is masked when it comes to rest.
    pub mask: MaskPolicy,
    /// The environment of the caller.
    pub environment: Vec<(OsString, OsString)>,
    /// The settings that make the agent run hooks of ours, as they stand in a file of the worker's directory.
    pub hook_settings: Option<Vec<u8>>,
    /// Variables that the child gets in place of those of the environment.
    pub variables: Vec<(OsString, OsString)>,
    /// Whether a shell is to mark its prompts, its commands and its directory.
    pub shell_integration: bool,
    /// The program that hosts are, and whether to ask the service manager for a scope of its own.
    pub program: PathBuf,
    /// Whether to start outside the caller's control group where there is a service manager.
    pub scope: bool,
}

/// A host that runs.
#[derive(Debug)]
pub struct Started {
    /// Which worker it runs.
    pub dir: WorkerDir,
    /// The command.
    pub meta: Meta,
    /// A connection to it that was there before the child was: its first viewer misses nothing.
    pub stream: UnixStream,
    /// Its process, for starters who stay.
    pub process: Child,
}

/// What a host inherits from one that was killed.
#[derive(Clone, Copy, Debug)]
pub struct Adopted<'a> {
    /// The PTY.
    pub pty: BorrowedFd<'a>,
    /// The child's descriptor.
    pub child: BorrowedFd<'a>,
    /// The child's number.
    pub child_pid: u32,
}

/// The first and only line that a host writes to its starter.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Report {
    /// The child runs, the socket listens.
    Ready,
    /// There will be no worker, and this is why.
    Failed(StartFailure),
}

/// Why a host could not start its child.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum StartFailure {
    /// There is no such program.
    #[error("there is no command `{command}`")]
    CommandNotFound {
        /// The command.
        command: String,
    },
    /// The program may not be run, or cannot be.
    #[error("cannot run `{command}`: {reason}")]
    CommandUnfit {
        /// The command.
        command: String,
        /// The system's words.
        reason: String,
    },
    /// The directory it should start in is not there, or is none.
    #[error("cannot start in `{directory}`: {reason}")]
    Directory {
        /// Where it should start.
        directory: String,
        /// The system's words.
        reason: String,
    },
    /// The machine has no PTY left.
    #[error("the machine has no PTY left: {reason}")]
    NoPty {
        /// The system's words.
        reason: String,
    },
    /// Another host runs the worker already.
    #[error("the worker has a host already")]
    AlreadyHosted,
    /// Something else.
    #[error("{reason}")]
    Other {
        /// What.
        reason: String,
    },
}

/// Why there is no new worker.
#[derive(Debug, Error)]
pub enum StartError {
    /// Another worker has the name.
    #[error("there is a worker `{0}` already")]
    NameTaken(WorkerName),
    /// The data directory cannot be used.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The worker's directory cannot be used.
    #[error(transparent)]
    Private(#[from] PrivateError),
    /// The disk refuses.
    #[error("cannot write the worker's meta.json")]
    Disk(#[source] io::Error),
    /// The machine has no randomness for an id.
    #[error("cannot get random bytes from the kernel")]
    Random(#[source] io::Error),
    /// The host's process cannot be started.
    #[error("cannot start `{}`", program.display())]
    Spawn {
        /// The program that hosts are.
        program: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The host said why not.
    #[error(transparent)]
    Failed(StartFailure),
    /// What the host says cannot be heard.
    #[error("cannot read the host's report: {0}")]
    Unheard(io::Error),
    /// The host left without a word.
    #[error("the host ended without giving a reason; its log: {log}")]
    Silent {
        /// The last of its log.
        log: String,
    },
}

/// Starts a worker. When it fails, nothing of it is left.
///
/// # Errors
///
/// See [`StartError`].
pub fn start(home: &Home, new: NewWorker) -> Result<Started, StartError> {
    let program = new.command.first().map_or("", String::as_str);
    let program = program.rsplit('/').next().unwrap_or(program).to_owned();
    start_near(home, new, &program)
}

/// The same; without a name of its own the worker is called after `near`.
///
/// # Errors
///
/// See [`StartError`].
pub fn start_near(home: &Home, new: NewWorker, near: &str) -> Result<Started, StartError> {
    home.make()?;
    let (dir, meta, shell) = write_down(home, &new, near, Timestamp::now())?;
    let variables = shell.into_iter().flat_map(|shell| shell.variables).chain(new.variables);
    let ours = [
        ("ABIDE_WORKER", meta.worker.as_str().into()),
        ("ABIDE_SESSION", meta.session.id().as_str().into()),
        ("ABIDE_HOME", home.root().as_os_str().to_owned()),
        ("PWD", meta.cwd.clone().into_os_string()),
    ];
    let ours = ours.map(|(name, value): (&str, OsString)| (OsString::from(name), value));
    let environment = child_environment(new.environment, ours.into_iter().chain(variables));
    let attempt = |scope: bool| {
        let mut command = host_command(&new.program, &dir, scope);
        command.env_clear().envs(environment.iter().map(|(name, value)| (name, value)));
        let (process, stream) = spawn(command, &new.program, &dir)?;
        wait_for_report(&dir, &stream)?;
        Ok(Started { dir: dir.clone(), meta: meta.clone(), stream, process })
    };
    let started = match attempt(new.scope) {
        // A service manager that refuses is no reason to refuse as well.
        Err(StartError::Spawn { .. } | StartError::Silent { .. }) if new.scope => attempt(false),
        started => started,
    };
    if started.is_err() {
        // If it cannot be removed, every reader skips it: no host runs it, and nothing is recorded.
        let _ = dir.remove();
    }
    started
}

/// Starts a host that takes over the child of one that was killed. Its environment is the caller's: the child has
/// its own since it was started.
///
/// # Errors
///
/// See [`StartError`].
pub fn start_adopting(
    program: &std::path::Path,
    dir: &WorkerDir,
    adopted: Adopted<'_>,
    scope: bool,
) -> Result<Child, StartError> {
    let attempt = |scope: bool| {
        let mut command = host_command(program, dir, scope);
        command.arg("--adopt").arg(adopted.child_pid.to_string());
        let (process, stream) = spawn(command, program, dir)?;
        send_descriptors(&stream, &[adopted.pty, adopted.child]).map_err(StartError::Disk)?;
        wait_for_report(dir, &stream)?;
        Ok(process)
    };
    match attempt(scope) {
        Err(StartError::Spawn { .. } | StartError::Silent { .. } | StartError::Disk(_)) if scope => {
            attempt(false)
        }
        started => started,
    }
}

/// Chooses id and name, and makes the worker's directory. Gives what a shell needs that is to mark.
fn write_down(
    home: &Home,
    new: &NewWorker,
    near: &str,
    started_at: Timestamp,
) -> Result<(WorkerDir, Meta, Option<shells::Start>), StartError> {
    let _lock = home.lock_names().map_err(StartError::Disk)?;
    let mut meta = describe(home, new, near, started_at)?;
    let dir = home.worker(meta.worker);
    dir.make()?;
    let shell = if new.shell_integration {
        shells::start(&new.command, new.variable("ZDOTDIR"), dir.path())
    } else {
        None
    };
    if let Some(shell) = &shell {
        let path = dir.path().join(shell.file);
        files::create_private(&path, shell.script.as_bytes()).map_err(StartError::Disk)?;
        meta.launch = Some(shell.command.clone());
    }
    if let Some(settings) = &new.hook_settings {
        files::create_private(&dir.hook_settings(), settings).map_err(StartError::Disk)?;
    }
    dir.write_meta(&meta).map_err(StartError::Disk)?;
    Ok((dir, meta, shell))
}

impl NewWorker {
    /// What a variable is for the child.
    fn variable(&self, name: &str) -> Option<OsString> {
        let mut given = self.variables.iter().rev().chain(&self.environment);
        given.find(|(given, _)| given == name).map(|(_, value)| value.clone())
    }
}

impl Home {
    /// The name that the caller chose for a new worker, or a free one that is like `near`. The caller holds the lock of
    /// names.
    pub(crate) fn free_name(
        &self,
        chosen: Option<&WorkerName>,
        near: &str,
    ) -> Result<WorkerName, StartError> {
        let workers = self.workers().map_err(StartError::Disk)?;
        match chosen {
            Some(name) if Home::is_taken(&workers, name) => Err(StartError::NameTaken(name.clone())),
            Some(name) => Ok(name.clone()),
            None => {
                let base = WorkerName::near(near);
                let numbered = (2..).map(|number| base.numbered(number));
                let mut names = [base.clone()].into_iter().chain(numbered);
                Ok(names.find(|name| !Home::is_taken(&workers, name)).unwrap_or(base))
            }
        }
    }
}

/// Chooses id and name of a new worker. The caller holds the lock of names.
pub(crate) fn describe(
    home: &Home,
    new: &NewWorker,
    near: &str,
    started_at: Timestamp,
) -> Result<Meta, StartError> {
    let name = home.free_name(new.name.as_ref(), near)?;
    let worker = match new.id {
        Some(id) => id,
        None => WorkerId::from_random(random_bytes()?),
    };
    let session = match &new.session {
        Some(session) => session.clone(),
        None => Session::Quick { id: SessionId::from_random(random_bytes()?) },
    };
    Ok(Meta {
        format: Meta::FORMAT,
        worker,
        name,
        session,
        agent: new.agent.clone(),
        command: new.command.clone(),
        launch: None,
        cwd: new.cwd.clone(),
        size: new.size,
        size_policy: new.size_policy,
        grace_ms: new.grace_ms,
        recording_bytes: new.recording_bytes,
        mask: new.mask,
        started_at,
    })
}

/// Random bytes for an id.
///
/// # Errors
///
/// When the machine has none.
pub fn random_bytes<const N: usize>() -> Result<[u8; N], StartError> {
    system::machine::random_bytes().map_err(StartError::Random)
}

/// Glibc would keep memory for itself that a burst of output needed; a host gives it back instead.
const MEMORY: &[(&str, &str)] =
    &[("MALLOC_ARENA_MAX", "1"), ("MALLOC_MMAP_THRESHOLD_", "32768"), ("MALLOC_TRIM_THRESHOLD_", "65536")];

/// Removes the settings for the host's own memory from a child's environment.
pub fn forget_memory_settings(command: &mut Command) {
    for (name, value) in MEMORY {
        if std::env::var_os(name).is_some_and(|there| there == *value) {
            command.env_remove(name);
        }
    }
}

fn host_command(program: &std::path::Path, dir: &WorkerDir, scope: bool) -> Command {
    let mut command = if scope {
        let mut run = Command::new("systemd-run");
        run.args(["--user", "--scope", "--quiet", "--collect"]);
        run.arg(format!("--description=abide worker {}", dir.id()));
        run.arg("--").arg(program);
        run
    } else {
        Command::new(program)
    };
    command.arg("host").arg(dir.path());
    command
}

fn spawn(
    mut command: Command,
    program: &std::path::Path,
    dir: &WorkerDir,
) -> Result<(Child, UnixStream), StartError> {
    let failed = |source| StartError::Spawn { program: program.to_owned(), source };
    let (ours, theirs) = UnixStream::pair().map_err(failed)?;
    let log = open_log(dir).map_err(StartError::Disk)?;
    let child = command
        .envs(MEMORY.iter().copied())
        .stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .map_err(failed)?;
    Ok((child, ours))
}

fn open_log(dir: &WorkerDir) -> io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    std::fs::OpenOptions::new().create(true).append(true).mode(0o600).custom_flags(flags).open(dir.log())
}

/// Reads the host's first line, byte by byte: what follows it belongs to the viewer.
fn wait_for_report(dir: &WorkerDir, stream: &UnixStream) -> Result<(), StartError> {
    let silent = || StartError::Silent { log: last_of_log(dir) };
    stream.set_read_timeout(Some(SILENCE)).map_err(|_| silent())?;
    let (mut line, mut byte) = (Vec::new(), [0]);
    let mut stream_in = stream;
    while line.len() < REPORT_BYTES {
        match stream_in.read(&mut byte) {
            Ok(1) if byte != *b"\n" => line.extend(byte),
            Ok(_) => break,
            // A read with a deadline is interrupted by every signal.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                return Err(silent());
            }
            Err(error) => return Err(StartError::Unheard(error)),
        }
    }
    stream.set_read_timeout(None).map_err(|_| silent())?;
    match serde_json::from_slice(&line) {
        Ok(Report::Ready) => Ok(()),
        Ok(Report::Failed(failure)) => Err(StartError::Failed(failure)),
        Err(_) => Err(silent()),
    }
}

fn last_of_log(dir: &WorkerDir) -> String {
    let log = std::fs::read_to_string(dir.log()).unwrap_or_default();
    let lines: Vec<&str> = log.lines().rev().take(3).collect();
    let last: Vec<String> = lines.into_iter().rev().map(model::display_safe).collect();
    if last.is_empty() { "(empty)".to_owned() } else { last.join(" / ") }
}

fn send_descriptors(stream: &UnixStream, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
    sendmsg(stream.as_fd(), &[IoSlice::new(b"+")], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}
