//! Leaving the parent: nothing of whoever started us is kept but one connection.

use std::fs;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};
use rustix::process::{Resource, Rlimit, chdir, getrlimit, setrlimit, setsid, umask};
use rustix::stdio::{dup2_stdin, stdin};

/// Memory runs out: a child goes before its host. The kernel adds this to what it would charge a child for.
const CHILD_OOM_SCORE: &[u8] = b"100";

/// What the user had before we changed it for ourselves; the child gets it back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inherited {
    umask: Mode,
    files: (Option<u64>, Option<u64>),
    core: (Option<u64>, Option<u64>),
}

impl Inherited {
    /// To be called in the child, between fork and exec: system calls only. What fails is left as it is.
    pub(crate) fn give_back(&self) {
        umask(self.umask);
        let limit = |(current, maximum)| Rlimit { current, maximum };
        let _ = setrlimit(Resource::Nofile, limit(self.files));
        let _ = setrlimit(Resource::Core, limit(self.core));
        if let Ok(score) = open(c"/proc/self/oom_score_adj", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())
        {
            let _ = rustix::io::write(score, CHILD_OOM_SCORE);
        }
    }
}

/// Becomes a process of its own: a session without a terminal, no descriptors but the three usual ones, files that
/// are the user's alone, no core dumps. Gives the connection to the starter, which was standard input.
pub(crate) fn leave(dir: &Path) -> io::Result<(UnixStream, Inherited)> {
    close_all_but(&[0, 1, 2]);
    let starter = UnixStream::from(fcntl_dupfd_cloexec(stdin(), 3)?);
    empty_stdin()?;
    // Fails only when we lead a session already, as under some service managers.
    let _ = setsid();
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
    let pair = |limit: Rlimit| (limit.current, limit.maximum);
    let files = getrlimit(Resource::Nofile);
    let core = getrlimit(Resource::Core);
    let inherited = Inherited {
        umask: umask(Mode::from_raw_mode(0o077)),
        files: pair(files.clone()),
        core: pair(core.clone()),
    };
    let _ = setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files });
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), ..core });
    inherited
}

fn empty_stdin() -> io::Result<()> {
    let nothing = open(c"/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    Ok(dup2_stdin(nothing)?)
}

#[expect(unsafe_code, reason = "descriptors that somebody left to us have no owner who could close them")]
fn close_all_but(kept: &[RawFd]) {
    let Ok(entries) = fs::read_dir("/proc/self/fd") else { return };
    let open: Vec<RawFd> =
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|descriptor| !kept.contains(descriptor)) {
        // SAFETY: called before this process has opened anything itself. The descriptor that listed the directory
        // is among these and closed already, which the kernel tells and nobody minds.
        unsafe { rustix::io::close(descriptor) };
    }
}

/// Takes up a descriptor that this process had when it was another program.
#[expect(unsafe_code, reason = "a descriptor that came through exec is known by its number alone")]
pub(crate) fn take_up(descriptor: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the number comes from ourselves, through the state that we left for this program, and is taken up
    // once. Asking for its flags fails if it is not open.
    let owned = unsafe {
        rustix::io::fcntl_getfd(std::os::fd::BorrowedFd::borrow_raw(descriptor))?;
        OwnedFd::from_raw_fd(descriptor)
    };
    fcntl_setfd(&owned, FdFlags::CLOEXEC)?;
    Ok(owned)
}
