//! Sessions of processes, and the terminals that they have.

use std::os::fd::{AsFd, OwnedFd};

use rustix::process::setsid;
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer};

/// Makes this process the leader of a session of its own, without a terminal. One system call, so it may be called
/// between fork and exec.
///
/// # Errors
///
/// When it leads a group of processes already.
pub fn start() -> rustix::io::Result<()> {
    setsid().map(drop)
}

/// The end of a PTY that is for a child, by the end that is ours. It needs no path, so it works in every namespace.
///
/// # Errors
///
/// When the machine has no descriptors left.
pub fn inside_of_pty(terminal: impl AsFd) -> rustix::io::Result<OwnedFd> {
    ioctl_tiocgptpeer(terminal, OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use rustix::io::{read, write};
    use rustix::process::{Pid, getsid};
    use rustix::pty::{grantpt, openpt, unlockpt};
    use rustix::termios::isatty;

    use super::*;

    #[test]
    fn both_ends_of_a_pty_are_connected() {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let inside = inside_of_pty(&terminal).unwrap();
        assert!(isatty(&inside));
        write(&inside, b"x").unwrap();
        let mut byte = [0; 8];
        assert_eq!(read(&terminal, &mut byte), Ok(1));
        assert_eq!(byte[0], b'x');
    }

    #[test]
    #[expect(unsafe_code, reason = "a session is started between fork and exec")]
    fn a_session_is_led_by_the_process_that_started_it() {
        let mut command = Command::new("sleep");
        // SAFETY: one system call, as the function says.
        let mut child = unsafe { command.arg("600").pre_exec(|| Ok(start()?)) }.spawn().unwrap();
        let pid = Pid::from_child(&child);
        assert_eq!(getsid(Some(pid)), Ok(pid));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
