//! One server for one data directory.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use home::{Home, Identity, ServerNote, lock_file};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use thiserror::Error;

/// How long to wait for the lock. The kernel may need a moment to release the lock of a killed process, and a server
/// that starts needs a moment to write its note.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often to try again. A lock does not notify waiting processes.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Why this server cannot start.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another server runs.
    #[error("a server is already running: process {pid} at {url}")]
    Runs {
        /// Its address.
        url: String,
        /// Its process id.
        pid: u32,
    },
    /// Another process has the lock, but there is no note of a running server.
    #[error("another server is starting or ending here")]
    Busy,
    /// The system refuses.
    #[error("cannot lock `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

/// The lock on a data directory. The server holds it for as long as it runs. Processes that it starts do not inherit
/// it.
#[derive(Debug)]
pub struct ServerLock {
    home: Home,
    _file: File,
}

impl ServerLock {
    /// Takes the lock. Waits a moment if a server was just killed, or if one has the lock but has not written its note
    /// yet.
    ///
    /// # Errors
    ///
    /// When another server has the lock.
    pub fn take(home: &Home) -> Result<ServerLock, LockError> {
        ServerLock::take_within(home, PATIENCE)
    }

    fn take_within(home: &Home, patience: Duration) -> Result<ServerLock, LockError> {
        let path = home.server_lock();
        let file = open(&path, home.root()).map_err(|source| LockError::Io { path: path.clone(), source })?;
        let deadline = Instant::now() + patience;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(ServerLock { home: home.clone(), _file: file }),
                Err(Errno::WOULDBLOCK) => {}
                Err(error) => return Err(LockError::Io { path, source: error.into() }),
            }
            if let Some(note) = ServerNote::running(home) {
                return Err(LockError::Runs { url: note.url, pid: note.identity.pid });
            }
            if Instant::now() >= deadline {
                return Err(LockError::Busy);
            }
            thread::sleep(LOOK_AGAIN);
        }
    }

    /// Makes the server's socket, in place of one that a killed server left. It is removed together with the lock.
    ///
    /// # Errors
    ///
    /// When the disk refuses.
    pub fn bind_socket(&self) -> io::Result<UnixListener> {
        home::bind_socket(&self.home.server_socket())
    }

    /// Writes the server's note: address, socket, process and release. Other programs use it to find the server. The note
    /// is removed together with the lock.
    ///
    /// # Errors
    ///
    /// When the disk refuses. The server can still run, but programs will not find it.
    pub fn announce(&self, url: &str, has_socket: bool, release: &str) -> io::Result<()> {
        let identity = Identity::own().ok_or(io::ErrorKind::NotFound)?;
        let socket = has_socket.then(|| ServerNote::SOCKET.to_owned());
        let note = ServerNote { url: url.into(), socket, identity, release: release.into() };
        note.write(&self.home)
    }
}

impl Drop for ServerLock {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.home.server_note());
        let _ = fs::remove_file(self.home.server_socket());
    }
}

/// Opens the lock file. If the disk cannot be written to, opens the existing file, or else the data directory itself.
fn open(path: &Path, root: &Path) -> io::Result<File> {
    let read = |path: &Path| {
        OpenOptions::new().read(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed()).open(path)
    };
    lock_file(path).or_else(|refused| match refused.kind() {
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            read(path).or_else(|_| read(root))
        }
        _ => Err(refused),
    })
}

#[cfg(test)]
mod tests;
