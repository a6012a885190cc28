//! A host in place of one that was killed.

use std::io::{self};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use home::{StartFailure, WorkerDir};
use model::{Epoch, Offset};
use recording::{Reopened, Writer};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::Pid;
use terminal::SnapshotForm;

use super::{Beginning, other, subject, take};
use crate::follower::Rebuild;
use crate::host::Host;
use crate::listener::Listener;
use crate::log;
use crate::pty::{Child, Pty};
use crate::recorder::{self, Opening};
use crate::run::Signals;
use crate::tape::Tape;

/// Another process may be sealing the recording of a host that was killed. It is done by then.
const SEALING: Duration = Duration::from_secs(10);

/// How long the starter may take to hand over what a killed host left.
const HANDOVER: Duration = Duration::from_secs(10);

/// Takes up the child of a host that was killed. The screen comes from the recording; the epoch grows, since viewers
/// may have seen output that was never recorded.
pub(super) fn adopt(dir: WorkerDir, child: Pid, starter: &UnixStream) -> Result<Host, StartFailure> {
    let (terminal, process) =
        receive_descriptors(starter).map_err(|error| other("no descriptors were handed over", &error))?;
    let signals = Signals::listen().map_err(|error| other("cannot listen for signals", &error))?;
    let (meta, lock) = take(&dir, SEALING)?;
    let pty = Pty::around(terminal).map_err(|error| other("cannot take over the PTY", &error.into()))?;
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
        child: Child::take_up(child, process),
        listener,
        signals,
        lock,
        started_at: meta.started_at,
    };
    beginning.host(dir, meta).map_err(|error| other("cannot start", &error))
}

/// The PTY and the child's descriptor, from the process that held the lease.
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
    let [terminal, process] =
        <[OwnedFd; 2]>::try_from(descriptors).map_err(|_| io::Error::other("no descriptors"))?;
    Ok((terminal, process))
}
