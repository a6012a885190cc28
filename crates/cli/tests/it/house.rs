//! A data directory of its own for a test, with real hosts in it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use home::{ExitNote, Home, Identity, WorkerDir};
use protocol::{Attach, Form, HostMessage, StatusReport, VERSION, ViewerMessage};
use recording::SegmentKind;
use rustix::process::{
    Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal,
};
use tempfile::TempDir;
use testkit::WAIT;
use viewer::Connection;

use crate::planted;

/// The program under test.
pub(crate) const ABIDE: &str = env!("CARGO_BIN_EXE_abide");

/// A data directory with the workers that a test started in it. When it goes, they go.
pub(crate) struct House {
    root: PathBuf,
    temporary: Option<TempDir>,
    variables: Vec<(String, String)>,
}

impl House {
    /// An empty one. No keeper runs in it unless a test wants one.
    pub(crate) fn new() -> House {
        let temporary = TempDir::new().expect("a temporary directory");
        let mut house = House::at(temporary.path());
        house.temporary = Some(temporary);
        house
    }

    /// One in a directory that the test made.
    pub(crate) fn at(root: impl Into<PathBuf>) -> House {
        let variables = vec![("ABIDE_KEEPER".into(), "false".into())];
        House { root: root.into(), temporary: None, variables }
    }

    /// One whose workers outlive their hosts.
    pub(crate) fn with_keeper() -> House {
        House::new().setting("ABIDE_KEEPER", "true")
    }

    /// With a variable in the environment of every `abide` that is run.
    pub(crate) fn setting(mut self, name: &str, value: &str) -> House {
        self.variables.retain(|(there, _)| there != name);
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Where everything is.
    pub(crate) fn path(&self) -> &Path {
        &self.root
    }

    /// The same, as `home` sees it.
    pub(crate) fn home(&self) -> Home {
        Home::at(self.path())
    }

    /// `abide` with these arguments, in a clean environment.
    pub(crate) fn command<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(ABIDE);
        self.settle(command.args(arguments));
        command
    }

    /// Gives a command the clean environment of this data directory.
    pub(crate) fn settle(&self, command: &mut Command) {
        command.env_clear().current_dir(self.path());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.path()).env("ABIDE_HOME", self.path()).env("LANG", "C.UTF-8");
        command.env("SHELL", "/bin/sh").env("PS1", "$ ").envs(planted::variables());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
    }

    /// Runs `abide` to its end.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Output {
        self.command(arguments).output().expect("abide runs")
    }

    /// Runs `abide`, which must fail with this code, and gives its words.
    pub(crate) fn refused(&self, arguments: &[&str], code: i32) -> String {
        let output = self.run(arguments);
        let words = String::from_utf8(output.stderr).expect("words");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {words}");
        assert!(words.starts_with("error: ") && words.contains("\nhint: "), "{arguments:?}: {words}");
        words
    }

    /// Runs `abide`, which must succeed, and gives what it printed.
    pub(crate) fn output<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }

    /// Starts a worker with this command.
    pub(crate) fn worker(&self, command: &[&str]) -> Worker {
        self.worker_with(&[], command)
    }

    /// Starts a worker that runs a shell script.
    pub(crate) fn script(&self, script: &str) -> Worker {
        self.worker(&["sh", "-c", script])
    }

    /// Starts a worker that prints the planted secrets, wipes them away, and goes on with a script.
    pub(crate) fn leaky(&self, script: &str) -> Worker {
        self.script(&planted::printing(script))
    }

    /// Starts a worker with further options of `abide new`.
    pub(crate) fn worker_with(&self, options: &[&str], command: &[&str]) -> Worker {
        let arguments = [&["new", "-d"], options, &["--"], command].concat();
        let name = self.output(arguments).trim().to_owned();
        self.called(&name)
    }

    /// The worker of this name.
    pub(crate) fn called(&self, name: &str) -> Worker {
        let found = self.home().worker_called(name).expect("the worker is there");
        Worker { name: name.to_owned(), dir: found.dir }
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let home = self.home();
        if std::thread::panicking() {
            tell_logs(&home);
        }
        // The keeper first, or it would bring back what we kill.
        for identity in keepers(self.path()) {
            let _ = identity.signal(Signal::KILL);
        }
        for dir in home.worker_dirs().unwrap_or_default() {
            let child = viewer::status(&dir.socket()).map(|status| status.child_pid).ok();
            if let Some(identity) = dir.identity() {
                let _ = identity.signal(Signal::KILL);
            }
            if let Some(child) = child.and_then(|pid| Pid::from_raw(pid.cast_signed())) {
                let _ = kill_process_group(child, Signal::KILL);
            }
        }
        if !std::thread::panicking() {
            planted::check(self);
        }
    }
}

