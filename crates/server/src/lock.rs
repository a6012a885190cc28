//! One server for one data directory.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use home::{Home, Identity, lock_file};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::private_file;

/// The kernel may take a moment to let go of a killed process's lock, and a server that starts has yet to say who it
/// is.
const PATIENCE: Duration = Duration::from_secs(2);

/// A lock wakes nobody, so we look again after this long.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Who serves a data directory, as the file `server.json` has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerNote {
    /// Where it is reached.
    pub url: String,
    /// Which process it is.
    #[serde(flatten)]
    pub identity: Identity,
    /// Which release of abide it is.
    pub release: String,
}

/// Why another server cannot start here.
#[derive(Debug, Error)]
pub enum LockError {
    /// There is one.
    #[error("a server runs already: process {pid} at {url}")]
    Runs {
        /// Where it is reached.
        url: String,
        /// Its number.
        pid: u32,
    },
    /// There is one that has not said who it is.
    #[error("another server is starting or ending here")]
    Busy,
    /// The system refuses.
    #[error("cannot lock `{}`", path.display())]
    Io {
        /// What.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Held by the one server of a data directory for as long as it runs. Processes that it starts do not inherit it.
#[derive(Debug)]
pub struct ServerLock {
    note: PathBuf,
    _file: File,
}

impl ServerLock {
    /// Takes the lock. May wait a moment for a server that was killed or is about to say who it is.
    ///
    /// # Errors
    ///
    /// When another server has it.
    pub fn take(home: &Home) -> Result<ServerLock, LockError> {
        ServerLock::take_within(home, PATIENCE)
    }

    fn take_within(home: &Home, patience: Duration) -> Result<ServerLock, LockError> {
        let path = home.root().join("server.lock");
        let file = open(&path, home.root()).map_err(|source| LockError::Io { path: path.clone(), source })?;
        let deadline = Instant::now() + patience;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(ServerLock { note: note_path(home), _file: file }),
                Err(Errno::WOULDBLOCK) => {}
                Err(error) => return Err(LockError::Io { path, source: error.into() }),
            }
            if let Some(note) = running(home) {
                return Err(LockError::Runs { url: note.url, pid: note.identity.pid });
            }
            if Instant::now() >= deadline {
                return Err(LockError::Busy);
            }
            thread::sleep(LOOK_AGAIN);
        }
    }

    /// Writes down who serves, for programs and for whoever wants to start another server. Once done serving, the
    /// note goes with the lock.
    ///
    /// # Errors
    ///
    /// When the disk refuses. The server may go on; programs will not find it by themselves.
    pub fn announce(&self, url: &str, release: &str) -> io::Result<()> {
        let identity = Identity::own().ok_or(io::ErrorKind::NotFound)?;
        let note = ServerNote { url: url.into(), identity, release: release.into() };
        let mut text = serde_json::to_vec_pretty(&note)?;
        text.push(b'\n');
        private_file::write(&self.note, &text)
    }
}

impl Drop for ServerLock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.note);
    }
}

/// The server that runs for a data directory, if one does and has said so.
pub fn running(home: &Home) -> Option<ServerNote> {
    let text = private_file::read(&note_path(home)).ok()??;
    let note: ServerNote = serde_json::from_str(&text).ok()?;
    note.identity.is_alive().then_some(note)
}

fn note_path(home: &Home) -> PathBuf {
    home.root().join("server.json")
}

/// What is locked: the file made for it; where nothing can be written, the file as it is, or the directory itself.
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
