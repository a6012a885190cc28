//! A real program in a real PTY, driven by a test.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use model::TermSize;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, unlockpt};
use rustix::termios::{OptionalActions, Termios, Winsize, tcgetattr, tcsetattr, tcsetwinsize};
use system::Process;

use crate::WAIT;

/// A program that runs in a PTY of its own, as in a terminal window: the PTY is its controlling terminal.
///
/// Dropping it kills the program.
pub struct Program {
    terminal: File,
    child: Child,
    output: Vec<u8>,
}

impl Program {
    /// Starts `program` with `args` in a PTY of this size.
    pub fn start<A: AsRef<OsStr>>(
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = A>,
        size: TermSize,
    ) -> Program {
        Program::spawn(Program::command(program).args(args), size)
    }

    /// A command that can be [spawned](Program::spawn): arguments, environment and directory may be added to it.
    pub fn command(program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(program);
        command
    }

    /// Starts a [command](Program::command) in a PTY of this size.
    pub fn spawn(command: &mut Command, size: TermSize) -> Program {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a PTY");
        grantpt(&terminal).expect("grantpt");
        unlockpt(&terminal).expect("unlockpt");
        set_size(&terminal, size);
        let inside = system::sessions::inside_of_pty(&terminal).expect("the PTY's other end");
        let end = || inside.try_clone().expect("a copy of the PTY's end");
        let child = command
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .expect("`setsid` of util-linux starts the program");
        Program { terminal: File::from(terminal), child, output: Vec::new() }
    }

    /// The program's process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The terminal's settings: how it treats keys and lines.
    pub fn settings(&self) -> Termios {
        tcgetattr(&self.terminal).expect("the PTY has settings")
    }

    /// Changes the terminal's settings, as another program in the same window would.
    pub fn set_settings(&self, settings: &Termios) {
        tcsetattr(&self.terminal, OptionalActions::Now, settings).expect("the PTY takes settings");
    }

    /// Types these bytes.
    pub fn send(&mut self, bytes: &[u8]) {
        self.terminal.write_all(bytes).expect("the PTY takes input");
    }

    /// Gives the terminal another size, as a person who drags the window's corner.
    pub fn resize(&self, size: TermSize) {
        set_size(&self.terminal, size);
    }

    /// Everything the program has printed so far.
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    /// Reads until `done` likes the whole output.
    ///
    /// # Panics
    ///
    /// After [`WAIT`], or when the program ends first, with the output printed by then.
    pub fn wait_until(&mut self, what: &str, mut done: impl FnMut(&[u8]) -> bool) {
        let deadline = Instant::now() + WAIT;
        while !done(&self.output) {
            let more = self.read_before(deadline);
            assert!(more, "{what}: not seen; the program printed:\n{}", self.output.escape_ascii());
        }
    }

    /// Reads what is printed for at most so long; false when nothing was.
    pub fn read_for(&mut self, within: Duration) -> bool {
        self.read_before(Instant::now() + within)
    }

    /// Reads until the output contains `text`.
    pub fn wait_for(&mut self, text: &str) {
        self.wait_until(text, |output| contains(output, text.as_bytes()));
    }

    /// Reads to the end, and says how the program ended.
    ///
    /// # Panics
    ///
    /// When it is still running after [`WAIT`].
    pub fn wait_for_exit(&mut self) -> ExitStatus {
        let deadline = Instant::now() + WAIT;
        while self.read_before(deadline) {}
        let process = Process::open(self.child.id()).expect("our own child");
        let ended = process.ends_before(Some(deadline)).expect("a wait");
        assert!(ended, "the program is still running; it printed:\n{}", self.output.escape_ascii());
        self.child.wait().expect("a status")
    }

    /// Reads the available output, and waits for it until the deadline; false when the output has ended.
    fn read_before(&mut self, deadline: Instant) -> bool {
        if !wait_readable(&self.terminal, deadline) {
            return false;
        }
        let mut chunk = [0; 4096];
        match self.terminal.read(&mut chunk) {
            Ok(length) => {
                self.output.extend_from_slice(&chunk[..length]);
                length > 0
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => true,
            // The kernel's way to say that the last program has closed the terminal.
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) => false,
            Err(error) => panic!("cannot read the PTY: {error}"),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Both fail only when the program has ended, which is what is wanted here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn set_size(terminal: impl std::os::fd::AsFd, size: TermSize) {
    let size = Winsize { ws_col: size.cols(), ws_row: size.rows(), ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).expect("the PTY takes a size");
}

fn wait_readable(fd: &impl std::os::fd::AsFd, deadline: Instant) -> bool {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).expect("a short time");
        match poll(&mut [PollFd::new(fd, PollFlags::IN)], Some(&timeout)) {
            Ok(ready) => return ready > 0,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => panic!("cannot wait for the PTY: {error}"),
        }
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_its_terminal_and_its_exit_code() {
        let mut program =
            Program::start("sh", ["-c", "stty size; read x; echo got $x; exit 3"], TermSize::clamped(61, 17));
        program.wait_for("17 61");
        program.send(b"this\r");
        program.wait_for("got this");
        assert_eq!(program.wait_for_exit().code(), Some(3));
    }
}
