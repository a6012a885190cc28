//! The PTY and the child in it.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use home::{Meta, StartFailure};
use model::{ExitStatus, TermSize};
use rustix::io::{Errno, ioctl_fionbio, read, write};
use rustix::process::{Pid, Signal, ioctl_tiocsctty, kill_process_group};
use rustix::pty::{OpenptFlags, grantpt, openpt, unlockpt};
use rustix::stdio::stdin;
use rustix::termios::{Winsize, tcgetpgrp, tcgetwinsize, tcsetwinsize};
use system::Process;
use system::memory::ChildFirst;

use crate::detach::Inherited;

/// How our own descriptors of a PTY are opened: never as a controlling terminal, never for a child.
const FLAGS: OpenptFlags = OpenptFlags::RDWR.union(OpenptFlags::NOCTTY).union(OpenptFlags::CLOEXEC);

/// A terminal of our own making.
#[derive(Debug)]
pub(crate) struct Pty {
    terminal: OwnedFd,
    /// The child's end, kept open: a child that closes its terminal and lives on is no end, and gives no endless
    /// stream of hang-ups.
    inside: OwnedFd,
}

/// What a look at the PTY gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// So many bytes.
    Bytes(usize),
    /// Nothing is there now.
    Nothing,
}

impl Pty {
    /// Opens a new one.
    pub(crate) fn open(size: TermSize) -> Result<Pty, StartFailure> {
        let open = || -> rustix::io::Result<Pty> {
            let terminal = openpt(FLAGS)?;
            grantpt(&terminal)?;
            unlockpt(&terminal)?;
            let pty = Pty::around(terminal)?;
            tcsetwinsize(&pty.terminal, winsize(size))?;
            Ok(pty)
        };
        open().map_err(|error| match error {
            // The kernel's way to say that all PTYs are taken.
            Errno::NOSPC | Errno::NOENT | Errno::AGAIN => StartFailure::NoPty { reason: error.to_string() },
            error => StartFailure::Other { reason: format!("cannot open a PTY: {error}") },
        })
    }

    /// Takes over one that another process opened.
    pub(crate) fn around(terminal: OwnedFd) -> rustix::io::Result<Pty> {
        ioctl_fionbio(&terminal, true)?;
        let inside = system::sessions::inside_of_pty(&terminal)?;
        Ok(Pty { terminal, inside })
    }

    /// Starts the child in it.
    pub(crate) fn start(&self, meta: &Meta, inherited: Inherited) -> Result<Child, StartFailure> {
        let directory = |error: io::Error| StartFailure::Directory {
            directory: meta.cwd.display().to_string(),
            reason: error.to_string(),
        };
        if !fs::metadata(&meta.cwd).map_err(directory)?.is_dir() {
            return Err(directory(io::ErrorKind::NotADirectory.into()));
        }
        let other = |error: io::Error| StartFailure::Other { reason: error.to_string() };
        let Some((program, arguments)) = meta.launch.as_ref().unwrap_or(&meta.command).split_first() else {
            return Err(StartFailure::Other { reason: "there is no command".into() });
        };
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&meta.cwd);
        home::forget_memory_settings(&mut command);
        let end = || self.inside.try_clone().map_err(other);
        command.stdin(end()?).stdout(end()?).stderr(end()?);
        let child = in_terminal(&mut command, inherited).spawn().map_err(|error| {
            let (command, reason) = (program.clone(), error.to_string());
            match error.kind() {
                io::ErrorKind::NotFound => StartFailure::CommandNotFound { command },
                _ => StartFailure::CommandUnfit { command, reason },
            }
        })?;
        let pid = Pid::from_child(&child);
        match Process::open(child.id()) {
            Ok(process) => Ok(Child { pid, process }),
            Err(error) => {
                // Without its descriptor we could not see it end; better no worker than a lost one.
                let _ = kill_process_group(pid, Signal::KILL);
                Err(other(error.into()))
            }
        }
    }

    /// Reads output, as much as fits and the kernel has.
    pub(crate) fn read(&self, chunk: &mut [u8]) -> io::Result<Read> {
        loop {
            match read(&self.terminal, &mut *chunk) {
                Ok(0) | Err(Errno::AGAIN) => return Ok(Read::Nothing),
                Ok(length) => return Ok(Read::Bytes(length)),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Gives the child as many bytes as it takes now, and says how many.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match write(&self.terminal, bytes) {
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            written => Ok(written?),
        }
    }

    /// Tells the child that its terminal has this size.
    pub(crate) fn resize(&self, size: TermSize) -> io::Result<()> {
        Ok(tcsetwinsize(&self.terminal, winsize(size))?)
    }

    /// The size that the child sees.
    pub(crate) fn size(&self) -> Option<TermSize> {
        let size = tcgetwinsize(&self.terminal).ok().filter(|size| size.ws_col > 0 && size.ws_row > 0)?;
        Some(TermSize::clamped(size.ws_col, size.ws_row))
    }

    /// The process group in the terminal's foreground.
    pub(crate) fn foreground(&self) -> Option<Pid> {
        tcgetpgrp(&self.terminal).ok()
    }
}

impl AsFd for Pty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.terminal.as_fd()
    }
}

/// The process in the PTY.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) pid: Pid,
    process: Process,
}

impl Child {
    /// Takes up the child of a host that was killed, or our own after we became another program.
    pub(crate) fn take_up(pid: Pid, process: OwnedFd) -> Child {
        Child { pid, process: process.into() }
    }

    /// How it ended. To be asked once its descriptor is readable. Only the parent process is told; a host that adopted
    /// the child is not.
    pub(crate) fn status(&self) -> ExitStatus {
        let byte = |number: i32| u8::try_from(number).unwrap_or(u8::MAX);
        let waited = self.process.wait();
        let Ok(Some(status)) = waited else { return ExitStatus::Unknown };
        match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => ExitStatus::Exited { code: byte(code) },
            (None, Some(signal)) => ExitStatus::Killed { signal: byte(signal) },
            (None, None) => ExitStatus::Unknown,
        }
    }

    /// Ends a child whose worker cannot be.
    pub(crate) fn kill(&self) {
        let _ = kill_process_group(self.pid, Signal::KILL);
    }

    /// Sends a signal to the child's process group, and to the group in the terminal's foreground if it is another.
    pub(crate) fn signal(&self, signal: Signal, foreground: Option<Pid>) -> rustix::io::Result<()> {
        if let Some(group) = foreground.filter(|group| *group != self.pid) {
            // It may have ended since the kernel named it.
            let _ = kill_process_group(group, signal);
        }
        kill_process_group(self.pid, signal)
    }
}

impl AsFd for Child {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.process.as_fd()
    }
}

/// Makes the child the leader of a session of its own in the terminal on its standard input, with the limits that
/// the user had before we changed ours.
#[expect(unsafe_code, reason = "only code between fork and exec can give the child a controlling terminal")]
fn in_terminal(command: &mut Command, inherited: Inherited) -> &mut Command {
    let child_first = ChildFirst::new();
    let prepare = move || -> io::Result<()> {
        system::sessions::start()?;
        ioctl_tiocsctty(stdin())?;
        inherited.give_back();
        // Where this cannot be said, the kernel chooses by size alone.
        let _ = child_first.apply();
        Ok(())
    };
    // SAFETY: between fork and exec, `prepare` makes system calls; it allocates nothing, takes no lock and touches
    // no memory of other threads.
    unsafe { command.pre_exec(prepare) }
}

fn winsize(size: TermSize) -> Winsize {
    Winsize { ws_col: size.cols(), ws_row: size.rows(), ws_xpixel: 0, ws_ypixel: 0 }
}
