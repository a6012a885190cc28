//! Files and directories that are the user's alone.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use thiserror::Error;

/// Why a directory cannot hold what is the user's alone.
#[derive(Debug, Error)]
pub enum PrivateError {
    /// It is a link, a file, or belongs to another user.
    #[error("`{}` is not a directory, or belongs to another user", path.display())]
    Foreign {
        /// Which one.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("cannot use the directory `{}`", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Makes a directory that only its user may enter, or makes sure that it is one.
///
/// # Errors
///
/// When it is a link or not ours, or when it cannot be made.
pub fn private_dir(path: &Path) -> Result<(), PrivateError> {
    let io = |source| PrivateError::Io { path: path.to_owned(), source };
    match DirBuilder::new().recursive(true).mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(io(error)),
        _ => {}
    }
    let found = fs::symlink_metadata(path).map_err(io)?;
    if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(PrivateError::Foreign { path: path.to_owned() });
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(io)?;
    }
    Ok(())
}

/// Opens a file to lock it; it is made if it is not there, and never reached over a link. Only its user may read it.
///
/// # Errors
///
/// When the disk refuses.
pub fn lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
}
