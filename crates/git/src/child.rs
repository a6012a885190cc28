//! One run of a program, with limits for its time and its output. It leaves no process behind.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::{Pid, Signal, kill_process_group};
use system::{Process, group};

use crate::stop::Stop;

/// What is kept of the words of a program about its failure; the last are the telling ones.
const MOST_STDERR: usize = 16 << 10;
/// How long git may take to clear up when it is told to end. It removes its lock files in the user's repository then, which
/// takes milliseconds, or many seconds on a busy machine. A git that is killed leaves them, and no other git can work there.
pub const CLEARING_UP: Duration = Duration::from_secs(20);

/// A git with less time than that for its work has less time to clear up, but this much.
const LEAST_CLEARING_UP: Duration = Duration::from_secs(2);
/// As much as a pipe holds.
const CHUNK: usize = 64 << 10;
/// How many chunks are still read when the program is gone. The pipes hold less; a process that left the
/// program's process group could go on writing for ever.
const CHUNKS_AFTER_THE_END: usize = 32;

/// Whether the reader wants more of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    More,
    NoMore,
}

/// How a run ended.
pub(crate) enum End {
    /// By itself.
    Exited(ExitStatus),
    /// By us, because it took too long.
    Deadline,
    /// By us, because the reader had enough.
    Enough,
    /// By us, because the caller asked to stop it.
    Stopped,
}

/// Runs a program to its end, or to the end of our patience, and hands its output to `reader` as it comes.
///
/// It gets a process group of its own. When this returns, every process of that group has ended or was killed. If the
/// program was asked to end, all of them have ended: none still writes.
///
/// # Errors
///
/// When it cannot be started or followed.
pub(crate) fn run(
    mut command: Command,
    deadline: Duration,
    stop: Option<&Stop>,
    reader: &mut dyn FnMut(&[u8]) -> Want,
) -> io::Result<(End, Vec<u8>)> {
    let until = Instant::now() + deadline;
    let child = command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut group = Group::new(child, deadline.clamp(LEAST_CLEARING_UP, CLEARING_UP))?;
    let mut stdout = Pipe::new(group.child.stdout.take().map(OwnedFd::from))?;
    let mut stderr = Pipe::new(group.child.stderr.take().map(OwnedFd::from))?;
    let mut said: Vec<u8> = Vec::new();
    let mut say = |bytes: &[u8]| {
        said.extend_from_slice(bytes);
        said.drain(..said.len().saturating_sub(MOST_STDERR));
        Want::More
    };

    let end = loop {
        let Some(ready) = wait(&group.process, &stdout, &stderr, stop, until)? else {
            group.ask_to_end()?;
            break End::Deadline;
        };
        if ready.ended {
            // The leader is not reaped yet, so the number is still this group's.
            group.kill();
            let mut enough = false;
            for _ in 0..CHUNKS_AFTER_THE_END {
                let read = [stdout.read(reader)?, stderr.read(&mut say)?];
                enough |= read[0] == Reading::Enough;
                if enough || read.iter().all(|read| *read == Reading::Nothing) {
                    break;
                }
            }
            let status = group.child.wait()?;
            break if enough { End::Enough } else { End::Exited(status) };
        }
        if ready.stop {
            group.ask_to_end()?;
            break End::Stopped;
        }
        if ready.stdout && stdout.read(reader)? == Reading::Enough {
            break End::Enough;
        }
        if ready.stderr {
            stderr.read(&mut say)?;
        }
    };
    drop(group);
    Ok((end, said))
}

/// The process that we started, and all that it started in its group. They end when this is dropped.
struct Group {
    child: Child,
    pid: Pid,
    process: Process,
    clearing_up: Duration,
}

impl Group {
    fn new(mut child: Child, clearing_up: Duration) -> io::Result<Group> {
        let pid = Pid::from_child(&child);
        match Process::open(child.id()) {
            Ok(process) => Ok(Group { child, pid, process, clearing_up }),
            Err(error) => {
                let _ = kill_process_group(pid, Signal::KILL);
                child.wait()?;
                Err(error.into())
            }
        }
    }

    fn ask_to_end(&self) -> io::Result<()> {
        let _ = kill_process_group(self.pid, Signal::TERM);
        let closed = Pipe { fd: None };
        while wait(&self.process, &closed, &closed, None, Instant::now() + self.clearing_up)?
            .is_some_and(|ready| !ready.ended)
        {}
        // The leader is not reaped yet. What it started may not have heard the first signal.
        self.kill();
        // A process that was killed can still be in the midst of a write, into a worktree that is removed next.
        let mut members = group::members(self.pid.as_raw_nonzero().get().cast_unsigned());
        group::all_end(&mut members, Instant::now() + self.clearing_up);
        Ok(())
    }

    fn kill(&self) {
        let _ = kill_process_group(self.pid, Signal::KILL);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Once the leader was waited for, the number may belong to another process.
        if let Ok(None) = self.child.try_wait() {
            self.kill();
            let _ = self.child.wait();
        }
    }
}

struct Ready {
    ended: bool,
    stdout: bool,
    stderr: bool,
    stop: bool,
}

/// Waits until something happens; nothing if it does not happen in time.
fn wait(
    process: &Process,
    stdout: &Pipe,
    stderr: &Pipe,
    stop: Option<&Stop>,
    until: Instant,
) -> io::Result<Option<Ready>> {
    let event = stop.map(Stop::event);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        let timeout = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        // A closed pipe is not asked for anything; the process stands in for it.
        let pipes = [stdout, stderr].map(|pipe| pipe.fd.as_ref().map(OwnedFd::as_fd));
        let fds = [None, pipes[0], pipes[1], event].map(|fd| fd.unwrap_or(process.as_fd()));
        let mut fds = fds.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        match poll(&mut fds, Some(&timeout)) {
            Ok(0) | Err(Errno::INTR) => continue,
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let [ended, stdout, stderr, stop] = fds.map(|fd| !fd.revents().is_empty());
        return Ok(Some(Ready { ended, stdout, stderr, stop: stop && event.is_some() }));
    }
}

#[derive(PartialEq, Eq)]
enum Reading {
    Something,
    /// For now, or for ever.
    Nothing,
    Enough,
}

/// Our end of a pipe, until the other one is closed.
struct Pipe {
    fd: Option<OwnedFd>,
}

impl Pipe {
    fn new(fd: Option<OwnedFd>) -> io::Result<Pipe> {
        if let Some(fd) = &fd {
            ioctl_fionbio(fd, true)?;
        }
        Ok(Pipe { fd })
    }

    fn read(&mut self, reader: &mut dyn FnMut(&[u8]) -> Want) -> io::Result<Reading> {
        let Some(fd) = &self.fd else { return Ok(Reading::Nothing) };
        let mut chunk = [0; CHUNK];
        match rustix::io::read(fd.as_fd(), &mut chunk) {
            Ok(0) => {
                self.fd = None;
                Ok(Reading::Nothing)
            }
            Ok(length) if reader(&chunk[..length]) == Want::NoMore => Ok(Reading::Enough),
            Ok(_) => Ok(Reading::Something),
            Err(Errno::AGAIN | Errno::INTR) => Ok(Reading::Nothing),
            Err(error) => Err(error.into()),
        }
    }
}
