//! Becoming a host: fresh, in place of one that was killed, or as the program that a host becomes.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use home::{Identity, Meta, Report, StartFailure, WorkerDir};
use jiff::Timestamp;
use model::{Epoch, Offset, TermSize};
use rustix::process::Pid;
use terminal::{SnapshotForm, Terminal};

use crate::detach;
use crate::follower::HISTORY;
use crate::host::Host;
use crate::listener::Listener;
use crate::log;
use crate::pty::Pty;
use crate::recorder::{Opening, Subject};
use crate::run::Signals;
use crate::tape::Tape;
use crate::upgrade;
use crate::viewer;

mod adopt;
mod beginning;

use adopt::adopt;
pub(crate) use beginning::Beginning;

/// What a host is started as.
enum Start {
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
    let start_as = match words[..] {
        [_, "--adopt", child] => {
            child.parse().ok().and_then(Pid::from_raw).map(|child| Start::Adopting { child })
        }
        [] => None,
        _ => Some(Start::Fresh),
    };
    let dir = arguments.first().map(PathBuf::from).and_then(|path| WorkerDir::at(&path));
    let (Some(dir), Some(start_as)) = (dir, start_as) else {
        eprintln!("error: abide starts `abide-host` itself");
        eprintln!("hint: start a worker with `abide new`");
        return ExitCode::from(2);
    };
    let (mut starter, inherited) = match detach::leave(dir.path()) {
        Ok(left) => left,
        Err(error) => {
            log::line(&format!("cannot detach from the parent process: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let started = match start_as {
        Start::Fresh => start(dir, inherited),
        Start::Adopting { child } => adopt(dir, child, &starter),
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
            log::line(&format!("the host failed: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// The last step that can fail while the starter waits for the report.
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
        log::line(&format!("cannot serve the process that started this worker: {error}"));
    }
    for viewer in host.viewers.iter_mut() {
        viewer.role = viewer::Role::Starting;
    }
    host.run()
}

fn report(starter: &mut UnixStream, report: &Report) {
    let mut line = serde_json::to_vec(report).unwrap_or_default();
    line.push(b'\n');
    // A starter that does not wait for the report does not need it.
    let _ = starter.write_all(&line);
}

fn start(dir: WorkerDir, inherited: detach::Inherited) -> Result<Host, StartFailure> {
    // A process that reads our identity may signal us.
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

/// Makes sure that no other host runs the worker, and writes down that this one does.
fn take(dir: &WorkerDir, patience: Duration) -> Result<(Meta, File), StartFailure> {
    let meta = dir.meta().map_err(|error| other("cannot read meta.json", &error))?;
    let lock = dir.lock_within(patience).map_err(|error| other("cannot take the lock", &error))?;
    let lock = lock.ok_or(StartFailure::AlreadyHosted)?;
    let identity = Identity::own()
        .ok_or(StartFailure::Other { reason: "the system does not say when this process started".into() })?;
    if let Err(error) = dir.write_identity(&lock, &identity) {
        log::line(&format!("cannot write the identity of this process: {error}"));
    }
    Ok((meta, lock))
}

/// What the recording is of.
pub(crate) fn subject(dir: &WorkerDir, meta: &Meta, epoch: Epoch, size: TermSize) -> Subject {
    Subject { dir: dir.clone(), epoch, size, most_bytes: meta.recording_bytes }
}

fn other(what: &str, error: &io::Error) -> StartFailure {
    StartFailure::Other { reason: format!("{what}: {error}") }
}
