//! Small files that only their user may read, written as a whole.
//!
//! A reader sees the old file or the new one, never half of one, also after a power failure. No function here follows
//! a link in the place of a file: another user could have put it there.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// The mode of a file that only its user may read.
const PRIVATE: u32 = 0o600;

/// More than any token or note has. No more is read, even if something else is in the place of the file.
const MOST_BYTES: u64 = 4096;

/// Writes a new private file and returns it open. The kernel brings it to disk within seconds.
///
/// # Errors
///
/// When the file exists, or the disk refuses. No part of a new file stays then.
pub fn create_private(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(PRIVATE)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)?;
    let written = file.set_permissions(Permissions::from_mode(PRIVATE)).and_then(|()| file.write_all(bytes));
    if let Err(error) = written {
        let _ = fs::remove_file(path);
        return Err(error);
    }
    Ok(file)
}

/// Replaces a private file as a whole, for good when this returns: writes `<name>.new` beside it, syncs, renames, and
/// syncs the directory.
///
/// # Errors
///
/// When the disk refuses. The old file is then still there.
pub fn replace_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_private_through(&path.with_extension("new"), path, bytes)
}

/// [`replace_private`] with a name of the caller's for the file that is written first. A leftover of that name is
/// removed.
///
/// # Errors
///
/// When the disk refuses. The old file is then still there.
pub fn replace_private_through(new: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::remove_file(new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let written =
        create_private(new, bytes).and_then(|file| file.sync_all()).and_then(|()| fs::rename(new, path));
    if written.is_err() {
        let _ = fs::remove_file(new);
    }
    written?;
    sync_parent(path)
}

/// Brings the names in a file's directory to disk.
///
/// # Errors
///
/// When the disk refuses.
pub fn sync_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

/// Reads a small private file; nothing if there is none.
///
/// # Errors
///
/// When it cannot be read, or when other users could have read or written it.
pub fn read_private(path: &Path) -> io::Result<Option<String>> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = match OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let found = file.metadata()?;
    let own =
        found.is_file() && found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o077 == 0;
    if !own {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "other users can access the file"));
    }
    let mut text = String::new();
    file.take(MOST_BYTES).read_to_string(&mut text)?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn s33_a_file_is_the_users_alone_and_never_reached_over_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        assert!(read_private(&path).unwrap().is_none());
        replace_private(&path, b"one").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(read_private(&path).unwrap().as_deref(), Some("one"));

        let link = dir.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(read_private(&link).is_err());
        replace_private(&link, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one", "the link's target stays as it was");
        assert!(fs::symlink_metadata(&link).unwrap().is_file());

        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        assert!(read_private(&path).is_err(), "others could have read it");
        assert!(read_private(dir.path()).is_err());
        assert!(replace_private(Path::new("/proc/none"), b"").is_err());
    }

    #[test]
    fn a_failed_replacement_leaves_the_old_file_and_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("place");
        fs::create_dir(&place).unwrap();
        assert!(replace_private(&place, b"a file cannot replace a directory").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_leftover_link_is_replaced_and_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("note.json");
        let target = dir.path().join("target");
        fs::write(&target, b"not ours").unwrap();
        symlink(&target, dir.path().join("note.new")).unwrap();
        replace_private(&path, b"{}").unwrap();
        assert_eq!(
            (fs::read(&path).unwrap(), fs::read(&target).unwrap()),
            (b"{}".to_vec(), b"not ours".to_vec())
        );
        assert!(create_private(&path, b"again").is_err(), "it exists");
    }
}
