//! Reaching a host's socket by its path.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use system::descriptors::ShortPath;

/// The longest path that fits a socket's address, with the zero after it.
const MAX_ADDRESS_BYTES: usize = 107;

/// Why a host could not be reached.
#[derive(Debug, thiserror::Error)]
pub enum ReachError {
    /// The socket is missing, or no process listens at it.
    #[error("no host listens at `{}`", path.display())]
    NoHost {
        /// The socket.
        path: PathBuf,
    },
    /// A host is there and says nothing: it is stopped, or busy beyond measure.
    #[error("the host at `{}` is not answering", path.display())]
    NotAnswering {
        /// The socket.
        path: PathBuf,
    },
    /// Something else is in the way.
    #[error("cannot reach the host at `{}`", path.display())]
    Connect {
        /// The socket.
        path: PathBuf,
        /// What is in the way.
        source: io::Error,
    },
}

/// Connects to the socket at `path`, however long the path is.
///
/// # Errors
///
/// When no process listens there, or the host does not accept the connection within a few seconds.
pub fn connect(path: &Path) -> Result<UnixStream, ReachError> {
    reach(path, crate::ask::ANSWER_WITHIN)
}

/// A connection to the socket at `path`, however long the path is. Waits no longer than `within` for a place in a
/// host's queue.
pub(crate) fn reach(path: &Path, within: Duration) -> Result<UnixStream, ReachError> {
    connect_within(path, within).map_err(|error| match error {
        Errno::NOENT | Errno::CONNREFUSED => ReachError::NoHost { path: path.into() },
        Errno::AGAIN => ReachError::NotAnswering { path: path.into() },
        _ => ReachError::Connect { path: path.into(), source: error.into() },
    })
}

fn connect_within(path: &Path, within: Duration) -> Result<UnixStream, Errno> {
    let socket =
        rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    // A host that is stopped does not empty its queue, and a full queue blocks `connect`. This timeout is the
    // only one that the kernel applies to that.
    set_socket_timeout(&socket, Timeout::Send, Some(within))?;
    connect_to(&socket, path)?;
    set_socket_timeout(&socket, Timeout::Send, None)?;
    Ok(socket.into())
}

fn connect_to(socket: &impl std::os::fd::AsFd, path: &Path) -> Result<(), Errno> {
    if path.as_os_str().as_bytes().len() <= MAX_ADDRESS_BYTES {
        let address = SocketAddrUnix::new(path)?;
        return rustix::io::retry_on_intr(|| rustix::net::connect(socket, &address));
    }
    let short = ShortPath::of(path)?;
    let address = SocketAddrUnix::new(short.as_path())?;
    rustix::io::retry_on_intr(|| rustix::net::connect(socket, &address))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::net::UnixListener;

    use super::*;
    use crate::test_dir::TestDir;

    const SOON: Duration = Duration::from_millis(50);

    #[test]
    fn a_socket_is_reached_however_long_its_path_is() {
        let dir = TestDir::new("long-path");
        let deep = dir.path().join("d".repeat(100)).join("e".repeat(100));
        fs::create_dir_all(&deep).unwrap();
        // The listener is bound under a short name and moved: its own address has the same limit.
        let short = dir.path().join("sock");
        let _listener = UnixListener::bind(&short).unwrap();
        let long = deep.join("sock");
        fs::rename(short, &long).unwrap();
        reach(&long, SOON).unwrap();
        let missing = reach(&deep.join("none"), SOON);
        assert!(matches!(missing, Err(ReachError::NoHost { .. })), "{missing:?}");
    }

    #[test]
    fn a_socket_without_a_listener_has_no_host() {
        let dir = TestDir::new("no-host");
        let path = dir.path().join("sock");
        let missing = reach(&path, SOON);
        assert!(matches!(missing, Err(ReachError::NoHost { .. })), "{missing:?}");
        drop(UnixListener::bind(&path).unwrap());
        let dead = reach(&path, SOON);
        assert!(matches!(dead, Err(ReachError::NoHost { .. })), "{dead:?}");
        let file = reach(Path::new("/dev/null/sock"), SOON);
        assert!(matches!(file, Err(ReachError::Connect { .. })), "{file:?}");
    }

    #[test]
    fn a_host_that_accepts_no_connection_is_not_answering() {
        let dir = TestDir::new("full");
        let path = dir.path().join("sock");
        let listener = UnixListener::bind(&path).unwrap();
        rustix::net::listen(&listener, 0).unwrap();
        let _first = reach(&path, SOON).unwrap();
        let second = reach(&path, SOON);
        assert!(matches!(second, Err(ReachError::NotAnswering { .. })), "{second:?}");
    }
}
