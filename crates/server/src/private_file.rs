//! Small files that are the user's alone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// More than any of them has.
const MOST_BYTES: u64 = 4096;

/// Reads a file that nobody else can read or could have written, never over a link; nothing if there is none.
///
/// # Errors
///
/// When it cannot be read, or others can get at it.
pub(crate) fn read(path: &Path) -> io::Result<Option<String>> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = match OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let found = file.metadata()?;
    let own =
        found.is_file() && found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o077 == 0;
    if !own {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is not the user's alone"));
    }
    let mut text = String::new();
    file.take(MOST_BYTES).read_to_string(&mut text)?;
    Ok(Some(text))
}

/// Writes a file as a whole, or leaves what was there: written, synced, renamed and synced. A link in its place is
/// replaced and not followed.
///
/// # Errors
///
/// When the disk refuses.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    let _ = fs::remove_file(&new);
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(&new)?;
    let written = (|| {
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written?;
    path.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn s33_a_file_is_the_users_alone_and_never_reached_over_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        assert!(read(&path).unwrap().is_none());
        write(&path, b"one").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(read(&path).unwrap().as_deref(), Some("one"));

        let link = dir.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(read(&link).is_err());
        write(&link, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one", "the link's target stays as it was");
        assert!(fs::symlink_metadata(&link).unwrap().is_file());

        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(read(&path).is_err(), "others could have read it");
        assert!(read(dir.path()).is_err());
        assert!(write(Path::new("/proc/none"), b"").is_err());
    }
}
