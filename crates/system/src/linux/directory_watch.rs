//! What comes and goes in a directory (inotify).

use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

/// Watches one directory.
#[derive(Debug)]
pub struct DirectoryWatch {
    watcher: OwnedFd,
}

/// What happened in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirectoryChange {
    /// An entry of this name was made or moved here.
    Came(Vec<u8>),
    /// The entry of this name was removed or moved away.
    Went(Vec<u8>),
    /// There were more changes than the system keeps.
    Missed,
}

impl DirectoryWatch {
    /// Begins to watch.
    ///
    /// # Errors
    ///
    /// When the directory cannot be watched.
    pub fn new(directory: &Path) -> io::Result<DirectoryWatch> {
        let watcher = inotify::init(CreateFlags::CLOEXEC)?;
        let flags = WatchFlags::CREATE | WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::MOVED_TO;
        inotify::add_watch(&watcher, directory, flags)?;
        Ok(DirectoryWatch { watcher })
    }

    /// Hands every change to `tell`, until `tell` returns false. The system bounds how many changes wait.
    ///
    /// # Errors
    ///
    /// When the system reports no more changes.
    pub fn follow(&self, mut tell: impl FnMut(DirectoryChange) -> bool) -> io::Result<()> {
        let mut buffer = [MaybeUninit::uninit(); 4 << 10];
        let mut reader = inotify::Reader::new(&self.watcher, &mut buffer);
        loop {
            let change = match reader.next() {
                Ok(event) => change(event.events(), event.file_name().map(CStr::to_bytes)),
                Err(Errno::INTR) => None,
                Err(error) => return Err(error.into()),
            };
            if change.is_some_and(|change| !tell(change)) {
                return Ok(());
            }
        }
    }
}

fn change(flags: ReadFlags, name: Option<&[u8]>) -> Option<DirectoryChange> {
    if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
        return Some(DirectoryChange::Missed);
    }
    let name = name?.to_vec();
    let came = flags.intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO);
    Some(if came { DirectoryChange::Came(name) } else { DirectoryChange::Went(name) })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::{fs, thread};

    use super::super::soon::SOON;
    use super::*;

    #[test]
    fn changes_are_reported_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir_in(dir.path().parent().unwrap()).unwrap();
        let watch = DirectoryWatch::new(dir.path()).unwrap();
        let entry = |name: &str| dir.path().join(name);
        fs::create_dir(entry("made")).unwrap();
        fs::write(elsewhere.path().join("moved"), "").unwrap();
        fs::rename(elsewhere.path().join("moved"), entry("moved")).unwrap();
        fs::write(entry("moved"), "a change inside a file is not one of the directory").unwrap();
        fs::rename(entry("moved"), elsewhere.path().join("moved")).unwrap();
        fs::remove_dir(entry("made")).unwrap();
        let (tell, told) = mpsc::channel();
        thread::spawn(move || watch.follow(|change| tell.send(change).is_ok()));
        let told: Vec<DirectoryChange> = (0..4).map_while(|_| told.recv_timeout(SOON).ok()).collect();
        let name = |name: &str| name.as_bytes().to_vec();
        assert_eq!(
            told,
            [
                DirectoryChange::Came(name("made")),
                DirectoryChange::Came(name("moved")),
                DirectoryChange::Went(name("moved")),
                DirectoryChange::Went(name("made")),
            ]
        );
    }

    #[test]
    fn lost_changes_are_reported_as_missed() {
        assert_eq!(change(ReadFlags::QUEUE_OVERFLOW, None), Some(DirectoryChange::Missed));
        assert_eq!(change(ReadFlags::IGNORED, None), None);
    }

    #[test]
    fn a_directory_that_is_missing_cannot_be_watched() {
        let dir = tempfile::tempdir().unwrap();
        let missing = DirectoryWatch::new(&dir.path().join("none"));
        assert_eq!(missing.unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
