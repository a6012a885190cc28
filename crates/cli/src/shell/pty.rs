//! A PTY and the program in it.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use model::TermSize;
use rustix::io::{Errno, ioctl_fionbio, read, write};
use rustix::process::{Pid, Signal, ioctl_tiocsctty, kill_process_group};
use rustix::pty::{OpenptFlags, grantpt, openpt, unlockpt};
use rustix::stdio::stdin;
use rustix::termios::{OptionalActions, Termios, Winsize, tcsetattr, tcsetwinsize};
use system::Process;

use crate::failure::Failure;

/// How long a program has to follow a hang-up, and then a request to end, before it is asked less kindly.
const GRACE: Duration = Duration::from_secs(2);

/// A program in a terminal of its own.
pub(super) struct Pty {
    terminal: OwnedFd,
    /// The program's end, kept open: a program that closes its terminal and lives on is no end of ours.
    _inside: OwnedFd,
    child: Child,
    process: Process,
}

impl Pty {
    /// Starts the command in a new terminal with these settings and this size.
    pub(super) fn start(command: &[OsString], settings: &Termios, size: TermSize) -> Result<Pty, Failure> {
        let (terminal, inside) = open(settings, size).context("cannot open a PTY")?;
        let (program, arguments) = command.split_first().context("there is no command")?;
        let end = || inside.try_clone().context("cannot copy a descriptor");
        let mut command = Command::new(program);
        command.args(arguments).stdin(end()?).stdout(end()?).stderr(end()?);
        let mut child = lead_session(&mut command).spawn().map_err(|error| {
            Failure::from(anyhow!(error).context(format!("cannot start `{}`", program.display())))
                .hint("name a program that exists and that you may run")
        })?;
        match Process::open(child.id()) {
            Ok(process) => Ok(Pty { terminal, _inside: inside, child, process }),
            Err(error) => {
                // Without its descriptor we could not see it end; better no program than a lost one.
                let _ = child.kill().and_then(|()| child.wait());
                Err(anyhow!(error).context("cannot watch the program").into())
            }
        }
    }

    /// The terminal, to be waited for.
    pub(super) fn terminal(&self) -> BorrowedFd<'_> {
        self.terminal.as_fd()
    }

    /// Readable when the program has ended.
    pub(super) fn child(&self) -> BorrowedFd<'_> {
        self.process.as_fd()
    }

    /// Reads a piece of what the program has printed; no bytes when all is read.
    pub(super) fn read<'a>(&self, chunk: &'a mut [u8]) -> Result<&'a [u8]> {
        loop {
            match read(&self.terminal, &mut *chunk) {
                Ok(length) => return Ok(&chunk[..length]),
                Err(Errno::AGAIN) => return Ok(&[]),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error).context("cannot read from the PTY"),
            }
        }
    }

    /// Gives the program as many bytes as it takes now, and says how many.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<usize> {
        match write(&self.terminal, bytes) {
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            written => written.context("cannot write to the PTY"),
        }
    }

    /// Tells the program that its terminal has this size.
    pub(super) fn resize(&self, size: TermSize) -> Result<()> {
        tcsetwinsize(&self.terminal, winsize(size)).context("cannot resize the PTY")
    }

    /// Waits for the program's end.
    pub(super) fn collect(mut self) -> Result<End> {
        self.child.wait().map(End::of).context("cannot find out how the program ended")
    }

    /// Takes the terminal away, and sees to it that the program ends.
    pub(super) fn hang_up(self) -> Result<End> {
        let Pty { terminal, _inside, mut child, process } = self;
        // The kernel then sends SIGHUP to the whole session's foreground.
        drop(terminal);
        for signal in [Signal::TERM, Signal::KILL] {
            if process.ends_before(Some(Instant::now() + GRACE)).unwrap_or(false) {
                break;
            }
            // Fails only when the group is gone, which is what is wanted.
            let _ = kill_process_group(Pid::from_child(&child), signal);
        }
        child.wait().map(End::of).context("cannot find out how the program ended")
    }
}

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It left with this code.
    Exited(u8),
    /// A signal ended it.
    Killed(u8),
}

impl End {
    fn of(status: ExitStatus) -> End {
        let byte = |number: i32| u8::try_from(number).unwrap_or(u8::MAX);
        match status.signal() {
            Some(signal) => End::Killed(byte(signal)),
            None => End::Exited(byte(status.code().unwrap_or_default())),
        }
    }

    /// The exit code that tells of it, as shells do.
    pub(super) fn code(self) -> u8 {
        match self {
            End::Exited(code) => code,
            End::Killed(signal) => 128 + signal,
        }
    }
}

fn open(settings: &Termios, size: TermSize) -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let terminal = openpt(flags)?;
    grantpt(&terminal)?;
    unlockpt(&terminal)?;
    ioctl_fionbio(&terminal, true)?;
    let inside = system::sessions::inside_of_pty(&terminal)?;
    tcsetattr(&inside, OptionalActions::Now, settings)?;
    tcsetwinsize(&terminal, winsize(size))?;
    Ok((terminal, inside))
}

/// Makes the program the leader of a session of its own, with its standard input as controlling terminal.
#[expect(unsafe_code, reason = "only code between fork and exec can give the child a controlling terminal")]
fn lead_session(command: &mut Command) -> &mut Command {
    let lead = || -> io::Result<()> {
        system::sessions::start()?;
        ioctl_tiocsctty(stdin())?;
        Ok(())
    };
    // SAFETY: between fork and exec, `lead` makes two system calls; it allocates nothing, takes no lock and
    // touches no memory of other threads.
    unsafe { command.pre_exec(lead) }
}

fn winsize(size: TermSize) -> Winsize {
    Winsize { ws_col: size.cols(), ws_row: size.rows(), ws_xpixel: 0, ws_ypixel: 0 }
}
