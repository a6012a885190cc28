//! One run of a program: bounded in time and in what is read of it, and nothing left behind.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

/// What is kept of the words of a program about its failure; the last are the telling ones.
const MOST_STDERR: usize = 16 << 10;
/// How long a program may take to clear up when it is told to end. Git removes its lock files then.
const CLEARING_UP: Duration = Duration::from_secs(2);
/// As much as a pipe holds.
const CHUNK: usize = 64 << 10;
/// How many chunks are still read when the program is gone. What was in the pipes is fewer; somebody who left the
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
}

/// Runs a program to its end, or to the end of our patience, and hands its output to `reader` as it comes.
///
/// It gets a process group of its own. When this returns, everybody in that group has ended or was killed.
///
/// # Errors
///
/// When it cannot be started or followed.
pub(crate) fn run(
    mut command: Command,
    deadline: Duration,
    reader: &mut dyn FnMut(&[u8]) -> Want,
) -> io::Result<(End, Vec<u8>)> {
    let until = Instant::now() + deadline;
    let child = command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut group = Group::new(child)?;
    let mut stdout = Pipe::new(group.child.stdout.take().map(OwnedFd::from))?;
    let mut stderr = Pipe::new(group.child.stderr.take().map(OwnedFd::from))?;
    let mut said: Vec<u8> = Vec::new();
    let mut say = |bytes: &[u8]| {
        said.extend_from_slice(bytes);
        said.drain(..said.len().saturating_sub(MOST_STDERR));
        Want::More
    };

    let end = loop {
        let Some(ready) = wait(&group.pidfd, &stdout, &stderr, until)? else {
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

/// The process that we started, and whoever it started in its group. They end when this is dropped.
struct Group {
    child: Child,
    pid: Pid,
    pidfd: OwnedFd,
}

impl Group {
    fn new(mut child: Child) -> io::Result<Group> {
        let pid = Pid::from_child(&child);
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => Ok(Group { child, pid, pidfd }),
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
        while wait(&self.pidfd, &closed, &closed, Instant::now() + CLEARING_UP)?
            .is_some_and(|ready| !ready.ended)
        {}
        Ok(())
    }

    fn kill(&self) {
        let _ = kill_process_group(self.pid, Signal::KILL);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Once the leader was waited for, the number may be somebody else's.
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
}

/// Waits until something happens; nothing if it does not happen in time.
fn wait(pidfd: &OwnedFd, stdout: &Pipe, stderr: &Pipe, until: Instant) -> io::Result<Option<Ready>> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        let timeout = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        // A closed pipe is not asked for anything; the process stands in for it.
        let fds = [pidfd, stdout.fd.as_ref().unwrap_or(pidfd), stderr.fd.as_ref().unwrap_or(pidfd)];
        let mut fds = fds.map(|fd| PollFd::new(fd, PollFlags::IN));
        match poll(&mut fds, Some(&timeout)) {
            Ok(0) | Err(Errno::INTR) => continue,
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let [ended, stdout, stderr] = fds.map(|fd| !fd.revents().is_empty());
        return Ok(Some(Ready { ended, stdout, stderr }));
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
