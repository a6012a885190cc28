//! Leaving the parent: the host keeps nothing of its starter but one connection.

use std::io;
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};
use rustix::process::{Resource, Rlimit, chdir, getrlimit, setrlimit, umask};
use rustix::stdio::{dup2_stdin, stdin};

/// What the user had before we changed it for ourselves; the child gets it back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inherited {
    umask: Mode,
    files: Rlimit,
    core: Rlimit,
}

impl Inherited {
    /// To be called in the child, between fork and exec: system calls only. What fails is left as it is.
    pub(crate) fn give_back(&self) {
        umask(self.umask);
        let _ = setrlimit(Resource::Nofile, self.files);
        let _ = setrlimit(Resource::Core, self.core);
    }
}

/// Becomes a process of its own: a session without a terminal, no descriptors but the three usual ones, files that
/// are the user's alone, no core dumps. Gives the connection to the starter, which was standard input.
pub(crate) fn leave(dir: &Path) -> io::Result<(UnixStream, Inherited)> {
    close_all_but(&[0, 1, 2]);
    let starter = UnixStream::from(fcntl_dupfd_cloexec(stdin(), 3)?);
    empty_stdin()?;
    // Fails only when we lead a session already, as under some service managers.
    let _ = system::sessions::start();
    chdir(dir)?;
    Ok((starter, take_limits()))
}

/// The same for a host that was one before it became this program: it left its parent long ago, and what it wants to
/// keep it names.
pub(crate) fn resume(kept: &[RawFd]) -> Inherited {
    let usual = [0, 1, 2];
    close_all_but(&[&usual, kept].concat());
    take_limits()
}

/// Raises our limit of open files as far as we may, since every viewer is one.
fn take_limits() -> Inherited {
    let files = getrlimit(Resource::Nofile);
    let core = getrlimit(Resource::Core);
    let inherited = Inherited { umask: umask(Mode::from_raw_mode(0o077)), files, core };
    let _ = setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files });
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), ..core });
    inherited
}

/// Signals that would end a program which has no handler for them.
const DEADLY: [libc::c_int; 5] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGUSR1];

/// Ignores signals while it lives. What is ignored stays so through exec, where handlers do not; and a program has no
/// handlers in its first instructions.
pub(crate) struct Deaf([libc::sigaction; DEADLY.len()]);

impl Deaf {
    #[expect(unsafe_code, reason = "no safe function ignores a signal")]
    pub(crate) fn new() -> Deaf {
        Deaf(DEADLY.map(|signal| {
            // SAFETY: both actions are plain data, and ignoring runs no code of ours.
            unsafe {
                let mut ignore: libc::sigaction = std::mem::zeroed();
                ignore.sa_sigaction = libc::SIG_IGN;
                let mut before = std::mem::zeroed();
                libc::sigaction(signal, &raw const ignore, &raw mut before);
                before
            }
        }))
    }
}

impl Drop for Deaf {
    #[expect(unsafe_code, reason = "no safe function restores the handling of a signal")]
    fn drop(&mut self) {
        for (signal, before) in DEADLY.iter().zip(&self.0) {
            // SAFETY: the action is the one that was there before.
            unsafe { libc::sigaction(*signal, before, std::ptr::null_mut()) };
        }
    }
}

fn empty_stdin() -> io::Result<()> {
    let nothing = open(c"/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    Ok(dup2_stdin(nothing)?)
}

#[expect(unsafe_code, reason = "inherited descriptors have no owner that could close them")]
fn close_all_but(kept: &[RawFd]) {
    let Ok(open) = system::descriptors::all() else { return };
    for descriptor in open.into_iter().filter(|descriptor| !kept.contains(descriptor)) {
        // SAFETY: called before this process has opened anything itself, so no code owns the descriptors closed here.
        // The descriptor that listed the directory is among these and closed already.
        unsafe {
            if rustix::io::fcntl_getfd(BorrowedFd::borrow_raw(descriptor)).is_ok() {
                rustix::io::close(descriptor);
            }
        }
    }
}

/// Takes up a descriptor that this process had when it was another program.
#[expect(unsafe_code, reason = "a descriptor that came through exec is known by its number alone")]
pub(crate) fn take_up(descriptor: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the number comes from ourselves, through the state that we left for this program, and is taken up
    // once. Asking for its flags fails if it is not open.
    let owned = unsafe {
        rustix::io::fcntl_getfd(BorrowedFd::borrow_raw(descriptor))?;
        OwnedFd::from_raw_fd(descriptor)
    };
    fcntl_setfd(&owned, FdFlags::CLOEXEC)?;
    Ok(owned)
}
