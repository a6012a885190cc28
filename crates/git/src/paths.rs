//! Directories: where they are, whether one can be made there, and which one it is.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::error::GitError;

/// The path without links, if something is there.
pub(crate) fn existing(path: &Path) -> Result<PathBuf, GitError> {
    fs::canonicalize(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => GitError::Missing { path: path.to_owned() },
        _ => GitError::io("find", path)(error),
    })
}

/// A path for a directory to be made, or moved to: its parent is there and without links, it is not.
pub(crate) fn free(path: &Path) -> Result<PathBuf, GitError> {
    let bad = |reason| GitError::BadName { name: path.to_string_lossy().into_owned(), reason };
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(bad("a worktree needs a directory of its own"));
    };
    if !path.is_absolute() {
        return Err(bad("a worktree's path begins at the root"));
    }
    let path = existing(parent)?.join(name);
    // Git keeps paths of worktrees in files of one line each.
    if path.as_os_str().as_bytes().iter().any(u8::is_ascii_control) {
        return Err(bad("the path has control characters"));
    }
    match fs::symlink_metadata(&path) {
        Ok(_) => Err(GitError::PathTaken { path }),
        Err(_) => Ok(path),
    }
}

/// Which directory it is, under any name: its number and when it was made. Numbers are given again, and
/// devices may get other ones when the machine starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DirectoryIdentity {
    number: u64,
    made_ns: Option<u64>,
}

impl DirectoryIdentity {
    /// Of the directory at this path; a link to one is none.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub(crate) fn of(path: &Path) -> io::Result<DirectoryIdentity> {
        let found = fs::symlink_metadata(path)?;
        if !found.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let made = found.created().ok().and_then(|made| made.duration_since(UNIX_EPOCH).ok());
        let made_ns = made.and_then(|made| u64::try_from(made.as_nanos()).ok());
        Ok(DirectoryIdentity { number: found.ino(), made_ns })
    }
}
