//! The database's files: the user's alone, and out of the way when they are damaged.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

/// What SQLite keeps beside a database while it is in use.
const COMPANIONS: [&str; 2] = ["-wal", "-shm"];

/// Only the user may read and write.
const PRIVATE: u32 = 0o600;

/// The file beside `path` whose name has `end` behind it.
pub(crate) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    PathBuf::from(name)
}

/// Sees to it that the database is a file that only its user may read, with any umask. What SQLite makes beside
/// it gets the same mode.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    match files::create_private(path, b"") {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    for file in [path.to_owned()].into_iter().chain(COMPANIONS.map(|end| beside(path, end))) {
        match fs::symlink_metadata(&file) {
            Ok(found) if found.is_file() && found.mode() & 0o777 != PRIVATE => {
                fs::set_permissions(&file, Permissions::from_mode(PRIVATE))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Brings a finished file to disk and then to its place.
pub(crate) fn move_for_good(from: &Path, to: &Path) -> io::Result<()> {
    File::open(from)?.sync_all()?;
    fs::rename(from, to)?;
    files::sync_parent(to)
}

/// The path as an address that SQLite understands, with a question behind it.
pub(crate) fn uri(path: &Path, query: &str) -> String {
    let mut uri = "file:".to_owned();
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => uri.push(byte.into()),
            _ => write!(uri, "%{byte:02x}").expect("a string takes everything"),
        }
    }
    uri + "?" + query
}

/// Renames a damaged database and what is beside it to `<path>.broken-<time>`, and says what it is called now. The
/// path is free then. Nothing is overwritten.
///
/// # Errors
///
/// When the disk refuses.
pub fn set_aside(path: &Path, now: Timestamp) -> io::Result<PathBuf> {
    let broken = beside(path, &format!(".broken-{}", now.strftime("%Y%m%dT%H%M%SZ")));
    let numbered = (2..).map(|number| beside(&broken, &format!("-{number}")));
    let is_free = |aside: &PathBuf| fs::symlink_metadata(aside).is_err();
    let aside = [broken.clone()].into_iter().chain(numbered).find(is_free).expect("numbers do not run out");
    // The database goes first. Without its log it could pass for a sound but older one; a log without its database
    // is ignored.
    fs::rename(path, &aside)?;
    for end in COMPANIONS {
        match fs::rename(beside(path, end), beside(&aside, end)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(aside)
}
