//! Taking turns: between the threads of this process, and between processes.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, OFlags, flock};
use sha2::{Digest, Sha256};

use crate::error::GitError;
use crate::stop::Stop;

/// Repositories that a thread of this process is changing.
static BUSY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
static LEFT: Condvar = Condvar::new();

/// The kernel has no way to wait for another process's lock for a time; we look again after these.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// A repository is ours among the threads of this process, until this is dropped.
pub(crate) struct Seat {
    common_dir: PathBuf,
}

impl Seat {
    /// Waits for the other threads.
    ///
    /// # Errors
    ///
    /// When they take too long, or we are asked to stop.
    pub(crate) fn take(common_dir: &Path, until: Instant, stop: Option<&Stop>) -> Result<Seat, GitError> {
        let mut busy = BUSY.lock().unwrap_or_else(PoisonError::into_inner);
        while !busy.insert(common_dir.to_owned()) {
            let left = until.saturating_duration_since(Instant::now());
            if stop.is_some_and(Stop::is_asked) {
                return Err(GitError::Stopped);
            }
            if left.is_zero() {
                return Err(busy_error(common_dir));
            }
            busy = LEFT.wait_timeout(busy, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(Seat { common_dir: common_dir.to_owned() })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        BUSY.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.common_dir);
        LEFT.notify_all();
    }
}

/// Has every thread that waits for a seat look again whether it is asked to stop.
pub(crate) fn wake() {
    // With the lock held: a thread that has looked already waits by then.
    let _busy = BUSY.lock().unwrap_or_else(PoisonError::into_inner);
    LEFT.notify_all();
}

fn busy_error(common_dir: &Path) -> GitError {
    GitError::Busy { repository: common_dir.to_owned() }
}

/// A directory for locks and intents, which belongs to us alone.
pub(crate) fn make(directory: &Path) -> Result<(), GitError> {
    let failed = |error| GitError::io("use the directory", directory)(error);
    DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(failed)?;
    let found = fs::symlink_metadata(directory).map_err(failed)?;
    if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(failed(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it is not a directory, or belongs to another user",
        )));
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).map_err(failed)?;
    }
    Ok(())
}

/// What a repository's files in that directory are called: something short, of the path that all worktrees share.
pub(crate) fn key(common_dir: &Path) -> String {
    hex(&Sha256::digest(common_dir.as_os_str().as_encoded_bytes()))[..32].to_owned()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Waits for other processes, and holds the lock until the file is closed, here and in every git that has it.
///
/// # Errors
///
/// When they take too long, we are asked to stop, or the file cannot be made.
pub(crate) fn lock(
    path: &Path,
    common_dir: &Path,
    until: Instant,
    stop: Option<&Stop>,
) -> Result<File, GitError> {
    let mut options = OpenOptions::new();
    let flags = (OFlags::NOFOLLOW | OFlags::CREATE).bits().cast_signed();
    // For reading: git gets it as its input.
    let file = options.read(true).mode(0o600).custom_flags(flags).open(path);
    let file = file.map_err(GitError::io("open the lock", path))?;
    let mut pause = FIRST_PAUSE;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(rustix::io::Errno::WOULDBLOCK) if stop.is_some_and(Stop::is_asked) => {
                return Err(GitError::Stopped);
            }
            Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) if Instant::now() < until => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Err(busy_error(common_dir)),
            Err(error) => return Err(GitError::io("lock", path)(error.into())),
        }
        thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
