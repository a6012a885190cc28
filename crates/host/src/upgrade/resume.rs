//! Going on as the host that this process was before the upgrade.

use std::fs::File;
use std::io;
use std::os::fd::RawFd;

use home::WorkerDir;
use model::{Offset, TermSize};
use protocol::HostMessage;
use recording::{Reopened, Writer};
use rustix::process::Pid;
use terminal::Terminal;

use super::state::{State, read_state};
use crate::detach;
use crate::follower::HISTORY;
use crate::host::Host;
use crate::input::Input;
use crate::listener::Listener;
use crate::log;
use crate::pty::{Child, Pty};
use crate::recorder::Opening;
use crate::run::Signals;
use crate::sealing;
use crate::start::{Beginning, subject};
use crate::tape::Tape;

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
    let gone = || io::Error::other("the state from before the upgrade is gone");
    let dir = WorkerDir::at(&state.dir).ok_or_else(gone)?;
    let meta = dir.meta()?;
    let subject = subject(&dir, &meta, state.epoch, state.size);
    sealing::reap_left(Pid::from_raw(state.child_pid).ok_or_else(gone)?);
    let opening = match Writer::reopen(&dir.recording()) {
        Ok(Some(Reopened { at, writer: Some(writer), .. })) if at == state.at => Opening::Going(writer),
        // Its file was removed, or the disk had failed: another segment begins with the screen.
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
    host.input = Input::resume(state.input, state.input_pieces);
    host.resized_at = state.resized_at;
    host.model_failures = state.model_failures;
    host.printed_at = state.printed_at;
    host.prompt = state.prompt;
    host.viewers.go_on_from(state.next_viewer);
    let mut want_rows = Vec::new();
    for viewer in state.viewers {
        if viewer.wants_rows {
            want_rows.push(viewer.id);
        }
        host.viewers.resume(viewer.viewer()?);
    }
    host.viewers.owner = state.owner;
    let here = host.viewers.ids();
    host.viewers.typists = state.typists;
    host.viewers.typists.keep_viewers(|id| here.contains(&id));
    host.register()?;
    log::line(&format!("upgraded to release {} after {} bytes", env!("CARGO_PKG_VERSION"), state.at));
    let report = HostMessage::Status(Box::new(host.status()));
    host.say(state.asked_by, &report)?;
    want_rows.into_iter().for_each(|id| host.ask_for_rows(id));
    host.await_pty()?;
    host.pump_viewers()?;
    Ok(host)
}

/// The terminal that a snapshot stands for. Its answers are dropped: no program asked now.
pub(super) fn terminal(size: TermSize, screen: &[u8]) -> Terminal {
    let mut terminal = Terminal::new(size, HISTORY);
    terminal.feed(screen);
    terminal.take_replies();
    terminal.take_signals();
    terminal
}
