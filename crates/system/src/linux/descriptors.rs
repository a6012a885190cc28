//! The descriptors of this process, and paths that lead through them.

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};

const DESCRIPTORS: &str = "/proc/self/fd";

/// The numbers of all descriptors of this process. The one that lists them is among them, and closed already.
///
/// # Errors
///
/// When the system does not say.
pub fn all() -> io::Result<Vec<RawFd>> {
    let entries = fs::read_dir(DESCRIPTORS)?;
    Ok(entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect())
}

/// Whether descriptors have paths here.
pub fn have_paths() -> bool {
    Path::new(DESCRIPTORS).exists()
}

/// A path by which a descriptor of this process can be opened again.
pub fn path(descriptor: impl AsFd) -> PathBuf {
    Path::new(DESCRIPTORS).join(descriptor.as_fd().as_raw_fd().to_string())
}

/// A short path of an entry in a directory, however long the directory's own path is. A socket's address has at most
/// 107 bytes.
#[derive(Debug)]
pub struct ShortPath {
    path: PathBuf,
    /// The path is valid as long as this is open.
    _directory: OwnedFd,
}

impl ShortPath {
    /// The short path of the entry at `path`. The entry need not exist.
    ///
    /// # Errors
    ///
    /// When its directory does not exist, or cannot be entered.
    pub fn of(path: &Path) -> rustix::io::Result<ShortPath> {
        let (Some(parent), Some(entry)) = (path.parent(), path.file_name()) else {
            return Err(rustix::io::Errno::NOENT);
        };
        // The parent of a bare name is this directory.
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let directory = open(parent, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(ShortPath { path: self::path(&directory).join(entry), _directory: directory })
    }

    /// The path, for this process alone.
    pub fn as_path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[test]
    fn a_descriptor_is_listed_and_opened_again_by_its_path() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"text").unwrap();
        assert!(have_paths());
        assert!(all().unwrap().contains(&file.as_raw_fd()));
        let mut text = String::new();
        fs::File::open(path(&file)).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "text", "the file has no name, and is read from its start");
    }

    #[test]
    fn a_short_path_leads_into_a_directory_with_a_long_one() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("d".repeat(200));
        fs::create_dir(&deep).unwrap();
        let short = ShortPath::of(&deep.join("entry")).unwrap();
        assert!(short.as_path().as_os_str().len() < 60);
        fs::write(short.as_path(), "text").unwrap();
        assert_eq!(fs::read(deep.join("entry")).unwrap(), b"text");
    }

    #[test]
    fn a_path_without_a_directory_or_a_name_has_no_short_one() {
        for path in ["/", "/no/such/directory/entry", "/dev/null/entry"] {
            assert!(ShortPath::of(Path::new(path)).is_err(), "{path}");
        }
        assert!(ShortPath::of(Path::new("entry")).is_ok());
    }
}