/// Shows what hosts and keeper had to say, for whoever looks for the reason of a failure.
fn tell_logs(home: &Home) {
    let logs = home.worker_dirs().unwrap_or_default().into_iter().map(|dir| dir.log());
    for log in logs.chain([home.keeper_log()]) {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        if !text.is_empty() {
            eprintln!("{}:\n{text}", log.display());
        }
    }
}

/// Keepers of this data directory: processes that have it in their environment and are called so.
pub(crate) fn keepers(root: &Path) -> Vec<Identity> {
    let variable = format!("ABIDE_HOME={}", root.display());
    let processes = std::fs::read_dir("/proc").expect("/proc");
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let read = |file: &str| std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let has = |bytes: &[u8], word: &[u8]| bytes.split(|byte| *byte == 0).any(|part| part == word);
        has(&read("cmdline"), b"keeper") && has(&read("environ"), variable.as_bytes())
    })
    .filter_map(Identity::of)
    .collect()
}

/// A worker that a test started.
pub(crate) struct Worker {
    pub(crate) name: String,
    pub(crate) dir: WorkerDir,
}

impl Worker {
    /// What its host tells about itself.
    pub(crate) fn status(&self) -> StatusReport {
        viewer::status(&self.dir.socket()).expect("the host answers")
    }

    /// A connection to its host.
    pub(crate) fn connect(&self) -> Connection {
        Connection::open(&self.dir.socket()).expect("the host listens")
    }

    /// Types something.
    pub(crate) fn send(&self, bytes: &[u8]) {
        let mut connection = self.connect();
        connection.send(&ViewerMessage::Input(bytes.to_vec())).expect("the host listens");
        connection.send(&ViewerMessage::Ping(7)).expect("the host listens");
        let answer = receive(&mut connection);
        assert_eq!(answer, HostMessage::Pong(7), "the input was taken");
    }

    /// Waits until somebody holds its lease, so that its child would survive the host.
    pub(crate) fn wait_for_lease(&self) {
        wait_for("the lease", || viewer::status(&self.dir.socket()).ok().filter(|status| status.leased));
    }

    /// How it ended, once it has and its host has left.
    pub(crate) fn wait_for_exit(&self) -> ExitNote {
        wait_for(&format!("the end of {}", self.name), || {
            let host_left = self.dir.identity().is_none_or(|identity| !identity.is_alive());
            self.dir.exit_note().filter(|_| host_left)
        })
    }

    /// Waits until its recording is at rest: masked and compressed, with nothing left to seal.
    pub(crate) fn wait_for_rest(&self) {
        self.wait_for_exit();
        wait_for(&format!("the recording of {} at rest", self.name), || {
            let recording = recording::Recording::open(&self.dir.recording()).ok()?;
            let segments = recording.segments();
            let at_rest = segments.iter().all(|segment| segment.kind == SegmentKind::Sealed);
            (at_rest && !segments.is_empty()).then_some(())
        });
    }

    /// Kills its host as nothing can be caught, and waits until it is gone.
    pub(crate) fn kill_host(&self) {
        let identity = self.dir.identity().expect("a host");
        assert_eq!(identity.signal(Signal::KILL), Ok(true), "the host runs");
        wait_for("the host's death", || (!identity.is_alive()).then_some(()));
    }

    /// Everything recorded of its output.
    pub(crate) fn recorded(&self) -> Vec<u8> {
        // A host that has just begun has not recorded anything.
        let Ok(recording) = recording::Recording::open(&self.dir.recording()) else { return Vec::new() };
        let blocks = recording.blocks().filter_map(|block| match block.kind {
            recording::BlockKind::Output(bytes) => Some(bytes),
            _ => None,
        });
        blocks.flatten().collect()
    }
}

/// What a viewer asks for that wants everything and changes nothing.
pub(crate) fn watching() -> Attach {
    Attach {
        version: VERSION,
        epoch: None,
        since: None,
        history: 1000,
        form: Form::Full,
        read_only: true,
        size: None,
        ack: false,
        events: false,
        quiet: false,
        typist: None,
        name: "test".into(),
    }
}

/// The next message, which must come.
pub(crate) fn receive(connection: &mut Connection) -> HostMessage {
    match connection.receive_before(Instant::now() + WAIT).expect("the host speaks the protocol") {
        viewer::Received::Message(message) => message,
        other => panic!("no message came: {other:?}"),
    }
}

/// Looks until there is something, with a deadline.
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + WAIT;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what}: not seen within {WAIT:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process runs.
pub(crate) fn is_alive(pid: u32) -> bool {
    Identity::of(pid).is_some()
}

/// Sends a signal to a process that the test knows to be its own.
pub(crate) fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(pid.cast_signed()).expect("a process");
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(pidfd) => pidfd_send_signal(pidfd, signal).expect("the signal is sent"),
        Err(_) => kill_process(pid, signal).expect("the signal is sent"),
    }
}
